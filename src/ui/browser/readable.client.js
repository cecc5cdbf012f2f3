// @ts-check

/**
 * Characters that show nothing, or that change how others are shown: controls, format characters (bidirectional
 * overrides among them), lone surrogates, separators, fillers, variation selectors. Line feed and tab are shown as they
 * are; a joiner or selector after a pictograph is part of an emoji.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)[\u200D\uFE0F]|(?![\n\t\u200D\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Splits a text so that a person sees all of it: `unseen` parts are the code points of characters that could not be
 * seen or would disguise others.
 * @param {string} text
 * @returns {readonly { readonly kind: "text" | "unseen", readonly text: string }[]}
 */
export function readableParts(text) {
  /** @type {{ kind: "text" | "unseen", text: string }[]} */
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    const codePoint = /** @type {number} */ (match[0].codePointAt(0));
    parts.push({ kind: "unseen", text: `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}` });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}
