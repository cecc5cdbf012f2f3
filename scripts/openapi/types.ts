import type { Json } from "./schemas.ts";

type Schema = Readonly<Record<string, Json>>;

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function unionOf(schemas: readonly Json[]): string {
  return [...new Set(schemas.map((schema) => typeOf(schema as Schema)))].join(" | ");
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const mark = (required as readonly string[]).includes(name) ? "" : "?";
    const words = typeof schema["description"] === "string" ? `/** ${schema["description"]}. */ ` : "";
    return `${words}readonly ${name}${mark}: ${typeOf(schema)};`;
  });
  if (members.length > 0) return `{ ${members.join(" ")} }`;
  const isOpen = typeof additionalProperties === "object" && additionalProperties !== null;
  return `{ readonly [name: string]: ${isOpen ? typeOf(additionalProperties as Schema) : "unknown"} }`;
}

/** Returns a schema as a TypeScript type. Text that begins with 0x is a template literal type, as in viem. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return nameOf($ref);
  if (Array.isArray(anyOf)) return unionOf(anyOf);
  if (Array.isArray(oneOf)) return unionOf(oneOf);
  if (Array.isArray(allOf)) return allOf.map((part) => typeOf(part as Schema)).join(" & ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  switch (type) {
    case "string":
      return String(schema["pattern"] ?? "").startsWith("^0x") ? "`0x${string}`" : "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return type;
    case "array": {
      const item = typeOf(schema["items"] as Schema);
      return `readonly ${/[ |&]/.test(item) ? `(${item})` : item}[]`;
    }
    case "object":
      return objectOf(schema);
    default:
      return "unknown";
  }
}
