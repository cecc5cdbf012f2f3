import { localize } from "../clear-signing/format-message.ts";
import { quoted } from "../clear-signing/parties.ts";
import type { Token } from "../clear-signing/registry/tokens.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { type Counts, usedIn } from "./counts.ts";
import { shortAmountText, tokenOfBudget } from "./describe-amounts.ts";
import { policyMessagesIn } from "./messages.ts";
import type { Policy } from "./policy.ts";
import { BUDGET_WINDOW_NAMES, SIGNATURE_WINDOW_NAMES } from "./windows.ts";

/** A limit of a policy with what is used up of it. */
export interface UsedLimit {
  /** For people: the amount used, and the limit with its window. */
  readonly text: string;
  /** The part that is used up, from 0 to 1. */
  readonly share: number;
}

/** The most recipients of a budget that are listed, those with the largest amounts. */
const MOST_RECIPIENTS = 5;

function shareOf(used: bigint, most: string): number {
  if (BigInt(most) === 0n) return 1;
  return Math.min(1, Number(used * 1000n / BigInt(most)) / 1000);
}

function describeSignatures(
  policy: Policy,
  { counts, now }: { readonly counts: Counts; readonly now: Instant },
  language: Language,
): readonly UsedLimit[] {
  const messages = policyMessagesIn(language);
  return SIGNATURE_WINDOW_NAMES.flatMap((name) => {
    const most = policy[name];
    if (most === undefined) return [];
    const used = usedIn(counts, `/${name}`, now);
    const limit = messages.windows[name](messages.signatures(most));
    return [{ text: messages.usedOf({ used: `${used}`, limit }), share: shareOf(used, `${most}`) }];
  });
}

/** Returns what was counted against a limit: for all recipients together, or for each. */
function listUses(
  counts: Counts,
  counter: string,
  now: Instant,
): readonly { readonly recipient: string | undefined; readonly used: bigint }[] {
  const start = `${counter}@`;
  const common = usedIn(counts, counter, now);
  const each = Object.keys(counts).filter((name) => name.startsWith(start)).map((name) => ({
    recipient: name.slice(start.length),
    used: common + usedIn(counts, name, now),
  })).filter(({ used }) => used > 0n).sort((one, other) => one.used < other.used ? 1 : -1);
  return each.length === 0 ? [{ recipient: undefined, used: common }] : each.slice(0, MOST_RECIPIENTS);
}

function describeBudget(
  { budgets }: Policy,
  { budget, token, counts, now }: {
    readonly budget: string;
    readonly token: Token | undefined;
    readonly counts: Counts;
    readonly now: Instant;
  },
  language: Language,
): readonly UsedLimit[] {
  const messages = policyMessagesIn(language);
  const name = localize(quoted(budget), language);
  return BUDGET_WINDOW_NAMES.flatMap((window) => {
    const most = budgets[budget]![window];
    if (most === undefined) return [];
    const limit = messages.windows[window](shortAmountText(most, token));
    return listUses(counts, `/budgets/${budget}/${window}`, now).map(({ recipient, used }) => {
      const of = messages.usedOf({ used: shortAmountText(`${used}`, token), limit });
      return { text: messages.usedOfBudget({ name, recipient, used: of }), share: shareOf(used, most) };
    });
  });
}

/**
 * Returns each limit on numbers and amounts of a policy with what is used up. Does not list what a rule allows at once.
 */
export function describeUsage(
  policy: Policy,
  counted: { readonly counts: Counts; readonly now: Instant },
  language: Language,
): readonly UsedLimit[] {
  return [
    ...describeSignatures(policy, counted, language),
    ...Object.keys(policy.budgets).flatMap((budget) =>
      describeBudget(policy, { ...counted, budget, token: tokenOfBudget(policy, budget) }, language)
    ),
  ];
}
