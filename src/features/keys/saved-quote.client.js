// @ts-check

const PLACE = "saved-quote";

/** @returns {string} whose page this is */
function owner() {
  return document.body.dataset["account"] ?? "";
}

/** Remembers, until somebody signs out here, that the page's account saved a quote: nobody else knows. */
export function noteSavedQuote() {
  try {
    localStorage.setItem(PLACE, owner());
  } catch {
    // The browser gives no storage: the list of first steps asks again.
  }
}

/** @returns {boolean} */
export function hasSavedQuote() {
  try {
    return localStorage.getItem(PLACE) === owner();
  } catch {
    return false;
  }
}
