import { publicAccess } from "../../http/guard/guard.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint, type Route, route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { Live, NotReady, Ready } from "./schema.ts";

type HealthServices = Pick<Services, "unreadyReasons">;

/** Seconds after which a client may ask again for a service that was not ready. */
const RETRY_AFTER = "1";

const reportLiveness = defineEndpoint(
  publicAccess,
  {},
  (_context, _principal, _input, _services: HealthServices) =>
    Promise.resolve(json<typeof Live>(200, { status: "live" })),
);

const reportReadiness = defineEndpoint(
  publicAccess,
  {},
  async (_context, _principal, _input, { unreadyReasons }: HealthServices) => {
    const reasons = await unreadyReasons();
    return reasons.length === 0
      ? json<typeof Ready>(200, { status: "ready" })
      : json<typeof NotReady>(503, { status: "not ready", reasons }, [["retry-after", RETRY_AFTER]]);
  },
);

/** The routes of each process that listens. A release broker loads them without the routes of the service. */
export const HEALTH_ROUTES: readonly Route<HealthServices>[] = [
  route("GET", "/livez", reportLiveness, {
    id: "isLive",
    tag: "Operations",
    summary: "Check that the process is alive",
    returns: { 200: Live },
  }),
  route("GET", "/readyz", reportReadiness, {
    id: "isReady",
    tag: "Operations",
    summary: "Check that the process can serve requests",
    returns: { 200: Ready, 503: NotReady },
    responseHeaders: { 503: ["Retry-After"] },
  }),
];
