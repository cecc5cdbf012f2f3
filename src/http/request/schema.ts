import * as v from "valibot";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { jsonPointer } from "./json.ts";

/** A schema that reads outside input into a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/** What has no members at all. */
export const NO_MEMBERS = v.strictObject({});

/** As many faults as one answer lists. */
const SHOWN_FAULTS = 16;

/** Says what was expected, in the schema's words only: valibot's own sentences repeat the value. */
function describeFault(issue: v.BaseIssue<unknown>): string {
  const last = issue.path?.at(-1);
  if (last !== undefined && "origin" in last && last.origin === "key") {
    return issue.expected === "never" ? "Unknown member" : "Missing member";
  }
  if (issue.type.includes("length") || issue.type.includes("bytes")) {
    return `Length must be ${issue.expected}`;
  }
  if (issue.type.endsWith("_value")) return `Value must be ${issue.expected}`;
  return issue.kind === "schema" && issue.expected ? `Expected ${issue.expected}` : "Malformed value";
}

function toFault(issue: v.BaseIssue<unknown>): InputFault {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
  return { path: jsonPointer(path), message: issue.message };
}

/**
 * The input as its schema reads it. Throws `invalid_request` naming each member at fault by JSON pointer, with the
 * sentence of the schema where it has one; values are never repeated. Whether unknown members are refused is the
 * schema's choice (`strictObject` does).
 */
export function readInput<T>(schema: Schema<T>, input: unknown): T {
  const result = v.safeParse(schema, input, { message: describeFault });
  if (result.success) return result.output;
  throw new ProtocolError("invalid_request", "Cannot read request: some members are wrong", {
    errors: result.issues.slice(0, SHOWN_FAULTS).map(toFault),
  });
}

/** A text that `read` normalises; `message` says what it should have been where it answers undefined. */
export function textOf(
  read: (text: string) => string | undefined,
  message: string,
): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const text = read(dataset.value);
      if (text !== undefined) return text;
      addIssue({ message });
      return NEVER;
    }),
  );
}
