import { isLoopbackName } from "../lib/ip-address.ts";
import type { AskedRequest } from "./request-context.ts";

/** This machine as an address (RFC 6890), as a Host header spells it. */
const ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Where a page of a service on localhost is that was asked for under another name of this machine: passkeys and cookies
 * belong to the host of `BASE_URL` alone, and would fail there late. Undefined for every other request. Only plain http
 * on the same port, where no proxy stands between that could have put its own Host there, and be sent around for ever.
 */
export function aliasTarget({ method, headers }: AskedRequest, url: URL, base: URL): URL | undefined {
  const host = URL.parse(`http://${headers.get("host")}`);
  if (base.protocol !== "http:" || host === null || (method !== "GET" && method !== "HEAD")) return undefined;
  const isAlias = host.hostname !== base.hostname && host.port === base.port &&
    (ADDRESS.test(host.hostname) || isLoopbackName(host.hostname));
  return isAlias && isLoopbackName(base.hostname) ? url : undefined;
}
