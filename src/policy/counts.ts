import { DAY, MINUTE } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Policy } from "./policy.ts";

/** What was counted in one window: from when it runs, and how much, in decimal digits. */
export interface Count {
  readonly from: Instant;
  readonly used: string;
}

/** An amount that an act takes from a budget. */
export interface Amount {
  readonly budget: string;
  readonly amount: bigint;
}

/** What a policy has counted, by JSON pointer into it: `/perMinute`, `/perDay`, `/budgets/…`. */
export type Counts = Readonly<Record<string, Count>>;

/** Nothing counted yet. */
export const NO_COUNTS: Counts = {};

/** Whether anything is counted under a policy. */
export function countsAnything({ perMinute, perDay, budgets }: Policy): boolean {
  return perMinute !== undefined || perDay !== undefined || Object.keys(budgets).length > 0;
}

/** Something that is counted: where it stands in the policy, how long its window is, what is added, and the most. */
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

/**
 * What was used of a window that runs now: windows are minutes and days of UTC, and what was counted in another is
 * over.
 */
function usedNow(count: Count | undefined, { window }: Meter, now: Instant): { from: Instant; used: bigint } {
  const from = now - now % window;
  // A clock that was set back gives nothing back, unless it had gone wrong by more than a window.
  const isCurrent = count !== undefined && count.from >= from && count.from <= from + window;
  return isCurrent ? { from: count.from, used: BigInt(count.used) } : { from, used: 0n };
}

/** Whether what was counted may still matter: to this policy, or to another one of the same holder whose window runs. */
function isKept(
  { perMinute, perDay, budgets }: Policy,
  [name, count]: [string, Count],
  now: Instant,
): boolean {
  const window = name === "/perMinute" ? MINUTE : DAY;
  if (count.from + window > now) return true;
  if (name === "/perMinute") return perMinute !== undefined;
  return name === "/perDay" ? perDay !== undefined : Object.hasOwn(budgets, name.slice("/budgets/".length));
}

/**
 * What is counted after a signature that takes these amounts, or the name of what has no room for it. What this policy
 * does not count stays as long as its window runs: several policies may count for one holder, as an application's narrower
 * tokens do, and none of them may have another one begin anew.
 */
export function countSignature(
  policy: Policy,
  amounts: readonly Amount[],
  { counts, now }: { readonly counts: Counts; readonly now: Instant },
): { readonly counts: Counts } | { readonly full: string } {
  const after: Record<string, Count> = Object.fromEntries(
    Object.entries(counts).filter((one) => isKept(policy, one, now)),
  );
  for (const meter of [...signatureMeters(policy), ...budgetMeters(policy, amounts)]) {
    const { from, used } = usedNow(counts[meter.name], meter, now);
    if (used + meter.amount > meter.most) return { full: meter.name };
    after[meter.name] = { from, used: (used + meter.amount).toString() };
  }
  return { counts: after };
}
