/** A grammar in ABNF (RFC 5234, RFC 7405), without comments and incremental alternatives. */
export type Grammar = ReadonlyMap<string, Element>;

type Element =
  | { readonly is: "rule"; readonly name: string }
  | { readonly is: "text"; readonly text: string; readonly isCased: boolean }
  | { readonly is: "range"; readonly first: number; readonly last: number }
  | { readonly is: "any"; readonly of: readonly Element[] }
  | { readonly is: "all"; readonly of: readonly Element[] }
  | { readonly is: "repeat"; readonly least: number; readonly most: number; readonly of: Element };

/** Returns a number below the bound. */
export type Draw = (bound: number) => number;

const TOKEN = /%s"[^"]*"|"[^"]*"|%x[0-9A-F]+(?:-[0-9A-F]+)?|\d*\*\d*|\d+|[A-Za-z][A-Za-z0-9-]*|[()[\]/]/g;

/** Reads a rule for each line. A later rule of a name replaces an earlier one. */
export function readGrammar(text: string): Grammar {
  return new Map(
    text.trim().split("\n").map((line) => {
      const [, name, elements] = /^(\S+) = (.+)$/.exec(line)!;
      return [name!, readAny(elements!.match(TOKEN)!)];
    }),
  );
}

function readAny(tokens: string[]): Element {
  const of = [readAll(tokens)];
  while (tokens[0] === "/") {
    tokens.shift();
    of.push(readAll(tokens));
  }
  return of.length === 1 ? of[0]! : { is: "any", of };
}

function readAll(tokens: string[]): Element {
  const of: Element[] = [];
  while (tokens[0] !== undefined && !["/", ")", "]"].includes(tokens[0])) of.push(readRepeated(tokens));
  return { is: "all", of };
}

function readRepeated(tokens: string[]): Element {
  const [, digits, least, most] = /^(?:(\d+)|(\d*)\*(\d*))$/.exec(tokens[0]!) ?? [];
  if (digits === undefined && least === undefined) return readOne(tokens);
  tokens.shift();
  const of = readOne(tokens);
  if (digits !== undefined) return { is: "repeat", least: Number(digits), most: Number(digits), of };
  return { is: "repeat", least: Number(least || 0), most: most === "" ? Infinity : Number(most), of };
}

function readOne(tokens: string[]): Element {
  const token = tokens.shift()!;
  if (token === "(" || token === "[") {
    const of = readAny(tokens);
    tokens.shift();
    return token === "(" ? of : { is: "repeat", least: 0, most: 1, of };
  }
  if (token.startsWith("%x")) {
    const [first, last = first] = token.slice(2).split("-").map((hex) => parseInt(hex, 16));
    return { is: "range", first: first!, last: last! };
  }
  const [, isCased, text] = /^(%s)?"([^"]*)"$/.exec(token) ?? [];
  return text === undefined ? { is: "rule", name: token } : { is: "text", text, isCased: isCased === "%s" };
}

/** Returns a text of the rule. Draws each alternative, and few repetitions. */
export function generate(grammar: Grammar, rule: string, draw: Draw): string {
  const write = (element: Element): string => {
    switch (element.is) {
      case "rule":
        return write(grammar.get(element.name)!);
      case "text":
        return element.text;
      case "range":
        return String.fromCharCode(element.first + draw(element.last - element.first + 1));
      case "any":
        return write(element.of[draw(element.of.length)]!);
      case "all":
        return element.of.map(write).join("");
      case "repeat": {
        const { least, most, of } = element;
        const length = Math.min(most, least + draw(4));
        return Array.from({ length }, () => write(of)).join("");
      }
    }
  };
  return write({ is: "rule", name: rule });
}

/** Returns true if the whole text is one of the rule. Follows all alternatives at once. */
export function matches(grammar: Grammar, rule: string, text: string): boolean {
  const seen = new Map<Element, Map<number, ReadonlySet<number>>>();
  const ends = (element: Element, at: number): ReadonlySet<number> => {
    const known = seen.get(element) ?? new Map<number, ReadonlySet<number>>();
    seen.set(element, known);
    const found = known.get(at) ?? find(element, at);
    known.set(at, found);
    return found;
  };
  const find = (element: Element, at: number): ReadonlySet<number> => {
    switch (element.is) {
      case "rule":
        return ends(grammar.get(element.name)!, at);
      case "text": {
        const given = text.slice(at, at + element.text.length);
        const isSame = element.isCased
          ? given === element.text
          : given.toLowerCase() === element.text.toLowerCase();
        return new Set(isSame ? [at + given.length] : []);
      }
      case "range": {
        const code = text.charCodeAt(at);
        return new Set(code >= element.first && code <= element.last ? [at + 1] : []);
      }
      case "any":
        return new Set(element.of.flatMap((one) => [...ends(one, at)]));
      case "all":
        return element.of.reduce<ReadonlySet<number>>(
          (starts, one) => new Set([...starts].flatMap((start) => [...ends(one, start)])),
          new Set([at]),
        );
      case "repeat": {
        const found = new Set<number>();
        let starts: ReadonlySet<number> = new Set([at]);
        for (let count = 0; count <= element.most && starts.size > 0; count++) {
          if (count >= element.least) {
            starts = new Set([...starts].filter((start) => !found.has(start)));
            for (const start of starts) found.add(start);
          }
          starts = new Set([...starts].flatMap((start) => [...ends(element.of, start)]));
        }
        return found;
      }
    }
  };
  return ends({ is: "rule", name: rule }, 0).has(text.length);
}
