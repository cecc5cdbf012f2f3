/** A module by its file's name and its text. */
export type ScriptModule = readonly [name: string, text: string];

/** A script and the names of the modules that it is joined of. */
export interface JoinedScript {
  readonly parts: readonly string[];
  readonly text: string;
}

/** `import { a, b } from "../folder/name.client.js";`: the one form of import that browser modules use. */
const IMPORT = /^import \{([\w,\s]+)\} from "\.{1,2}\/(?:[\w./-]+\/)?([\w.-]+)";\n/gm;
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
 * Joins a module with all modules that it imports to one script, which does what the module does when it is loaded. The
 * parts stand in the order in which they need each other, each in a scope of its own. Imports, exports and lines of
 * comment are removed. Modules are found by the last part of the import's path, so their names must be unique.
 * Throws SyntaxError if a needed module imports or exports in another form, or has a template of several lines. Throws
 * RangeError if a module is missing, has the name of another, or imports itself.
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

/** The name that a module's exports have in a joined script: `sign-in.client.js` is `$sign_in`. */
function scopeOf(name: string): string {
  return `$${name.slice(0, name.indexOf(".")).replaceAll("-", "_")}`;
}
