import * as v from "valibot";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { jsonPointer, shownName } from "../../lib/json.ts";

/** A schema that reads untrusted input into a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>;

export const NO_MEMBERS = v.strictObject({});

const SHOWN_FAULTS = 16;

/** The unit of the input: a member of a JSON body, or a parameter of a query or form. */
export type InputPart = "member" | "parameter";

/** Readable names of valibot's types. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  Object: "an object",
  Array: "a list",
};

const COMPARISONS: readonly (readonly [sign: string, prefix: string])[] = [
  [">=", "at least "],
  ["<=", "at most "],
  [">", "more than "],
  ["<", "less than "],
];

/** Formats `("allow" | "deny")` as `"allow" or "deny"`, `>=1` as `at least 1`. */
function describeExpected(expected: string): string {
  for (const [sign, prefix] of COMPARISONS) {
    if (expected.startsWith(sign)) return prefix + expected.slice(sign.length);
  }
  const choices = expected.replace(/^\((.*)\)$/, "$1").split(" | ").map((choice) =>
    TYPE_NAMES[choice] ?? choice
  );
  const last = choices.pop()!;
  return choices.length === 0 ? last : `${choices.join(", ")} or ${last}`;
}

/** Describes what was expected. valibot's own messages repeat the value. */
function describeFault(issue: v.BaseIssue<unknown>, part: InputPart): string {
  const last = issue.path?.at(-1);
  if (last !== undefined && "origin" in last && last.origin === "key") {
    return issue.expected === "never" ? `Unknown ${part}` : `Missing ${part}`;
  }
  const expected = issue.expected === null ? "" : describeExpected(issue.expected);
  if (issue.type.includes("length") || issue.type.includes("bytes")) return `Length must be ${expected}`;
  if (issue.type.endsWith("_value")) return `Value must be ${expected}`;
  return issue.kind === "schema" && expected !== "" ? `Expected ${expected}` : "Malformed value";
}

function toFault(issue: v.BaseIssue<unknown>, part: InputPart): InputFault {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
  if (part === "parameter") return { parameter: shownName(String(path[0] ?? "")), message: issue.message };
  return { path: jsonPointer(path), message: issue.message };
}

/**
 * Reads input with a schema. Throws `invalid_request` that names each wrong member by JSON pointer, or each wrong
 * parameter, with the schema's message if it has one. Never repeats values. The schema decides on unknown members
 * (`strictObject` refuses them).
 */
export function readInput<T>(schema: Schema<T>, input: unknown, part: InputPart = "member"): T {
  const result = v.safeParse(schema, input, { message: (issue) => describeFault(issue, part) });
  if (result.success) return result.output;
  throw new ProtocolError("invalid_request", `Cannot read request: some ${part}s are wrong`, {
    errors: result.issues.slice(0, SHOWN_FAULTS).map((issue) => toFault(issue, part)),
  });
}
