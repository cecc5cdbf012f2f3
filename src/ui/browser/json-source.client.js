// @ts-check

/** The tokens of JSON text (RFC 8259 section 2): a string, a structural character, or another literal. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** @typedef {{ readonly name: string, readonly source: string }} SourceMember */

/** @param {string} text @returns {unknown} undefined if the text is invalid */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the source texts between the commas of an object or array, each with the text before its colon.
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
 * Returns the members of a JSON object with the source text of their values. Parsing and writing them again would
 * round numbers beyond 2^53 and let the last of two members win. Returns undefined if the text is no object or repeats
 * a member.
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
 * Returns the source texts of the items of a JSON array. Returns undefined if the text is no array.
 * @param {string} text
 * @returns {readonly string[] | undefined}
 */
export function arrayItems(text) {
  return Array.isArray(parseJson(text)) ? partsOf(text).map(({ source }) => source) : undefined;
}
