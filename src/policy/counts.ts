import { DAY, type Instant } from "../lib/time.ts";
import type { Policy } from "./policy.ts";
import {
  BUDGET_WINDOW_NAMES,
  isLive,
  isRetained,
  SIGNATURE_WINDOW_NAMES,
  SIGNATURE_WINDOWS,
  type SignatureWindow,
  slotStart,
  type Window,
} from "./windows.ts";

/** The start of a slot, and the amount used in it, in decimal digits. */
export type Slot = readonly [from: Instant, used: string];

/**
 * The slots of each counter. A counter's name is a JSON pointer to a limit of the policy: `/perDay`,
 * `/budgets/NAME/rollingHour`. The counter of one recipient or channel ends with `@` and the recipient or channel.
 */
export type Counts = Readonly<Record<string, readonly Slot[]>>;

export const NO_COUNTS: Counts = {};

export interface Amount {
  readonly budget: string;
  readonly amount: bigint;
  /** The recipient whose own budget the amount counts against. Undefined if the budget is for all. */
  readonly recipient?: string | undefined;
  /** The channel of a cumulative amount: only what exceeds the highest one signed before counts. */
  readonly channel?: string | undefined;
}

/** All slots and all highest amounts that one row may hold. A row is written with each signature. */
export const MOST_SLOTS = 1_000;

/** The highest amount of a channel. Without it the next amount of the channel counts in full. */
const HIGHEST: Window = { slot: 1, lifetime: 30 * DAY };

const WINDOWS: Readonly<Record<string, Window>> = { ...SIGNATURE_WINDOWS, highest: HIGHEST };

function windowOf(counter: string): Window {
  const [pointer] = counter.split("@", 1);
  return WINDOWS[pointer!.slice(pointer!.lastIndexOf("/") + 1)]!;
}

export function countsAnything(policy: Policy): boolean {
  return SIGNATURE_WINDOW_NAMES.some((name) => policy[name] !== undefined) ||
    Object.keys(policy.budgets).length > 0;
}

/** A counter, the amount to add, and the maximum. */
interface Meter {
  readonly counter: string;
  /** JSON pointer into the policy, for the refusal. */
  readonly rule: string;
  /** The counter with which repair marks all of a budget as used. Only budgets of recipients have another. */
  readonly common: string;
  readonly window: Window;
  readonly amount: bigint;
  readonly most: bigint;
}

function signatureMeters(policy: Policy): readonly Meter[] {
  return SIGNATURE_WINDOW_NAMES.flatMap((name) => {
    const most = policy[name];
    if (most === undefined) return [];
    const counter = `/${name}`;
    const window: Window = SIGNATURE_WINDOWS[name satisfies SignatureWindow];
    return [{ counter, rule: counter, common: counter, window, amount: 1n, most: BigInt(most) }];
  });
}

/** Returns the meters of one budget, for a recipient or for all. */
function budgetMeters(
  { budgets }: Policy,
  { budget, amount, recipient }: Omit<Amount, "channel">,
): readonly Meter[] {
  return BUDGET_WINDOW_NAMES.flatMap((name) => {
    const most = budgets[budget]![name];
    if (most === undefined) return [];
    const common = `/budgets/${budget}/${name}`;
    const counter = recipient === undefined ? common : `${common}@${recipient}`;
    const window: Window = SIGNATURE_WINDOWS[name];
    return [{ counter, rule: `/budgets/${budget}`, common, window, amount, most: BigInt(most) }];
  });
}

function slotsOf(counts: Counts, counter: string): readonly Slot[] {
  return Object.hasOwn(counts, counter) ? counts[counter]! : [];
}

/** Returns the amount of a counter in its window. */
export function usedIn(counts: Counts, counter: string, now: Instant): bigint {
  const window = windowOf(counter);
  return slotsOf(counts, counter)
    .filter(([from]) => isLive(window, from, now))
    .reduce((sum, [, used]) => sum + BigInt(used), 0n);
}

function usedNow(counts: Counts, { counter, common }: Meter, now: Instant): bigint {
  return usedIn(counts, counter, now) + (common === counter ? 0n : usedIn(counts, common, now));
}

