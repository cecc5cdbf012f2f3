import { DAY, type Instant, MINUTE } from "../lib/time.ts";
import type { Policy } from "./policy.ts";

/** The start of one window, and the amount used in it, in decimal digits. */
export interface Count {
  readonly from: Instant;
  readonly used: string;
}

export interface Amount {
  readonly budget: string;
  readonly amount: bigint;
}

/** The counts of a policy by JSON pointer into it: `/perMinute`, `/perDay`, `/budgets/…`. */
export type Counts = Readonly<Record<string, Count>>;

export const NO_COUNTS: Counts = {};

export function countsAnything({ perMinute, perDay, budgets }: Policy): boolean {
  return perMinute !== undefined || perDay !== undefined || Object.keys(budgets).length > 0;
}

/** A counter: its place in the policy, the length of its window, the amount to add, and the maximum. */
interface Meter {
  readonly name: string;
  readonly window: number;
  readonly amount: bigint;
  readonly most: bigint;
}

function signatureMeters({ perMinute, perDay }: Policy): readonly Meter[] {
  return [
    ...(perMinute === undefined
      ? []
      : [{ name: "/perMinute", window: MINUTE, amount: 1n, most: BigInt(perMinute) }]),
    ...(perDay === undefined ? [] : [{ name: "/perDay", window: DAY, amount: 1n, most: BigInt(perDay) }]),
  ];
}

function budgetMeters({ budgets }: Policy, amounts: readonly Amount[]): readonly Meter[] {
  const sums = new Map<string, bigint>();
  for (const { budget, amount } of amounts) sums.set(budget, (sums.get(budget) ?? 0n) + amount);
  return [...sums].map(([budget, amount]) => (
    { name: `/budgets/${budget}`, window: DAY, amount, most: BigInt(budgets[budget]!.perDay) }
  ));
}

/** Returns the start and usage of the current window. Windows are minutes and days of UTC. */
function usedNow(count: Count | undefined, { window }: Meter, now: Instant): { from: Instant; used: bigint } {
  const from = now - now % window;
  // Setting the clock back returns nothing, unless the clock was wrong by more than a window.
  const isCurrent = count !== undefined && count.from >= from && count.from <= from + window;
  return isCurrent ? { from: count.from, used: BigInt(count.used) } : { from, used: 0n };
}

/** Returns true if the count still matters: to this policy, or to another of the same holder until its window ends. */
function isCounted(
  { perMinute, perDay, budgets }: Policy,
  [name, count]: [string, Count],
  now: Instant,
): boolean {
  const window = name === "/perMinute" ? MINUTE : DAY;
  if (count.from + window > now) return true;
  if (name === "/perMinute") return perMinute !== undefined;
  return name === "/perDay" ? perDay !== undefined : Object.hasOwn(budgets, name.slice("/budgets/".length));
}

/** Returns counts with which every budget and number of signatures is used up until its window ends. */
export function usedUpCounts(policy: Policy, now: Instant): Counts {
  const amounts = Object.keys(policy.budgets).map((budget) => ({ budget, amount: 0n }));
  const meters = [...signatureMeters(policy), ...budgetMeters(policy, amounts)];
  return Object.fromEntries(
    meters.map(({ name, window, most }) => [name, { from: now - now % window, used: most.toString() }]),
  );
}

/**
 * Returns the counts after a signature, or the name of the exhausted counter. Keeps counts of other policies until
 * their windows end. Several policies may count for one holder, such as a client's narrower tokens, and none may reset
 * another's counts.
 */
export function countSignature(
  policy: Policy,
  amounts: readonly Amount[],
  { counts, now }: { readonly counts: Counts; readonly now: Instant },
): { readonly counts: Counts } | { readonly full: string } {
  const after: Record<string, Count> = Object.fromEntries(
    Object.entries(counts).filter((one) => isCounted(policy, one, now)),
  );
  for (const meter of [...signatureMeters(policy), ...budgetMeters(policy, amounts)]) {
    const { from, used } = usedNow(counts[meter.name], meter, now);
    if (used + meter.amount > meter.most) return { full: meter.name };
    after[meter.name] = { from, used: (used + meter.amount).toString() };
  }
  return { counts: after };
}
