import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/**
 * The code that proves an address. It stands in the body, not in the subject a locked screen shows; there is no link,
 * which a mail scanner would follow. The last line binds the code to the service's host, so that a browser fills it
 * in there alone (WICG "Origin-bound one-time codes delivered via SMS").
 */
export function codeMail(
  { to, baseUrl, code, service }: {
    readonly to: string;
    readonly baseUrl: string;
    /** Six digits. */
    readonly code: string;
    /** The name people know the service by. */
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  return letter({
    to,
    subject: `Your ${service} code`,
    parts: [
      `Your code for ${service} (${host}) is`,
      { code },
      "It works once, within 5 minutes, in the browser that asked for it.",
      `Type it on ${host} only, and tell it nobody: we never ask for it.`,
      "If you did not ask for this code, ignore this mail: nothing has changed.",
      `@${host} #${code}`,
    ],
  });
}
