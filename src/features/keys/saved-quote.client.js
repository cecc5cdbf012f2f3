// @ts-check

const PLACE = "saved-quote";

/** @returns {string} the id of the page's account */
function owner() {
  return document.body.dataset["account"] ?? "";
}

/** Records in local storage, until sign-out, that the page's account saved a quote. The service does not know it. */
export function noteSavedQuote() {
  try {
    localStorage.setItem(PLACE, owner());
  } catch {
    // Without storage, the list of first steps asks again.
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
