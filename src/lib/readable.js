// @ts-check

/**
 * Characters that show nothing or change how others show. These are controls, format characters (including
 * bidirectional overrides), lone surrogates, separators, unusual spaces, fillers, variation selectors and private use.
 * Excludes line feed, tab, and a joiner or selector after a pictograph, which is part of an emoji.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)[\u200D\uFE0F]|(?![\n\t\u200D\uFE0F \u3000])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu;

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Left-to-right text. Next to right-to-left letters its digits would change places. */
const LEFT_TO_RIGHT = /[!-~]+(?: +[!-~]+)*/g;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Scripts whose letters resemble those of another script in the list. */
const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map((name) =>
  new RegExp(`\\p{Script=${name}}`, "u")
);

/** Letters outside ASCII that look like one of ASCII (from the confusables of UTS #39). */
const ALIKE =
  /[ıɑɡɩɪǀʟɴ]|[аӓвеёѕіїјӏһԁԛԝорсухѵгкмтпАВЕЅІЈКМНОРСТУХҮ]|[αικνορτυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[օոսցհզյՕՍԼ]|[ᎠᎡᎢᎥᎪᎫᎬᎳᎵᎷᎻᎾᏀᏂᏃᏔᏙᏚᏞᏟᏢᏦᏧᏴ]|[ⲟⲣⲥⲭⲞⲢⲤ]|[ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ]/u;

/** Marks that resemble those of web addresses, after a letter or digit. */
const MARK = /(?<=[0-9A-Za-z])[⁄∕⧸․∶꞉։．／：＠]/gu;

/** @typedef {{ readonly kind: "text" | "unseen" | "alike" | "isolated", readonly text: string }} ReadablePart */

/**
 * Finds look-alikes: letters of a second script in one word, words made only of letters that look like ASCII's, and
 * letters, digits and marks of ASCII in another shape.
 * @param {string} text
 * @returns {ReadonlySet<number>} their indexes
 */
function lookAlikes(text) {
  /** @type {Set<number>} */
  const found = new Set();
  if (/^[\0-\x7F]*$/.test(text)) return found;
  for (const { index } of text.matchAll(MARK)) found.add(index);
  const plainScripts = scriptsOfOtherLetters(text);
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (/^[\0-\x7F]*$/.test(word)) continue;
    const scripts = SCRIPTS.filter((script) => script.test(word));
    const isMixed = scripts.length > 1;
    const isDisguise = [...word].every((letter) => ALIKE.test(letter) || /[0-9\p{M}]/u.test(letter)) &&
      (/[^\0-\x7F]{4}/u.test(word) || !scripts.some((script) => plainScripts.has(script)));
    const hasAscii = /[0-9A-Za-z]/.test(word);
    let at = index;
    for (const letter of word) {
      const isForeign = letter > "\x7F" && /\p{L}/u.test(letter) && !/\p{Script=Latin}/u.test(letter);
      if (isForeign && (isMixed || isDisguise)) found.add(at);
      else if (isShape(letter) || (letter > "\x7F" && hasAscii && /\p{Nd}/u.test(letter))) found.add(at);
      else if (letter > "\x7F" && /\p{Script=Latin}/u.test(letter) && ALIKE.test(letter)) found.add(at);
      at += letter.length;
    }
  }
  return found;
}

/**
 * Returns the scripts of which a text has letters that look like nothing in ASCII.
 * @param {string} text
 * @returns {ReadonlySet<RegExp>}
 */
function scriptsOfOtherLetters(text) {
  /** @type {Set<RegExp>} */
  const found = new Set();
  for (const letter of new Set(text.match(/[^\0-\x7F]/gu))) {
    if (ALIKE.test(letter)) continue;
    for (const script of SCRIPTS) if (script.test(letter)) found.add(script);
  }
  return found;
}

/**
 * Returns true for an ASCII letter or digit in another shape: full width, mathematical, Roman numeral.
 * @param {string} letter
 */
function isShape(letter) {
  return letter > "\xFF" && /^[\0-\x7F]+$/.test(letter.normalize("NFKC"));
}

/** @param {string} character */
function codePointName(character) {
  const codePoint = /** @type {number} */ (character.codePointAt(0));
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Splits a text so that a person sees all of it, in its order. `unseen` parts are code points of invisible characters.
 * `alike` parts are the code point of the preceding look-alike. `isolated` parts must be shown from left to right in a
 * right-to-left text. All other parts are the text itself.
 * @param {string} text
 * @returns {readonly ReadablePart[]}
 */
export function readableParts(text) {
  /** @type {{ at: number, length: number, part: ReadablePart }[]} */
  const special = [];
  for (const match of text.matchAll(UNSEEN)) {
    special.push({
      at: match.index,
      length: match[0].length,
      part: { kind: "unseen", text: codePointName(match[0]) },
    });
  }
  for (const at of lookAlikes(text)) {
    const character = String.fromCodePoint(/** @type {number} */ (text.codePointAt(at)));
    special.push({
      at: at + character.length,
      length: 0,
      part: { kind: "alike", text: codePointName(character) },
    });
  }
  special.sort((a, b) => a.at - b.at || a.length - b.length);
  const isolating = RIGHT_TO_LEFT.test(text);
  /** @type {ReadablePart[]} */
  const parts = [];
  let from = 0;
  for (const { at, length, part } of special) {
    pushText(parts, text.slice(from, at), isolating);
    parts.push(part);
    from = at + length;
  }
  pushText(parts, text.slice(from), isolating);
  return parts;
}

/**
 * @param {ReadablePart[]} parts
 * @param {string} text
 * @param {boolean} isolating
 */
function pushText(parts, text, isolating) {
  let from = 0;
  for (const match of isolating ? text.matchAll(LEFT_TO_RIGHT) : []) {
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    parts.push({ kind: "isolated", text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
}
