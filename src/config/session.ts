import type { SessionLifetimes } from "../accounts/session/session-lifetimes.ts";
import { HOUR } from "../lib/time.ts";

const MOST_HOURS = 2160;
const USUAL_IDLE_HOURS = 168;

/** Creates the reader of a number of hours. It adds a fault and returns undefined for anything but 1 to 2160. */
export function readSessionHours(name: string): (text: string, faults: string[]) => number | undefined {
  return (text, faults) => {
    if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST_HOURS) return Number(text);
    faults.push(`${name} must be a number of hours from 1 to ${MOST_HOURS}`);
    return undefined;
  };
}

/** Like `readSessionHours`, but returns undefined for none too. */
export function readIdleHours(text: string, faults: string[]): number | undefined {
  return text === "" ? undefined : readSessionHours("SESSION_IDLE_HOURS")(text, faults);
}

/** Returns the lifetimes of sessions. Adds a fault if the time without use is longer than the whole. */
export function readSessionLifetimes(
  longest: number | undefined,
  idle: number | undefined,
  faults: string[],
): SessionLifetimes | undefined {
  if (longest === undefined) return undefined;
  if (idle !== undefined && idle > longest) {
    faults.push(`SESSION_IDLE_HOURS must be at most SESSION_MAX_HOURS, which is ${longest}`);
    return undefined;
  }
  return { longest: longest * HOUR, idle: (idle ?? Math.min(USUAL_IDLE_HOURS, longest)) * HOUR };
}
