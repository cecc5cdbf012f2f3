/** A literal of a source: a string, or all chunks of a template with `HOLE` between them. */
export interface Literal {
  readonly text: string;
  /** The tag of a template; undefined for strings and for templates without one. */
  readonly tag: string | undefined;
  /** The source before it, without comments. */
  readonly before: string;
  /** If it is inside a hole of a template: the text of that template before the hole. */
  readonly around: string;
  readonly line: number;
}

/** The placeholder for a hole of a template. */
export const HOLE = "\0";

/** The source after which a slash begins a regular expression. */
const BEFORE_REGEX = /(?:^|[([{,;:=!&|?+>]|\breturn|\btypeof)\s*$/;

/** The length of the kept source before a literal, in characters. */
const CONTEXT = 120;

/**
 * Returns every string and template of a JavaScript or TypeScript source, including those in holes of templates. Reads
 * the formatter's output, not every valid program.
 */
export function literalsOf(source: string): readonly Literal[] {
  const found: Literal[] = [];
  let at = 0;
  let code = "";

  const lineAt = (index: number): number => source.slice(0, index).split("\n").length;
  const note = (text: string, start: number, around: string, tag?: string): void => {
    found.push({ text, tag, before: code.slice(-CONTEXT), around, line: lineAt(start) });
  };

  function skipTo(end: string): void {
    const index = source.indexOf(end, at);
    at = index < 0 ? source.length : index + end.length;
  }

  function readString(around: string): void {
    const start = at;
    const quote = source[at++];
    let text = "";
    while (at < source.length && source[at] !== quote) text += source[at] === "\\" ? escaped() : source[at++];
    at++;
    note(text, start, around);
    code += '""';
  }

  function escaped(): string {
    at += 2;
    return source[at - 1] === "n" ? "\n" : source[at - 1]!;
  }

  function readTemplate(around: string): void {
    const start = at++;
    const tag = /(\w+)$/.exec(code)?.[1];
    const outer = code;
    let text = "";
    while (at < source.length && source[at] !== "`") {
      if (source.startsWith("${", at)) {
        at += 2;
        code = "(";
        readCode("}", text);
        text += HOLE;
      } else text += source[at] === "\\" ? escaped() : source[at++];
    }
    at++;
    code = outer;
    note(text, start, around, tag === "return" ? undefined : tag);
    code += "``";
  }

  function readRegex(): void {
    let isClass = false;
    for (at++; at < source.length && (isClass || source[at] !== "/"); at++) {
      if (source[at] === "\\") at++;
      else if (source[at] === "[") isClass = true;
      else if (source[at] === "]") isClass = false;
    }
    at++;
    code += "/re/";
  }

  /** Reads up to the bracket that ends this part. */
  function readCode(end: string | undefined, around: string): void {
    let depth = 0;
    while (at < source.length) {
      const character = source[at]!;
      if (source.startsWith("//", at)) skipTo("\n");
      else if (source.startsWith("/*", at)) skipTo("*/");
      else if (character === '"' || character === "'") readString(around);
      else if (character === "`") readTemplate(around);
      else if (character === "/" && BEFORE_REGEX.test(code)) readRegex();
      else {
        at++;
        if (character === end && depth === 0) return;
        if (character === "{") depth++;
        if (character === "}") depth--;
        code += character;
      }
    }
  }

  readCode(undefined, "");
  return found;
}
