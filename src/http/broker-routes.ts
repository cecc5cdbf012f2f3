import type { BrokerServices } from "../broker/services.ts";
import { CHALLENGE_PATH, RELEASE_PATH } from "../tee/broker/broker-protocol.ts";
import { createBrokerEndpoints } from "./endpoint/broker.ts";
import { createOperationsEndpoints } from "./endpoint/operations.ts";
import { publicAccess } from "./guard/guard.ts";
import { route } from "./route.ts";
import type { Route } from "./route.ts";
import type { Services } from "./services.ts";

/** What the endpoints of a broker's process stand on. */
export type BrokerHttpServices = BrokerServices & Pick<Services, "unreadyReasons">;

/** Every route of a release broker, which is a process of its own. */
export function createBrokerRoutes(services: BrokerHttpServices): readonly Route[] {
  const broker = createBrokerEndpoints(services);
  const operations = createOperationsEndpoints(services);
  return [
    route("POST", CHALLENGE_PATH, publicAccess, broker.challenge),
    route("POST", RELEASE_PATH, publicAccess, broker.release),
    route("GET", "/livez", publicAccess, operations.live),
    route("GET", "/readyz", publicAccess, operations.ready),
  ];
}
