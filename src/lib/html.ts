import { memoizePerObject } from "./memoize.ts";

/** Text that is safe HTML. Only the `html` tag creates it. */
export class Html {
  readonly #text: string;

  /** For the `html` tag: the text must be trusted. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in a template of the `html` tag. `undefined`, `null` and `false` print nothing. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(render).join("");
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Returns the texts of a template without the indentation of the source, a tenth of a page. */
const unindented = memoizePerObject((strings: TemplateStringsArray): readonly string[] =>
  strings.map((text) => text.replace(/\n +/g, "\n"))
);

/** Escapes every value unless it is `Html`. Attribute values must be quoted in the template. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const texts = unindented(strings);
  let text = texts[0]!;
  for (let index = 0; index < values.length; index++) text += render(values[index]) + texts[index + 1]!;
  return new Html(text);
}
