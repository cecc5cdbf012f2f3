import { ProtocolError } from "../lib/error.ts";
import {
  type AllowedHosts,
  isPlainlyPrivate,
  type Outgoing,
  PrivateHostError,
  resolveHost,
} from "../lib/outgoing.ts";

const LONGEST = 2048;

/** Returns why deliveries must not go to a URL, judged by the URL alone. `any` allows http and private hosts. */
export function findUrlFault(text: string, hosts: AllowedHosts): string | undefined {
  const url = text.length > LONGEST ? null : URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return "Expected an https URL of at most 2048 characters";
  // The parser drops or encodes them: the page would show another URL than the one that is sent to.
  if (/[\p{C}\p{Z}]/u.test(text)) return "Expected a URL without spaces and invisible characters";
  if (url.protocol !== "https:" && hosts === "public") return "Expected https";
  if (url.username !== "" || url.password !== "") return "Expected a URL without a user or password";
  if (url.hash !== "" || text.includes("#")) return "Expected a URL without a fragment";
  return hosts === "public" && isPlainlyPrivate(url.hostname)
    ? "Expected a public host: this one is in a private network"
    : undefined;
}

/**
 * Throws `invalid_request` unless deliveries may go to a URL, and its host resolves to allowed addresses now. `refuse`
 * creates the error for a fault.
 */
export async function requireUrl(
  text: string,
  hosts: AllowedHosts,
  { lookup, timeLimit }: Pick<Outgoing, "lookup" | "timeLimit">,
  refuse: (message: string) => ProtocolError = refuseWebhook,
): Promise<void> {
  const fault = findUrlFault(text, hosts);
  if (fault !== undefined) throw refuse(fault);
  const means = { lookup, signal: AbortSignal.timeout(timeLimit) };
  try {
    await resolveHost(new URL(text).hostname, hosts, means);
  } catch (error) {
    throw refuse(
      error instanceof PrivateHostError
        ? "Expected a public host: this one is in a private network"
        : "Expected a host that resolves",
    );
  }
}

function refuseWebhook(message: string): ProtocolError {
  return new ProtocolError("invalid_request", "Cannot add webhook: its URL is not allowed", {
    errors: [{ path: "/url", message }],
  });
}
