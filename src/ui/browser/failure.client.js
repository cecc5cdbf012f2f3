// @ts-check
import { ApiError } from "./api.client.js";
import { newElement } from "./dom.client.js";
import { keepUnsent } from "./unsent.client.js";
import { PasskeyError } from "./passkey.client.js";

/**
 * Our words for problems whose own sentence is not written for whoever is at the browser.
 * @type {Readonly<Record<string, string>>}
 */
const WORDS = {
  invalid_code: "That code is not right, or no longer works. Check it, or ask for a new one.",
  invalid_passkey:
    "The passkey was not accepted. It may belong to another account or have been removed; try again.",
  invalid_passkey_registration: "The new passkey was not accepted. Try again.",
  authentication_required: "That took too long, so it has to start again. Load the page again.",
  account_exists: "There is an account already, made in the meantime. Sign in instead.",
  cross_site_request:
    "The browser says that this came from another site, so it was refused. Load the page again.",
  internal_error: "Something went wrong on the server. Nothing was signed. Try again in a moment.",
};

/**
 * A text as a sentence: with a full stop, unless it ends one itself.
 * @param {string} text
 * @returns {string}
 */
export function toSentence(text) {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/**
 * @param {number} seconds
 * @returns {string}
 */
function waitWords(seconds) {
  if (seconds < 90) return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/**
 * @param {ApiError} error
 * @returns {string}
 */
function problemSentence({ problem: { code, detail, retryAfter } }) {
  if (code === "rate_limited" && retryAfter !== undefined) {
    return `That was too often. Try again in ${waitWords(retryAfter)}.`;
  }
  return Object.hasOwn(WORDS, code) ? /** @type {string} */ (WORDS[code]) : toSentence(detail);
}

/**
 * What went wrong, as one sentence or two for whoever is at the browser.
 * @param {unknown} error
 * @returns {string}
 */
export function failureSentence(error) {
  if (error instanceof ApiError) return problemSentence(error);
  if (error instanceof PasskeyError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return "The service did not answer in time. Try again.";
  }
  if (error instanceof TypeError) {
    return "The service cannot be reached. Check your connection and try again.";
  }
  return "Something went wrong in this page. Load it again.";
}

/**
 * The faults a problem names, where its sentence does not say it all.
 * @param {ApiError} error
 * @returns {readonly Node[]}
 */
function faultNodes({ problem: { errors, detail } }) {
  const faults = errors.map(({ path, parameter, message }) => ({ place: path ?? parameter ?? "", message }));
  const news = faults.filter(({ place, message }) => place !== "" || message !== detail);
  if (news.length === 0) return [];
  const items = news.map(({ place, message }) =>
    newElement(
      "li",
      "",
      ...(place === "" ? [] : ["At ", newElement("code", "", place)]),
      ...(message === detail ? [] : [place === "" ? "" : ": ", toSentence(message)]),
    )
  );
  return [newElement("ul", "faults", ...items)];
}

/**
 * @param {ApiError} error
 * @returns {readonly Node[]}
 */
function furtherNodes(error) {
  const { requestId } = error.problem;
  const nodes = [...faultNodes(error)];
  if (requestId !== undefined) {
    const number = newElement("p", "fine", "Request ", newElement("code", "", requestId));
    nodes.push(newElement("details", "", newElement("summary", "", "Details"), number));
  }
  return nodes;
}

/**
 * Whether a failure means that nobody is signed in any more, on a page that is somebody's own.
 * @param {unknown} error
 * @returns {boolean}
 */
function isSignedOut(error) {
  return error instanceof ApiError && error.problem.code === "authentication_required" &&
    document.body.dataset["visitor"] === "account";
}

/**
 * Shows a failure in an alert region. When the session is over, goes to sign in instead; what is written in these forms
 * is still there afterwards.
 * @param {HTMLElement} region
 * @param {unknown} error
 * @param {readonly string[]} formIds
 */
export function showFailure(region, error, formIds = []) {
  if (isSignedOut(error)) {
    keepUnsent(formIds);
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
    return;
  }
  showAlert(region, failureSentence(error), ...(error instanceof ApiError ? furtherNodes(error) : []));
}

/**
 * Shows a sentence in an alert region, with further nodes below.
 * @param {HTMLElement} region
 * @param {string} sentence
 * @param {...Node} further
 */
export function showAlert(region, sentence, ...further) {
  region.replaceChildren(newElement("div", "notice danger", newElement("p", "", sentence), ...further));
  region.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} region */
export function clearAlert(region) {
  region.replaceChildren();
}
