import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** What became of a passkey, and from where. */
export interface PasskeyNews {
  readonly to: string;
  readonly baseUrl: string;
  /** The passkey's. */
  readonly name: string;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of an account that a passkey was added. */
export function passkeyAddedMail(news: PasskeyNews): Mail {
  return passkeyMail("added", news);
}

/** Tells the owner of an account that a passkey was removed. */
export function passkeyRemovedMail(news: PasskeyNews): Mail {
  return passkeyMail("removed", news);
}

function passkeyMail(
  act: "added" | "removed",
  { to, baseUrl, name, device, network, at }: PasskeyNews,
): Mail {
  return letter({
    to,
    subject: `A passkey was ${act}`,
    parts: [
      `The passkey "${name}" was ${act}: ${device}, ${network}, ${toIso(at)}.`,
      "If this was not you, look at your passkeys and sessions:",
      { link: `${baseUrl}/account` },
    ],
  });
}
