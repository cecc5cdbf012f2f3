import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** What a token that was made may do, and from where it was made. */
export interface TokenNews {
  readonly to: string;
  readonly baseUrl: string;
  readonly name: string;
  readonly keys: "all" | readonly string[];
  readonly actions: readonly string[];
  readonly expiresAt: Instant;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of an account that a program may use keys from now on. */
export function tokenAddedMail(news: TokenNews): Mail {
  const { to, baseUrl, name, keys, actions, expiresAt, device, network, at } = news;
  const which = keys === "all" ? "all your keys" : keys.length === 1 ? "one key" : `${keys.length} keys`;
  return letter({
    to,
    subject: "A token for a program was made",
    parts: [
      `The token "${name}" was made: ${device}, ${network}, ${toIso(at)}.`,
      `With it a program may use ${which} (${actions.join(", ")}) until ${toIso(expiresAt)}.`,
      "If this was not you, revoke it and look at your passkeys and sessions:",
      { link: `${baseUrl}/account` },
    ],
  });
}
