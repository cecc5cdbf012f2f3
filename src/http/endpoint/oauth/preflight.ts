import { noContent } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";

/**
 * Answers a browser that asks whether a script of another origin may send its request (Fetch section 3.2.2). That any
 * may read the answer says the surface; cookies never come along.
 */
export function createPreflightEndpoint(methods: string): Endpoint<undefined> {
  return () =>
    Promise.resolve(noContent([
      ["access-control-allow-methods", methods],
      ["access-control-allow-headers", "Authorization, Content-Type"],
      ["access-control-max-age", "86400"],
    ]));
}
