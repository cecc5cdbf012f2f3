import type { BrokerServices } from "../broker/services.ts";
import { CHALLENGE_PATH, RELEASE_PATH } from "../tee/broker/broker-protocol.ts";
import { createBrokerEndpoints } from "../features/broker/release-key.ts";
import { HEALTH_ROUTES } from "../features/operations/health.ts";
import { publicAccess } from "../http/guard/guard.ts";
import { legacyRoute } from "../http/route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../http/services.ts";

/** What the endpoints of a broker's process stand on. */
export type BrokerHttpServices = BrokerServices & Pick<Services, "unreadyReasons">;

/** Every route of a release broker, which is a process of its own. */
export function createBrokerRoutes(services: BrokerHttpServices): readonly Route[] {
  const broker = createBrokerEndpoints(services);
  return [
    legacyRoute("POST", CHALLENGE_PATH, publicAccess, broker.challenge),
    legacyRoute("POST", RELEASE_PATH, publicAccess, broker.release),
    ...HEALTH_ROUTES,
  ];
}
