import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file of the project as text. */
export function readProjectFile(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
}

/** An instruction of a Dockerfile: its name and the rest of its line. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
}

/**
 * The stages of a Dockerfile, each from its FROM on. Knows no heredocs, escapes or line continuations: none are there.
 */
export function readDockerfile(text: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = /^([A-Z]+) (.+[^\\])$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`Not an instruction: ${line}`);
    if (name === "FROM") stages.push([]);
    stages.at(-1)!.push({ name, value: value! });
  }
  return stages;
}

/** The settings of a unit by section and name, each with all its values (systemd.syntax). Knows no continued lines. */
export function readUnit(
  text: string,
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let current: Record<string, string[]> | undefined;
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      current = sections[section] = {};
      continue;
    }
    const [, name, value] = /^([A-Za-z]+)=(.*[^\\]|)$/.exec(line) ?? [];
    if (name === undefined || current === undefined) throw new Error(`Not a setting: ${line}`);
    (current[name] ??= []).push(value!);
  }
  return sections;
}

/** The variables that a unit sets. */
export function unitEnvironment(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.flatMap((line) => line.split(" "));
  return Object.fromEntries(pairs.map((pair) => {
    const equals = pair.indexOf("=");
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  }));
}

/** A value of a small YAML document: a map, a list or a text. */
export type Yaml = string | readonly string[] | { readonly [name: string]: Yaml };

/** Reads the part of YAML that a compose file needs: nested maps by two spaces, lists of plain texts, comments. */
export function readYaml(text: string): { readonly [name: string]: Yaml } {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  const [value, rest] = readBlock(lines, 0);
  if (rest.length > 0) throw new Error(`Not read: ${rest[0]}`);
  return value as { readonly [name: string]: Yaml };
}

function readBlock(lines: readonly string[], indent: number): [Yaml, readonly string[]] {
  const margin = " ".repeat(indent);
  let rest = lines;
  const list: string[] = [];
  const map: Record<string, Yaml> = {};
  while (rest.length > 0 && rest[0]!.startsWith(margin) && rest[0]![indent] !== " ") {
    const line = rest[0]!.slice(indent);
    rest = rest.slice(1);
    const [, item] = /^- (.+)$/.exec(line) ?? [];
    if (item !== undefined) {
      list.push(item);
      continue;
    }
    const [, name, value] = /^([\w-]+):(?: (.+))?$/.exec(line) ?? [];
    if (name === undefined || Object.hasOwn(map, name)) throw new Error(`Not read: ${line}`);
    if (value !== undefined) map[name] = value;
    else [map[name], rest] = readBlock(rest, indent + 2);
  }
  return [list.length > 0 ? list : map, rest];
}

/** Every command that the program knows. */
export function knownCommands(): readonly string[] {
  const [, table] = /const COMMANDS[^{]*\{([^]*?)\n\};/.exec(readProjectFile("src/main.ts"))!;
  return [...table!.matchAll(/^ {2}"?([a-z-]+)"?: \{/gm)].map(([, name]) => name!);
}
