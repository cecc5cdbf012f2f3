// @ts-check

/** @typedef {import("../words/words.ts").Words["scripts"]} ScriptWords */

/**
 * What a script says, in the page's language: it stands before the modules where they are served. Tests bring it, so
 * modules that they import call this in functions only.
 * @template {keyof ScriptWords} N
 * @param {N} script
 * @returns {ScriptWords[N]}
 */
export function wordsOf(script) {
  return /** @type {typeof globalThis & { words: ScriptWords }} */ (globalThis).words[script];
}

/**
 * A sentence with what stands in its `{places}`.
 * @param {string} sentence
 * @param {Readonly<Record<string, string | number>>} values
 * @returns {string}
 */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/**
 * The same with nodes in its places.
 * @param {string} sentence
 * @param {Readonly<Record<string, Node | string>>} values
 * @returns {readonly (Node | string)[]}
 */
export function fillNodes(sentence, values) {
  return sentence.split(/(\{\w+\})/).filter((part) => part !== "")
    .map((part) => values[/^\{(\w+)\}$/.exec(part)?.[1] ?? ""] ?? part);
}

/**
 * The sentence for so many, with the number in its `{count}`.
 * @param {{ readonly one: string, readonly other: string }} sentences
 * @param {number} count
 * @returns {string}
 */
export function fillCount(sentences, count) {
  const rule = new Intl.PluralRules(document.documentElement.lang).select(count);
  return fill(rule === "one" ? sentences.one : sentences.other, { count });
}
