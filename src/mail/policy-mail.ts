import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { LetterPart } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** What became of a key's policy. */
export type PolicyAct = "tightened" | "loosened" | "asked" | "cancelled" | "took_effect";

/** What became of the policy of a key, and from where. */
export interface PolicyNews {
  readonly to: string;
  readonly baseUrl: string;
  readonly keyId: string;
  /** The key's. */
  readonly label: string;
  /** What the key may sign, in sentences: now, or from the change on where one waits; undefined for anything. */
  readonly words: readonly string[] | undefined;
  /** When the change takes effect that waits. */
  readonly changeAt: Instant | undefined;
  /** Who did it; undefined where time did. */
  readonly place: { readonly device: string; readonly network: string } | undefined;
  readonly at: Instant;
}

interface Wording {
  readonly subject: string;
  readonly says: (news: PolicyNews) => string;
  /** What the sentences are of. */
  readonly heading?: string;
  readonly next: string;
}

const WORDINGS: Readonly<Record<PolicyAct, Wording>> = {
  tightened: {
    subject: "A key's policy was set",
    says: ({ label }) => `What the key "${label}" signs was limited`,
    heading: "From now on it signs nothing but this:",
    next: "If this was not you, end the session that did it, and look at your passkeys:",
  },
  loosened: {
    subject: "A key's policy was made looser",
    says: ({ label }) => `The key "${label}" may sign more from now on`,
    heading: "It signs:",
    next: "If this was not you, archive the key or set the policy again, and look at your passkeys:",
  },
  asked: {
    subject: "A key's policy is to become looser",
    says: ({ label, changeAt }) => `The key "${label}" may sign more from ${toIso(changeAt!)} on`,
    heading: "From then on it signs:",
    next: "If this was not you, cancel it there before then, and look at your passkeys and sessions:",
  },
  cancelled: {
    subject: "A key's policy stays as it is",
    says: ({ label }) => `The change of the policy of the key "${label}" that waited was cancelled`,
    next: "The key's page shows what it signs:",
  },
  took_effect: {
    subject: "A key's policy has become looser",
    says: ({ label }) => `The key "${label}" may sign more now: the change that waited has taken effect`,
    heading: "It signs:",
    next: "If this was not you, archive the key or set the policy again, and look at your passkeys:",
  },
};

/** Tells the owner of a key what became of its policy, and where that can be undone. */
export function policyMail(act: PolicyAct, news: PolicyNews): Mail {
  const { to, baseUrl, keyId, words, place, at } = news;
  const { subject, says, heading, next } = WORDINGS[act];
  const from = place === undefined ? toIso(at) : `${place.device}, ${place.network}, ${toIso(at)}`;
  const allowed: readonly LetterPart[] = heading === undefined ? [] : [
    heading,
    ...(words ?? ["Anything that its owner, or a program or application of the owner's, asks for."]),
  ];
  return letter({
    to,
    subject,
    parts: [`${says(news)}: ${from}.`, ...allowed, next, { link: `${baseUrl}/keys/${keyId}#policy` }],
  });
}
