import { DAY, HOUR, type Instant, MINUTE } from "../lib/time.ts";

/** A period in which amounts are counted, in milliseconds. */
export interface Window {
  /** Amounts of one slot are stored as one sum. Slots begin at multiples of this length. */
  readonly slot: number;
  /** A slot counts for this long after its start. */
  readonly lifetime: number;
}

function calendar(length: number): Window {
  return { slot: length, lifetime: length };
}

/** The slots of a rolling window. A limit can be stricter than its window by the length of one slot. */
const SLOTS = 24;

/** A slot counts as a whole until its last amount leaves the window. */
function rolling(length: number): Window {
  const slot = length / SLOTS;
  return { slot, lifetime: length + slot };
}

/** The windows of budgets. */
export const BUDGET_WINDOWS = {
  perDay: calendar(DAY),
  rollingHour: rolling(HOUR),
  rollingDay: rolling(DAY),
  rollingWeek: rolling(7 * DAY),
  total: calendar(Infinity),
} as const satisfies Readonly<Record<string, Window>>;

/** The windows of the number of signatures. */
export const SIGNATURE_WINDOWS = { perMinute: calendar(MINUTE), ...BUDGET_WINDOWS } as const;

export type BudgetWindow = keyof typeof BUDGET_WINDOWS;
export type SignatureWindow = keyof typeof SIGNATURE_WINDOWS;

export const BUDGET_WINDOW_NAMES = Object.keys(BUDGET_WINDOWS) as readonly BudgetWindow[];
export const SIGNATURE_WINDOW_NAMES = Object.keys(SIGNATURE_WINDOWS) as readonly SignatureWindow[];

/** Returns the start of the slot of an instant. */
export function slotStart({ slot }: Window, now: Instant): Instant {
  return slot === Infinity ? 0 : now - now % slot;
}

/** Returns true if the slot counts now. A slot ahead of `now` counts too, because the clock was set back. */
export function isLive({ lifetime }: Window, from: Instant, now: Instant): boolean {
  return Math.abs(now - from) < lifetime;
}

/** Returns true until the clock must be set back by more than the window to make the slot count again. */
export function isRetained({ lifetime }: Window, from: Instant, now: Instant): boolean {
  return from + 2 * lifetime > now;
}
