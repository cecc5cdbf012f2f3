// @ts-check

const PLACE = "saved-quote";

/** Remembers, until somebody signs out here, that a quote was saved: nobody else knows. */
export function noteSavedQuote() {
  try {
    localStorage.setItem(PLACE, "yes");
  } catch {
    // The browser gives no storage: the list of first steps asks again.
  }
}

/** @returns {boolean} */
export function hasSavedQuote() {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}
