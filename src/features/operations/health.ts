import type { Live, NotReady, Ready } from "./schema.ts";
import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints that tell whether the service lives and whether it can serve. */
export interface OperationsEndpoints {
  readonly live: LegacyEndpoint<undefined>;
  readonly ready: LegacyEndpoint<undefined>;
}

/** Seconds after which to ask a service again that was not ready. */
const RETRY_AFTER = "1";

/** Makes the endpoints of operations. */
export function createOperationsEndpoints(
  { unreadyReasons }: Pick<Services, "unreadyReasons">,
): OperationsEndpoints {
  return {
    live: () => Promise.resolve(json<typeof Live>(200, { status: "live" })),
    ready: async () => {
      const reasons = await unreadyReasons();
      return reasons.length === 0
        ? json<typeof Ready>(200, { status: "ready" })
        : json<typeof NotReady>(503, { status: "not ready", reasons }, [["retry-after", RETRY_AFTER]]);
    },
  };
}
