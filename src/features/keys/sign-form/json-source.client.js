// @ts-check

/** What JSON text consists of (RFC 8259 section 2): a string, a mark, or another literal. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** @typedef {{ readonly name: string, readonly source: string }} SourceMember */

/**
 * The value of JSON text; undefined for a text that is none.
 * @param {string} text
 * @returns {unknown}
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The parts of an object or array between its commas, each as it is written, with what stands before its colon.
 * @param {string} text JSON text
 * @returns {readonly { readonly before: string, readonly source: string }[]}
 */
function partsOf(text) {
  /** @type {{ before: string, source: string }[]} */
  const parts = [];
  let depth = 0;
  let start = 0;
  let before = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isEnd = token === "}" || token === "]";
    if (depth === 1 && (isEnd || token === ",")) {
      const source = text.slice(start, index).trim();
      if (source !== "") parts.push({ before, source });
      start = index + 1;
    }
    if (depth === 1 && token === ":") {
      before = text.slice(start, index).trim();
      start = index + 1;
    }
    if (isEnd) depth--;
    if (token !== "{" && token !== "[") continue;
    if (depth === 0) start = index + 1;
    depth++;
  }
  return parts;
}

/**
 * The members of a JSON object, their values as they are written: reading and writing them again would round numbers
 * beyond 2^53 and let the last of two members win. Undefined for what is no object, or has a member twice.
 * @param {string} text
 * @returns {readonly SourceMember[] | undefined}
 */
export function objectMembers(text) {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const members = partsOf(text).map(({ before, source }) => ({ name: String(JSON.parse(before)), source }));
  return new Set(members.map(({ name }) => name)).size === members.length ? members : undefined;
}

/**
 * The items of a JSON array as they are written; undefined for what is none.
 * @param {string} text
 * @returns {readonly string[] | undefined}
 */
export function arrayItems(text) {
  return Array.isArray(parseJson(text)) ? partsOf(text).map(({ source }) => source) : undefined;
}
