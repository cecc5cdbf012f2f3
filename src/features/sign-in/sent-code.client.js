// @ts-check
import { fillCount, messagesOf } from "../../ui/browser/messages.client.js";

const PLACE = "sign-up";

/**
 * @typedef {{ readonly email: string, readonly deadline: number, readonly wrong: number }} SentCode the
 * address, the time
 * until which the code is valid by this browser's clock, and the number of wrong tries
 */

/**
 * Stores the state of the last sent code in the storage of this tab, so that a reload does not start over. Does not
 * store the code itself.
 * @param {SentCode} code
 */
export function keepSentCode(code) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(code));
  } catch {
    // Without storage, a reload starts over.
  }
}

export function forgetSentCode() {
  try {
    sessionStorage.removeItem(PLACE);
  } catch {
    // Without storage there is nothing to delete.
  }
}

/** @returns {SentCode | undefined} undefined also if it cannot be read */
export function findSentCode() {
  try {
    const { email, deadline, wrong } = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
    const isWhole = typeof email === "string" && typeof deadline === "number" && typeof wrong === "number";
    return isWhole ? { email, deadline, wrong } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the message why a code can no longer be used. Returns undefined while it can.
 * @param {SentCode} code
 * @param {{ readonly tries: number, readonly now: number }} limits the maximum number of tries, and the time
 * @returns {string | undefined}
 */
export function findCodeFault({ deadline, wrong }, { tries, now }) {
  if (wrong >= tries) return fillCount(messagesOf("sent-code").tried, tries);
  if (now >= deadline) return messagesOf("sent-code").tooOld;
  return undefined;
}
