// @ts-check
import { fetchDocument } from "../../../ui/browser/document.client.js";

/**
 * @typedef {{ readonly address: string, readonly digest: string }
 * & ({ readonly kind: "message" | "typed_data" }
 * | { readonly kind: "transaction", readonly unsigned: string }
 * | { readonly kind: "authorization", readonly authorization: Readonly<Record<string, unknown>> })
 * } Explanation what would be signed: the members that a script uses
 * @typedef {{ readonly explanation: Explanation, readonly content: readonly Node[],
 * readonly subject: readonly Node[] }} Review an explanation, with its nodes for before and after signing
 */

/**
 * Fetches an explanation of what signing a text with a key would sign, in the page's language.
 * @param {string} keyId
 * @param {string} body JSON text, sent unchanged: parsing could change numbers
 * @returns {Promise<Review>}
 */
export async function fetchReview(keyId, body) {
  const { lang } = document.documentElement;
  const answer = await fetchDocument("POST", `/api/keys/${keyId}/explain?language=${lang}`, body);
  const content = answer.getElementById("review-content");
  return {
    explanation: JSON.parse(content?.dataset["values"] ?? ""),
    content: [...content?.childNodes ?? []],
    subject: [...answer.getElementById("signed-what")?.childNodes ?? []],
  };
}