function addTo(slots: readonly Slot[], { window, amount }: Meter, now: Instant): readonly Slot[] {
  const from = slotStart(window, now);
  const used = slots.find((slot) => slot[0] === from)?.[1] ?? "0";
  return [...slots.filter((slot) => slot[0] !== from), [from, (BigInt(used) + amount).toString()]];
}

/** Returns the counts that can still matter. */
function retain(counts: Counts, now: Instant): Record<string, readonly Slot[]> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([counter, slots]) => {
      const window = windowOf(counter);
      const retained = slots.filter(([from]) => isRetained(window, from, now));
      return retained.length === 0 ? [] : [[counter, retained]];
    }),
  );
}

/** The name of a recipient may contain anything, so only what is before it counts. */
const isHighest = (counter: string): boolean => windowOf(counter) === HIGHEST;

/** Deletes the highest amounts that were signed longest ago, until the counts fit into a row. */
function makeFit(counts: Record<string, readonly Slot[]>): boolean {
  const excess = Object.values(counts).reduce((sum, slots) => sum + slots.length, 0) - MOST_SLOTS;
  if (excess <= 0) return true;
  const oldest = Object.keys(counts).filter(isHighest).sort((a, b) => counts[a]![0]![0] - counts[b]![0]![0]);
  for (const counter of oldest.slice(0, excess)) delete counts[counter];
  return oldest.length >= excess;
}

/**
 * Replaces cumulative amounts by what exceeds the highest amount of their channel, which it records in `after`. Adds up
 * the amounts of each budget and recipient.
 */
function risesOf(
  amounts: readonly Amount[],
  after: Record<string, readonly Slot[]>,
  now: Instant,
): readonly Omit<Amount, "channel">[] {
  const sums = new Map<string, Omit<Amount, "channel">>();
  for (const { budget, amount, recipient, channel } of amounts) {
    let rise = amount;
    if (channel !== undefined) {
      const counter = `/budgets/${budget}/highest@${channel}`;
      const highest = BigInt(slotsOf(after, counter)[0]?.[1] ?? 0);
      rise = amount > highest ? amount - highest : 0n;
      after[counter] = [[now, (highest + rise).toString()]];
    }
    const place = JSON.stringify([budget, recipient ?? null]);
    sums.set(place, { budget, recipient, amount: (sums.get(place)?.amount ?? 0n) + rise });
  }
  return [...sums.values()];
}

/** Returns counts with which every budget and number of signatures is used up until its window ends. */
export function usedUpCounts(policy: Policy, now: Instant): Counts {
  const budgets = Object.keys(policy.budgets);
  const meters = [
    ...signatureMeters(policy),
    ...budgets.flatMap((budget) => budgetMeters(policy, { budget, amount: 0n })),
  ];
  return Object.fromEntries(
    meters.map(({ counter, window, most }) => [counter, [[slotStart(window, now), most.toString()]]]),
  );
}

/** The limit that a signature would exceed. */
export interface Exceeded {
  /** JSON pointer into the policy. */
  readonly rule: string;
  readonly code: "usedUp" | "tooManyCounts";
}

/**
 * Returns the counts after a signature, or the limit that it would exceed. Keeps counts of other policies until their
 * windows end. Several policies may count for one holder, such as a client's narrower tokens, and none may reset
 * another's counts. A clock that is set back by at most a window resets nothing.
 */
export function countSignature(
  policy: Policy,
  amounts: readonly Amount[],
  { counts, now }: { readonly counts: Counts; readonly now: Instant },
): { readonly counts: Counts } | { readonly exceeded: Exceeded } {
  const after = retain(counts, now);
  const rises = risesOf(amounts, after, now);
  const meters = [...signatureMeters(policy), ...rises.flatMap((rise) => budgetMeters(policy, rise))];
  for (const meter of meters) {
    if (usedNow(after, meter, now) + meter.amount > meter.most) {
      return { exceeded: { rule: meter.rule, code: "usedUp" } };
    }
    after[meter.counter] = addTo(slotsOf(after, meter.counter), meter, now);
  }
  if (makeFit(after)) return { counts: after };
  return { exceeded: { rule: "/budgets", code: "tooManyCounts" } };
}
