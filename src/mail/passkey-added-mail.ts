import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** Tells the owner of an account that a passkey was added. */
export function passkeyAddedMail(
  { to, baseUrl, name, device, network, at }: {
    readonly to: string;
    readonly baseUrl: string;
    /** The passkey's. */
    readonly name: string;
    readonly device: string;
    readonly network: string;
    readonly at: Instant;
  },
): Mail {
  return letter({
    to,
    subject: "A passkey was added",
    parts: [
      `The passkey "${name}" was added: ${device}, ${network}, ${toIso(at)}.`,
      "If this was not you, look at your passkeys and sessions:",
      { link: `${baseUrl}/account` },
    ],
  });
}
