import { isLoopbackName } from "../lib/loopback.ts";

/** Whether the service is for this machine alone: development. Anywhere else is production. */
export function isDevelopment(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
}
