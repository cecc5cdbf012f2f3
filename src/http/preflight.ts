import { noContent } from "./response/respond.ts";
import type { LegacyEndpoint } from "./route.ts";

/** What a script may send to what clients of OAuth call, and to what programs call with a token. */
const CLIENT_HEADERS = "Authorization, DPoP, Content-Type";
export const TOKEN_HEADERS = "Authorization, DPoP, Content-Type, Holdfast-Witness, Idempotency-Key, Prefer";

/**
 * Answers a browser that asks whether a script of another origin may send its request (Fetch section 3.2.2). Whether it
 * may read the answer says the surface; cookies never come along.
 */
export function createPreflightEndpoint(
  methods: string,
  headers = CLIENT_HEADERS,
): LegacyEndpoint<undefined> {
  return () =>
    Promise.resolve(noContent([
      ["access-control-allow-methods", methods],
      ["access-control-allow-headers", headers],
      ["access-control-max-age", "86400"],
    ]));
}
