import { isLoopbackName } from "../lib/ip-address.ts";

function baseUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return "BASE_URL must be an http or https URL, for example http://localhost:3000";
  }
  if (url.origin !== text) {
    return "BASE_URL must be an origin in its plain form: scheme, lower-case host and port, no path, no final slash";
  }
  if (/^[\d.]+$|^\[/.test(url.hostname)) {
    return "BASE_URL must have a host name: passkeys do not work on an IP address; use localhost";
  }
  if (url.protocol === "http:" && !isLoopbackName(url.hostname)) {
    return "BASE_URL must be https, except on localhost: browsers allow passkeys nowhere else";
  }
  return undefined;
}

/** Reads `BASE_URL`: the public origin of the service. Returns undefined if it is not set. */
export function readBaseUrl(text: string, faults: string[]): string | undefined {
  if (text === "") return undefined;
  const fault = baseUrlFault(text);
  if (fault !== undefined) faults.push(fault);
  return text;
}
