import * as fc from "fast-check";
import type { Json } from "../../scripts/openapi/schemas.ts";

export type Schema = Readonly<Record<string, Json>>;

/** The values that exist in the service, by the name of a member or parameter. */
export type Values = Readonly<Record<string, readonly Json[]>>;

const EDGES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  "",
  " ",
  "0x",
  "-1",
  "99999999999999999999",
  "2026-02-30T00:00:00.000Z",
  "__proto__",
  "\u0000",
  "\ud800",
  "\u{1f600}",
  "x".repeat(300),
  [],
  {},
  [[]],
  { constructor: {} },
];

const edge: fc.Arbitrary<Json> = fc.constantFrom(...EDGES);

/** Creates the arbitraries of values that schemas of the document describe. */
export function createValues(schemas: Readonly<Record<string, Schema>>, values: Values) {
  const named = new Map<string, fc.Arbitrary<Json>>();

  function ofName(ref: string): fc.Arbitrary<Json> {
    const name = ref.slice(ref.lastIndexOf("/") + 1);
    const found = named.get(name);
    if (found !== undefined) return found;
    // Schemas refer to themselves; an inner one is empty.
    named.set(name, fc.constant({}));
    const made = ofSchema(schemas[name]!);
    named.set(name, made);
    return made;
  }

  function ofObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> {
    const members = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, schema]) => {
      const known = values[name];
      const value = ofSchema(schema);
      return [
        name,
        known === undefined ? value : fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...known) },
          { weight: 1, arbitrary: value },
        ),
      ] as const;
    });
    return fc.record(Object.fromEntries(members), { requiredKeys: required as string[] });
  }

  function ofSchema(schema: Schema): fc.Arbitrary<Json> {
    const { $ref, anyOf, oneOf, type, pattern, minimum = -2, maximum = 2 ** 31 } = schema;
    if (typeof $ref === "string") return ofName($ref);
    const options = anyOf ?? oneOf;
    if (Array.isArray(options)) return fc.oneof(...options.map((one) => ofSchema(one as Schema)));
    if ("const" in schema) return fc.constant(schema["const"]!);
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"] as Json[]);
    switch (type) {
      case "string":
        return typeof pattern === "string"
          ? fc.stringMatching(new RegExp(pattern), { maxLength: 80 })
          : fc.string({ maxLength: 12 });
      case "integer":
      case "number":
        return fc.integer({ min: Number(minimum), max: Number(maximum) });
      case "boolean":
        return fc.boolean();
      case "array":
        return fc.array(ofSchema(schema["items"] as Schema ?? {}), { maxLength: 2 }) as fc.Arbitrary<Json>;
      case "object":
        return ofObject(schema);
      default:
        return edge;
    }
  }
  return ofSchema;
}

/** Returns examples with values that exist in the service. */
export function likeExample(example: Json, values: Values): fc.Arbitrary<Json> {
  const members = Object.entries(example ?? {}).map(([name, value]) =>
    [name, fc.constantFrom(...values[name] ?? [value as Json])] as const
  );
  return fc.record(Object.fromEntries(members));
}

/** Replaces, removes or adds a member at a random depth. */
export function mutated(value: Json): fc.Arbitrary<Json> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return edge;
  const members = value as { readonly [name: string]: Json };
  const names = Object.keys(members);
  const added = edge.map((more): Json => ({ ...members, more }));
  if (names.length === 0) return fc.oneof(edge, added);
  const changed = fc.constantFrom(...names).chain((name) =>
    fc.oneof(
      fc.constant(Object.fromEntries(Object.entries(members).filter(([other]) => other !== name)) as Json),
      edge.map((other): Json => ({ ...members, [name]: other })),
      mutated(members[name]!).map((other): Json => ({ ...members, [name]: other })),
    )
  );
  return fc.oneof({ weight: 4, arbitrary: changed }, { weight: 1, arbitrary: added });
}
