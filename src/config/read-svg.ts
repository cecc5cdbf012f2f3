/** The elements of a drawing. None of them runs a script, loads a file or leads elsewhere. */
const ELEMENTS: ReadonlySet<string> = new Set(
  ("svg g defs symbol use title desc path rect circle ellipse line polyline polygon " +
    "linearGradient radialGradient stop clipPath mask pattern").split(" "),
);

/** Elements with text: the name of a drawing for people who do not see it. */
const WITH_TEXT: ReadonlySet<string> = new Set(["title", "desc"]);

/** Functions in attribute values: transforms and colours. `url` may only name an element of the file. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  "matrix translate scale rotate skewX skewY rgb rgba hsl hsla url".split(" "),
);

const NAMESPACES: Readonly<Record<string, string>> = {
  "xmlns": "http://www.w3.org/2000/svg",
  "xmlns:xlink": "http://www.w3.org/1999/xlink",
};

/** A declaration, comment, tag or text (XML 1.0 sections 2.5, 2.8 and 3.1). Does not match anything else. */
const TOKEN =
  /^<\?xml\s+version=["']1\.0["'](?:\s+encoding=["'][Uu][Tt][Ff]-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>|<!--(?:(?!--)[^])*-->|<(\/?)([A-Za-z:]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Checks that a file is one SVG drawing of plain shapes. Returns a sentence's end that says what is wrong; undefined if
 * nothing is. Accepts a list of elements without scripts, styles, links, animations, text and embedded files, no
 * document type, no character references outside of titles, and references to elements of the same file only. Does not
 * check the values of attributes any further.
 */
export function readSvg(text: string): string | undefined {
  const open: string[] = [];
  let roots = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) return "it is neither a PNG nor a well-formed SVG without a document type";
    const [, end, name, attributes = "", empty, content] = match;
    if (content !== undefined && content.trim() !== "" && !WITH_TEXT.has(open.at(-1) ?? "")) {
      return "an SVG must have no text outside of its title and description";
    }
    if (name === undefined) continue;
    if (end === "/") {
      if (open.pop() !== name || attributes !== "") return "it is not a well-formed SVG";
      continue;
    }
    if (open.length === 0 && (name !== "svg" || ++roots > 1)) return "it must be one svg element";
    const fault = ELEMENTS.has(name)
      ? findAttributeFault(attributes)
      : `an SVG must not have the element ${name}`;
    if (fault !== undefined) return fault;
    if (open.length === 0 && !/\sxmlns\s*=/.test(attributes)) {
      return "its svg element must have the attribute xmlns";
    }
    if (empty !== "/") open.push(name);
  }
  return roots === 1 && open.length === 0 ? undefined : "it is not a whole SVG";
}

function findAttributeFault(attributes: string): string | undefined {
  const names = new Set<string>();
  for (const [, name, double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? "";
    if (names.has(name!)) return `it has an element with two attributes ${name}`;
    names.add(name!);
    if (/^on/i.test(name!)) return `an SVG must not have the attribute ${name}`;
    if (name === "style") return "an SVG must have attributes such as fill in place of the attribute style";
    if (name!.startsWith("xmlns")) {
      if (NAMESPACES[name!] !== value) return `an SVG must not have the attribute ${name} with this value`;
    } else if (!isOwn(name!, value)) {
      return `the attribute ${name} may refer only to elements of the file, as #name`;
    }
  }
  return undefined;
}

/** Returns true if a value refers to nothing outside of the file. */
function isOwn(name: string, value: string): boolean {
  if (/[&\\]/.test(value)) return false;
  if (/(?:^|:)(?:href|src|base)$/i.test(name)) return /^#[\w.-]+$/.test(value);
  const functions = [...value.matchAll(/([\w-]*)\s*\(\s*(["']?)([^)]?)/g)];
  return functions.every(([, called, , first]) =>
    FUNCTIONS.has(called!) && (called !== "url" || first === "#")
  );
}
