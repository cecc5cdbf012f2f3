// @ts-check
import { newElement } from "./dom.client.js";
import { readableNodes } from "./readable-nodes.client.js";

/**
 * @typedef {import("./api.client.js").ExplainedValue} ExplainedValue
 * @typedef {import("./api.client.js").Explanation} Explanation
 */

/**
 * A text as it is signed, with the characters that could not be seen made visible.
 * @param {string} text
 * @returns {HTMLElement}
 */
function textNode(text) {
  const element = newElement("bdi", "signed-text", ...readableNodes(text));
  if (text === "") element.append(newElement("span", "unseen", "empty"));
  return element;
}

/**
 * @param {ExplainedValue} value
 * @returns {HTMLElement}
 */
function leafNode({ type, value }) {
  if (value === null) return newElement("span", "unseen", "absent");
  if (type === "string") return textNode(String(value));
  return newElement("code", "", String(value));
}

/**
 * One value and, below it, what it holds.
 * @param {ExplainedValue} explained
 * @param {"name" | "number"} naming
 * @returns {HTMLLIElement}
 */
function valueItem(explained, naming) {
  const name = naming === "name" ? explained.name : `No. ${Number(explained.name) + 1}`;
  const head = [
    newElement("span", "tree-name", newElement("bdi", "", name)),
    " ",
    newElement("span", "tree-type", newElement("bdi", "", explained.type)),
  ];
  const inner = explained.members ?? explained.items;
  if (inner === undefined) return newElement("li", "", ...head, " ", leafNode(explained));
  if (inner.length === 0) return newElement("li", "", ...head, " ", newElement("span", "unseen", "empty"));
  return newElement("li", "", ...head, valueList(inner, explained.items === undefined ? "name" : "number"));
}

/**
 * @param {readonly ExplainedValue[]} values
 * @param {"name" | "number"} naming
 * @returns {HTMLUListElement}
 */
function valueList(values, naming) {
  return newElement("ul", "tree", ...values.map((value) => valueItem(value, naming)));
}

/**
 * @param {string} title
 * @param {Node} body
 * @returns {HTMLElement}
 */
function part(title, body) {
  return newElement("div", "explained", newElement("h4", "", title), body);
}

/**
 * @param {ExplainedValue} value
 * @returns {Node}
 */
function members(value) {
  const inner = value.members ?? [];
  return inner.length === 0 ? newElement("p", "hint", "Nothing") : valueList(inner, "name");
}

/**
 * @param {Explanation} explanation
 * @returns {HTMLElement}
 */
function hashes({ encodeType, domainSeparator, structHash }) {
  const rows = [["Type", encodeType], ["Domain separator", domainSeparator], [
    "Hash of the message",
    structHash,
  ]];
  const list = newElement("dl", "facts");
  for (const [name, value] of rows) {
    if (typeof value !== "string") continue;
    list.append(
      newElement(
        "div",
        "fact-wide",
        newElement("dt", "", name ?? ""),
        newElement("dd", "", newElement("code", "", value)),
      ),
    );
  }
  return newElement("details", "", newElement("summary", "", "Type and hashes"), list);
}

/**
 * What would be signed, for a person to read. Typed data is shown from the service's explanation, which is written
 * from the bytes that are hashed; a message as it was typed.
 * @param {Explanation} explanation
 * @param {{ readonly kind: string, readonly message: string }} request
 * @returns {readonly Node[]}
 */
export function explanationNodes(explanation, { kind, message }) {
  if (explanation.domain !== undefined) {
    const { domain, message: tree, primaryType } = explanation;
    return [
      part("For the application", members(domain)),
      ...(tree ? [part(primaryType ?? "Message", members(tree))] : []),
      hashes(explanation),
    ];
  }
  if (kind === "personal_sign") {
    return [part("This text", newElement("div", "message-text", textNode(message)))];
  }
  const words = kind === "raw"
    ? "The Keccak-256 hash of these bytes, blind"
    : "These 32 bytes as they are, blind";
  return [part(words, newElement("div", "message-text", newElement("code", "", message)))];
}
