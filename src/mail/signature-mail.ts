import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** A signature that waits for the owner of its key: who asks, and from where. */
export interface AskedSignature {
  readonly to: string;
  readonly baseUrl: string;
  readonly requestId: string;
  /** What the token or application is called. */
  readonly askerName: string;
  readonly keyLabel: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of a key that a signature waits. What is to be signed stands on the page alone. */
export function signatureAskedMail(news: AskedSignature): Mail {
  const { to, baseUrl, requestId, askerName, keyLabel, network, at } = news;
  return letter({
    to,
    subject: "A signature waits for you",
    parts: [
      `"${askerName}" asks for a signature with your key "${keyLabel}": ${network}, ${toIso(at)}.`,
      "Nothing is signed unless you approve it with a passkey within the hour:",
      { link: `${baseUrl}/requests/${requestId}` },
      "Everything that waits for you, further requests of the next minutes included:",
      { link: `${baseUrl}/requests` },
    ],
  });
}
