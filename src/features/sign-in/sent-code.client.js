// @ts-check
import { fillCount, wordsOf } from "../../ui/browser/messages.client.js";

const PLACE = "sign-up";

/**
 * @typedef {{ readonly email: string, readonly deadline: number, readonly wrong: number }} SentCode where the code went,
 *   until when it works by this browser's clock, and how often a wrong one was tried
 */

/**
 * Keeps what is known of the code that was sent last: in the storage of this tab, so that loading the page again does not
 * begin anew. The code itself is never kept.
 * @param {SentCode} code
 */
export function keepSentCode(code) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(code));
  } catch {
    // The browser gives no storage: a page that is loaded again begins anew.
  }
}

export function forgetSentCode() {
  try {
    sessionStorage.removeItem(PLACE);
  } catch {
    // There is nothing to forget.
  }
}

/**
 * What was kept; undefined where there is nothing, or nothing that can be read.
 * @returns {SentCode | undefined}
 */
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
 * Why a code no longer works, whatever is typed: for a person. Undefined while it may.
 * @param {SentCode} code
 * @param {{ readonly tries: number, readonly now: number }} limits how often it can be tried, and the time
 * @returns {string | undefined}
 */
export function whyDead({ deadline, wrong }, { tries, now }) {
  if (wrong >= tries) return fillCount(wordsOf("sent-code").tried, tries);
  if (now >= deadline) return wordsOf("sent-code").tooOld;
  return undefined;
}
