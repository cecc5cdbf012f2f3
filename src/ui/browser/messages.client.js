// @ts-check

/**
 * Returns the messages of a module in the page's language. They are served before the modules. Tests set them after
 * importing a module, so modules must call this in functions only.
 * @template {keyof ScriptMessages} N
 * @param {N} script
 * @returns {ScriptMessages[N]}
 */
export function messagesOf(script) {
  return /** @type {typeof globalThis & { messages: ScriptMessages }} */ (globalThis).messages[script];
}

/**
 * Replaces the `{places}` of a sentence.
 * @param {string} sentence
 * @param {Readonly<Record<string, string | number>>} values
 * @returns {string}
 */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/**
 * Returns the singular or plural sentence, with the number in its `{count}`.
 * @param {{ readonly one: string, readonly other: string }} sentences
 * @param {number} count
 * @returns {string}
 */
export function fillCount(sentences, count) {
  const rule = new Intl.PluralRules(document.documentElement.lang).select(count);
  return fill(rule === "one" ? sentences.one : sentences.other, { count });
}
