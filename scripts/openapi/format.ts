import type { Json, Members } from "./schemas.ts";

/** The number of levels of each member that are broken into lines. A value below them is one line. */
const LEVELS: Readonly<Record<string, number>> = { info: 1, tags: 1, paths: 2, components: 2 };

function format(value: Json, levels: number, indent: string): string {
  if (levels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([name, item]) =>
    `${inner}${isList ? "" : `${JSON.stringify(name)}: `}${format(item, levels - 1, inner)}`
  );
  return `${isList ? "[" : "{"}\n${items.join(",\n")}\n${indent}${isList ? "]" : "}"}`;
}

/** Returns the document as JSON with one line for each operation, schema, response, security scheme and tag. */
export function formatDocument(document: Members): string {
  const members = Object.entries(document).map(([name, value]) =>
    `  ${JSON.stringify(name)}: ${format(value, LEVELS[name] ?? 0, "  ")}`
  );
  return `{\n${members.join(",\n")}\n}\n`;
}
