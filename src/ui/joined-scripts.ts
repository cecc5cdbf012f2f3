/** A module by its file's name and its text. */
export type ScriptModule = readonly [name: string, text: string];

/** `import { a, b } from "./name.client.js";`, in one line: the one form that the browser's modules use. */
const IMPORT = /^import \{ ([\w, ]+) \} from "\.\/([\w.-]+)";\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;
/** What is left of a module that imports or exports in another form. */
const OTHER_FORM = /^(?:import|export)\b/m;
/** Lines that are nothing but comment: a third of what would be sent, and for nobody who runs it. */
const COMMENTS = /^ *(?:\/\/.*|\/\*(?:(?!\*\/)[^])*\*\/) *\n/gm;
/** A template that goes on in the next line, where what looks like a comment might be a part of it. */
const LONG_TEMPLATE = /^[^`\n]*(?:`[^`\n]*`[^`\n]*)*`[^`\n]*$/m;

/** A module as part of a script: a function's body that answers what it exports. */
interface Part {
  readonly needs: readonly string[];
  readonly text: string;
}

/**
 * For each module that no other imports, one script that does what the module does when it is loaded with all that it
 * imports: as much as one request brings. The parts stand in the order in which they need each other, each in a scope
 * of its own and but for its imports, exports and lines of comment as it was written; before them stands what `preface`
 * makes of their names. Throws SyntaxError for a module that imports or exports in a form that is not read here, or has
 * a template of several lines, RangeError for one that imports what is not among the modules, or in a circle.
 */
export function joinScripts(
  modules: readonly ScriptModule[],
  preface: (parts: readonly string[]) => string = () => "",
): readonly ScriptModule[] {
  const parts = new Map(modules.map(([name, text]) => [name, toPart(name, text)]));
  const imported = new Set([...parts.values()].flatMap(({ needs }) => needs));
  return modules.flatMap(([name]) => {
    if (imported.has(name)) return [];
    const order = inOrder(name, parts);
    return [[name, preface(order) + order.map((part) => parts.get(part)!.text).join("")] as const];
  });
}

/** The module and all that it needs, each after what it needs itself. */
function inOrder(entry: string, parts: ReadonlyMap<string, Part>): readonly string[] {
  const order = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (order.has(name)) return;
    const part = parts.get(name);
    if (part === undefined) throw new RangeError(`Cannot join scripts: no module ${name}`);
    if (path.includes(name)) throw new RangeError(`Cannot join scripts: ${name} imports itself`);
    for (const needed of part.needs) visit(needed, [...path, name]);
    order.add(name);
  };
  visit(entry, []);
  return [...order];
}

function toPart(name: string, text: string): Part {
  const needs = [...text.matchAll(IMPORT)].map(([, , needed]) => needed!);
  const exported = [...text.matchAll(EXPORT)].map(([, local]) => local!);
  const body = text
    .replace(COMMENTS, "")
    .replace(IMPORT, (_, names: string, from: string) => `const { ${names} } = ${scopeOf(from)};\n`)
    .replace(EXPORT, "");
  if (OTHER_FORM.test(body)) {
    throw new SyntaxError(`Cannot join scripts: a form of import or export in ${name}`);
  }
  if (LONG_TEMPLATE.test(body)) {
    throw new SyntaxError(`Cannot join scripts: a template of several lines in ${name}`);
  }
  return {
    needs,
    text: `const ${scopeOf(name)} = (() => {\n${body}return { ${exported.join(", ")} };\n})();\n`,
  };
}

/** The name that a module's exports have in a joined script: `sign-in.client.js` is `$sign_in`. */
function scopeOf(name: string): string {
  return `$${name.slice(0, name.indexOf(".")).replaceAll("-", "_")}`;
}
