import { POLICY_LIMITS } from "./policy.ts";
import { type Reader, readText, refuse } from "./policy-reading.ts";

/** A member's name, an index, or `*` for every item. */
const STEP = /^(?:[A-Za-z_$][A-Za-z0-9_$]*|0|[1-9][0-9]{0,3}|\*)$/;

/** Splits a path. Does not unescape: no member's name has a character that a pointer escapes. */
function stepsOf(path: string): readonly string[] {
  return path.split("/").slice(1);
}

/** Reads a JSON pointer to a value: names of members, indexes, and `*` for every item of a list. */
export const readPath: Reader<string> = (value, path) => {
  const text = readText(value, path);
  const steps = stepsOf(text);
  const isPath = text.startsWith("/") && steps.length <= POLICY_LIMITS.steps &&
    steps.every((step) => STEP.test(step));
  if (!isPath) refuse(path, 'Expected a path such as "/value" or "/details/*/amount"');
  return text;
};
