/** Replaces fenced code and HTML comments by empty lines, so that line numbers stay. */
export function withoutCode(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]+/g, "");
  return text.replace(/^( *)(```+|~~~+)[^]*?^\1\2 *$/gm, blank).replace(/<!--[^]*?-->/g, blank);
}

/** Returns the text that a reader sees: links by their text, code spans as one word. */
function toPlainText(markdown: string): string {
  return markdown
    .replace(/(`+)[^]*?\1/g, "code")
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<[^>]+>/g, "")
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, "");
}

/** Returns the ids that GitHub gives the headings of a page, and those that the page sets itself. */
export function listAnchors(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const page = withoutCode(text);
  for (const [, heading] of page.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading!
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    let id = slug;
    for (let again = 1; found.has(id); again++) id = `${slug}-${again}`;
    found.add(id);
  }
  for (const [, id] of page.matchAll(/<a (?:id|name)="([^"]+)"/g)) found.add(id!);
  return found;
}

export interface PageLink {
  readonly line: number;
  readonly target: string;
}

/** Returns the links and pictures of a page that lead to no other host. */
export function listLinks(text: string): readonly PageLink[] {
  const page = withoutCode(text).replace(/(`+)[^]*?\1/g, (span) => span.replace(/[^\n]/g, "x"));
  const links = page.matchAll(/\]\(\s*<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]: +(\S+)|(?:href|src)="([^"]+)"/gm);
  return [...links]
    .map((match) => ({
      line: page.slice(0, match.index).split("\n").length,
      target: (match[1] ?? match[2] ?? match[3])!,
    }))
    .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/** Returns each paragraph, list item, heading and table cell, with the line that it begins in. */
function* listBlocks(text: string): Generator<{ readonly line: number; readonly text: string }> {
  let block: { line: number; text: string } | undefined;
  for (const [index, raw] of withoutCode(text).split("\n").entries()) {
    const line = raw.replace(/^[ >]+/, "");
    const begins = /^(?:#+|[-*+]|\d+\.) |^\|/.test(line);
    if (block !== undefined && (begins || line === "")) {
      yield block;
      block = undefined;
    }
    if (line.startsWith("|")) {
      const cells = line.replace(/(`+).*?\1/g, "code").split(/(?<!\\)\|/);
      for (const cell of cells) yield { line: index + 1, text: cell };
    } else if (line !== "") {
      block ??= { line: index + 1, text: "" };
      block.text += ` ${line.replace(/^(?:#+|[-*+]|\d+\.) /, "")}`;
      if (/^#/.test(line)) {
        yield block;
        block = undefined;
      }
    }
  }
  if (block !== undefined) yield block;
}

export interface PageSentence {
  readonly line: number;
  readonly text: string;
  readonly words: number;
}

/** Returns the sentences of a page without its code. A table cell and a list item end a sentence. */
export function listSentences(text: string): readonly PageSentence[] {
  return [...listBlocks(text)].flatMap((block) =>
    toPlainText(block.text)
      .split(/(?<=[.!?][)"”]?)\s+(?=\S)/)
      .map((sentence) => ({
        line: block.line,
        text: sentence.trim(),
        words: sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
      }))
  );
}
