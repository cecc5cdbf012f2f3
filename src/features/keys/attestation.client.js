// @ts-check
import { fetchQuote } from "./keys-api.client.js";
import { getElement, newElement, onSubmit, submitButton, whileBusy } from "../../ui/browser/dom.client.js";
import { noteSavedQuote } from "./saved-quote.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";

/** @typedef {import("./schema.ts").KeyQuoteView} Quote */

const NONCE_BYTES = 32;

/** @returns {string} base64url without padding */
function newNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Returns the message about what a quote shows and does not show, or a `problem` if its claims have another nonce or
 * address. Does not verify the quote.
 * @param {Quote} quote
 * @param {{ readonly nonce: string, readonly address: string }} expected
 * @returns {{ readonly kind: "problem" | "simulated" | "tee", readonly message: string }}
 */
export function quoteVerdict(quote, { nonce, address }) {
  const { notOurs, simulated, tee } = messagesOf("attestation");
  const claims = readClaims(quote.claims);
  if (claims?.["nonce"] !== nonce || claims["address"] !== address) {
    return { kind: "problem", message: notOurs };
  }
  return quote.inTee ? { kind: "tee", message: tee } : { kind: "simulated", message: simulated };
}

/**
 * Returns a sentence for each claim. Does not verify that the quote signs them.
 * @param {Quote} quote
 * @param {{ readonly nonce: string, readonly address: string }} expected
 * @returns {readonly string[]}
 */
export function claimMessages(quote, { nonce, address }) {
  const { policy, keyProvider, ...claims } = /** @type {any} */ (readClaims(quote.claims) ?? {});
  const messages = messagesOf("attestation");
  const name = keyProvider?.name ?? messages.notNamed;
  const provider = keyProvider?.id ? `${name} (${keyProvider.id})` : name;
  return [
    claims.address === address ? messages.thisKey : messages.anotherKey,
    claims.nonce === nonce ? messages.isNew : messages.mayBeOld,
    fill(messages.keyProvider, { provider }),
    policy ? messages.hasPolicy : messages.hasNoPolicy,
  ];
}

/**
 * Returns the command that verifies a saved quote. It reads the expected values from a file that `doctor
 * --expect` prints and its reader compares with a build. A simulated quote needs the root that
 * `simulated-root` writes.
 * @param {Pick<Quote, "inTee">} quote
 * @param {{ readonly nonce: string, readonly address: string }} expected
 * @returns {string}
 */
export function verifyCommand({ inTee }, { nonce, address }) {
  const options = `--nonce=${nonce} --address ${address}`;
  return inTee
    ? `npm run -s verify-quote -- quote.json --pccs https://api.trustedservices.intel.com ${options} ` +
      "--expect expected.json"
    : "npm run -s holdfast -- simulated-root simulated\n" +
      "npm run -s verify-quote -- quote.json --collateral simulated/collateral.json --root simulated/root.pem " +
      `${options} --measurements any --key-provider any`;
}

/** @param {string} text @returns {Readonly<Record<string, unknown>> | undefined} */
function readClaims(text) {
  try {
    const claims = JSON.parse(text);
    return typeof claims === "object" && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Quote} quote @param {string} nonce */
function showQuote(quote, nonce) {
  const address = getElement("key", HTMLElement).dataset["address"] ?? "";
  const { kind, message } = quoteVerdict(quote, { nonce, address });
  const verdict = getElement("quote-verdict", HTMLElement);
  verdict.textContent = message;
  verdict.classList.toggle("danger", kind !== "tee");
  getElement("quote-statements", HTMLElement).replaceChildren(
    ...claimMessages(quote, { nonce, address }).map((text) => newElement("li", "", text)),
  );
  getElement("quote-nonce", HTMLElement).textContent = nonce;
  getElement("quote-claims", HTMLElement).textContent = quote.claims;
  getElement("quote-text", HTMLElement).textContent = quote.quote;
  getElement("quote-command", HTMLElement).textContent = verifyCommand(quote, { nonce, address });
  const file = getElement("quote-file", HTMLAnchorElement);
  URL.revokeObjectURL(file.href);
  file.href = URL.createObjectURL(new Blob([JSON.stringify(quote)], { type: "application/json" }));
  const result = getElement("quote-result", HTMLElement);
  result.hidden = false;
  result.focus();
  file.click();
  noteSavedQuote();
}

/** @param {string} keyId */
export function enableAttestation(keyId) {
  const form = getElement("quote-form", HTMLFormElement);
  const alertBox = getElement("quote-alert", HTMLElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      getElement("quote-result", HTMLElement).hidden = true;
      const nonce = newNonce();
      showQuote(await fetchQuote(keyId, nonce), nonce);
    }, (error) => showFailure(alertBox, error)));
}
