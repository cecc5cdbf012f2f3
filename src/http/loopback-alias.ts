import { isLoopbackName } from "../lib/ip-address.ts";
import type { IncomingRequest } from "./request-context.ts";

/** A loopback address (RFC 6890) as in a Host header. */
const ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the URL under `BASE_URL` of a page requested under another name of localhost; otherwise undefined. Passkeys
 * and cookies belong to the host of `BASE_URL` and would fail later. Applies only to plain http on the same port: a
 * proxy could replace Host and cause a redirect loop.
 */
export function aliasTarget({ method, headers }: IncomingRequest, url: URL, base: URL): URL | undefined {
  const host = URL.parse(`http://${headers.get("host")}`);
  if (base.protocol !== "http:" || host === null || (method !== "GET" && method !== "HEAD")) return undefined;
  const isAlias = host.hostname !== base.hostname && host.port === base.port &&
    (ADDRESS.test(host.hostname) || isLoopbackName(host.hostname));
  return isAlias && isLoopbackName(base.hostname) ? url : undefined;
}
