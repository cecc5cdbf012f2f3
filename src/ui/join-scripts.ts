export type ScriptModule = readonly [name: string, text: string];

export interface JoinedScript {
  readonly parts: readonly string[];
  readonly text: string;
}

/** `import { a, b } from "../folder/name.client.js";`: the only form of import in browser modules. */
const IMPORT = /^import \{([\w,\s]+)\} from "\.{1,2}\/(?:[\w./-]+\/)?([\w.-]+)";\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;
/** Matches imports and exports in another form, which remain after the replacement. */
const OTHER_FORM = /^(?:import|export)\b/m;
/** Comment lines, a third of the bytes. */
const COMMENTS = /^ *(?:\/\/.*|\/\*(?:(?!\*\/)[^])*\*\/) *\n/gm;
/** A template of several lines, in which a line could look like a comment. */
const LONG_TEMPLATE = /^[^`\n]*(?:`[^`\n]*`[^`\n]*)*`[^`\n]*$/m;

/** A module as a function body that returns its exports. */
interface Part {
  readonly needs: readonly string[];
  readonly text: string;
}

/**
 * Joins a module and everything it imports into one script, with the same effect as loading the module. The modules are
 * in dependency order, each in its own scope. Removes imports, exports and comment lines. Modules are resolved by the
 * last segment of the import's path, so their names must be unique. Throws SyntaxError for other forms of import or
 * export, and for a template of several lines. Throws RangeError if a module is missing, has the name of another, or
 * imports itself.
 */
export function joinScript(entry: string, modules: readonly ScriptModule[]): JoinedScript {
  const texts = new Map(modules);
  if (texts.size < modules.length) {
    throw new RangeError(`Cannot join ${entry}: two modules have the same name`);
  }
  const parts = new Map<string, string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (parts.has(name)) return;
    const source = texts.get(name);
    if (source === undefined) throw new RangeError(`Cannot join scripts: no module ${name}`);
    if (path.includes(name)) throw new RangeError(`Cannot join scripts: ${name} imports itself`);
    const { needs, text } = toPart(name, source);
    for (const needed of needs) visit(needed, [...path, name]);
    parts.set(name, text);
  };
  visit(entry, []);
  return { parts: [...parts.keys()], text: [...parts.values()].join("") };
}

function toPart(name: string, text: string): Part {
  const needs = [...text.matchAll(IMPORT)].map(([, , needed]) => needed!);
  const exported = [...text.matchAll(EXPORT)].map(([, local]) => local!);
  const body = text
    .replace(COMMENTS, "")
    .replace(IMPORT, (_, names: string, from: string) => `const {${names}} = ${scopeOf(from)};\n`)
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

/** Returns the variable of a module's exports in a joined script: `$sign_in` for `sign-in.client.js`. */
function scopeOf(name: string): string {
  return `$${name.slice(0, name.indexOf(".")).replaceAll("-", "_")}`;
}
