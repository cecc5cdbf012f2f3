import { UsageError } from "./refusal.ts";

export interface Syntax {
  /** Options without a value: `--json`. */
  readonly flags?: readonly string[];
  /** Options with a value: `--index 3` or `--index=3`. */
  readonly values?: readonly string[];
  readonly operands?: readonly string[];
}

export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}

/**
 * Parses the arguments after a command's name. Throws `UsageError` for an unknown or repeated option, a missing or
 * surplus value, and a missing or surplus operand. After `--` everything is an operand.
 */
export function readArguments(list: readonly string[], syntax: Syntax): Arguments {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  const rest = [...list];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--") operands.push(...rest.splice(0));
    else if (!argument.startsWith("-") || argument === "-") operands.push(argument);
    else readOption(argument, rest, { syntax, flags, values });
  }
  const expected = syntax.operands ?? [];
  // Usually an unset shell variable.
  const missing = expected.find((_, index) => (operands[index] ?? "") === "");
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  if (operands.length > expected.length) throw new UsageError("there is one argument too many");
  return { flags, values, operands };
}

function readOption(
  argument: string,
  rest: string[],
  { syntax, flags, values }: {
    readonly syntax: Syntax;
    readonly flags: Set<string>;
    readonly values: Map<string, string>;
  },
): void {
  const equals = argument.indexOf("=");
  const option = equals < 0 ? argument : argument.slice(0, equals);
  const name = option.slice(2);
  const isFlag = option.startsWith("--") && syntax.flags?.includes(name) === true;
  const isValue = option.startsWith("--") && syntax.values?.includes(name) === true;
  if (!isFlag && !isValue) throw new UsageError(`there is no option ${option}`);
  if (flags.has(name) || values.has(name)) throw new UsageError(`${option} is given twice`);
  if (isFlag) {
    if (equals >= 0) throw new UsageError(`${option} takes no value`);
    flags.add(name);
    return;
  }
  const value = equals >= 0 ? argument.slice(equals + 1) : rest.shift();
  if (value === undefined || value === "" || (equals < 0 && value.startsWith("--"))) {
    throw new UsageError(`${option} needs a value`);
  }
  values.set(name, value);
}

export function getValue({ values }: Arguments, name: string): string {
  const value = values.get(name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

export function readNumber(
  text: string,
  { option, least, most }: { readonly option: string; readonly least: number; readonly most: number },
): number {
  const value = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined;
  if (value === undefined || value < least || value > most) {
    throw new UsageError(`--${option} must be a number from ${least} to ${most}`);
  }
  return value;
}
