// @ts-check
import { newElement } from "./dom.client.js";
import { readableNodes } from "./readable-nodes.client.js";
import { fill, wordsOf } from "./words.client.js";

/**
 * @typedef {import("./api.client.js").ExplainedValue} ExplainedValue
 * @typedef {import("./api.client.js").Explanation} Explanation
 * @typedef {import("./api.client.js").ExplainedTypedData} ExplainedTypedData
 */

/**
 * A text as it is signed, with the characters that could not be seen made visible.
 * @param {string} text
 * @returns {HTMLElement}
 */
function textNode(text) {
  const element = newElement("bdi", "signed-text", ...readableNodes(text));
  if (text === "") element.append(newElement("span", "unseen", wordsOf("explanation").empty));
  return element;
}

/**
 * @param {ExplainedValue} value
 * @returns {HTMLElement}
 */
function leafNode({ type, value }) {
  if (value === null) return newElement("span", "unseen", wordsOf("explanation").absent);
  if (type === "string") return textNode(String(value));
  return newElement("code", "", String(value));
}

/**
 * What an item of a list is called.
 * @param {number} index
 */
function numbered(index) {
  return fill(wordsOf("explanation").number, { number: index + 1 });
}

/**
 * One value and, below it, what it holds.
 * @param {ExplainedValue} explained
 * @param {"name" | "number"} naming
 * @returns {HTMLLIElement}
 */
function valueItem(explained, naming) {
  const name = naming === "name" ? explained.name : numbered(Number(explained.name));
  const head = [
    newElement("span", "tree-name", newElement("bdi", "", name)),
    " ",
    newElement("span", "tree-type", newElement("bdi", "", explained.type)),
  ];
  const inner = explained.members ?? explained.items;
  if (inner === undefined) return newElement("li", "", ...head, " ", leafNode(explained));
  if (inner.length === 0) {
    return newElement("li", "", ...head, " ", newElement("span", "unseen", wordsOf("explanation").empty));
  }
  return newElement("li", "", ...head, valueList(inner, explained.items === undefined ? "name" : "number"));
}

/** How many items of a list are shown before somebody asks for all. */
const SHOWN = 20;

/**
 * A list of which the first items are shown; the others are made when somebody asks for them.
 * @template T
 * @param {readonly T[]} values
 * @param {(value: T, index: number) => HTMLLIElement} toItem
 * @returns {HTMLUListElement}
 */
function foldedList(values, toItem) {
  const list = newElement("ul", "tree", ...values.slice(0, SHOWN).map(toItem));
  if (values.length <= SHOWN) return list;
  const button = newElement(
    "button",
    "button small",
    fill(wordsOf("explanation").showAll, { count: values.length }),
  );
  button.type = "button";
  const item = newElement("li", "", button);
  button.addEventListener("click", () => {
    const rest = values.slice(SHOWN).map((value, index) => toItem(value, SHOWN + index));
    item.replaceWith(...rest);
    // The button is gone: whoever pressed it by keyboard reads on here.
    const first = rest[0];
    if (first !== undefined) {
      first.tabIndex = -1;
      first.focus();
    }
  });
  list.append(item);
  return list;
}

/**
 * @param {readonly ExplainedValue[]} values
 * @param {"name" | "number"} naming
 * @returns {HTMLUListElement}
 */
function valueList(values, naming) {
  return foldedList(values, (value) => valueItem(value, naming));
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
  return inner.length === 0
    ? newElement("p", "hint", wordsOf("explanation").nothing)
    : valueList(inner, "name");
}

/**
 * Values that belong to what is shown, and that few people read.
 * @param {string} title
 * @param {readonly (readonly [name: string, value: string | null])[]} rows
 * @returns {HTMLElement}
 */
function details(title, rows) {
  const list = newElement("dl", "facts");
  for (const [name, value] of rows) {
    if (value === null) continue;
    list.append(
      newElement(
        "div",
        "fact-wide",
        newElement("dt", "", name),
        newElement("dd", "", newElement("code", "", value)),
      ),
    );
  }
  return newElement("details", "", newElement("summary", "", title), list);
}

/**
 * @param {ExplainedTypedData} explanation
 * @returns {readonly Node[]}
 */
function typedDataNodes({ domain, message, primaryType, encodeType, domainSeparator, structHash }) {
  const words = wordsOf("explanation");
  return [
    part(words.forApplication, members(domain)),
    ...(message ? [part(primaryType, members(message))] : []),
    details(words.typeAndHashes, [
      [words.type, encodeType],
      [words.domainSeparator, domainSeparator],
      [words.messageHash, structHash],
    ]),
  ];
}

/**
 * A value of a transaction under its name, and below it what it holds.
 * @param {string} name
 * @param {unknown} value
 * @returns {HTMLLIElement}
 */
function jsonItem(name, value) {
  const head = newElement("span", "tree-name", newElement("bdi", "", name));
  if (value === null) {
    return newElement("li", "", head, " ", newElement("span", "unseen", wordsOf("explanation").absent));
  }
  if (typeof value !== "object") {
    return newElement("li", "", head, " ", newElement("code", "", String(value)));
  }
  /** @type {readonly (readonly [name: string, member: unknown])[]} */
  const inner = Array.isArray(value)
    ? value.map((item, index) => [numbered(index), item])
    : Object.entries(value);
  if (inner.length === 0) return newElement("li", "", head, ` ${wordsOf("explanation").none}`);
  return newElement("li", "", head, foldedList(inner, ([name, member]) => jsonItem(name, member)));
}

/**
 * @param {string} title
 * @param {Readonly<Record<string, unknown>>} values
 * @returns {HTMLElement}
 */
function jsonPart(title, values) {
  const items = Object.entries(values).map(([name, value]) => jsonItem(name, value));
  return part(title, newElement("ul", "tree", ...items));
}

/**
 * What would be signed, for a person to read. Typed data, transactions and authorizations are shown from the service's
 * explanation, which is written from the bytes that are hashed; a message as it was typed.
 * @param {Explanation} explanation
 * @param {{ readonly kind: string, readonly message: string }} request
 * @returns {readonly Node[]}
 */
export function explanationNodes(explanation, { kind, message }) {
  if (explanation.kind === "typed_data") return typedDataNodes(explanation);
  const words = wordsOf("explanation");
  if (explanation.kind === "authorization") return [jsonPart(words.authorization, explanation.authorization)];
  if (explanation.kind === "transaction") {
    const { transaction, unsigned, maximumFee } = explanation;
    const rows = /** @type {const} */ ([[words.unsigned, unsigned], [words.gasMost, maximumFee]]);
    return [jsonPart(words.transaction, transaction), details(words.bytesAndCost, rows)];
  }
  const text = kind === "personal_sign" ? textNode(message) : newElement("code", "", message);
  /** @type {Readonly<Record<string, string>>} */
  const titles = words.messages;
  return [part(titles[kind] ?? "", newElement("div", "message-text", text))];
}
