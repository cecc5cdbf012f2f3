import { LOG_FORMATS } from "../lib/log.ts";

/** Creates the reader of one of these values. It adds a fault and returns undefined for anything else. */
export function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
): (text: string, faults: string[]) => T | undefined {
  return (text, faults) => {
    const value = values.find((value) => value === text);
    if (value === undefined) faults.push(`${name} must be one of ${values.join(", ")}`);
    return value;
  };
}

/** Creates the reader of one of these values, or of none: an empty text is undefined. */
export function optionalOneOf<const T extends string>(
  name: string,
  values: readonly T[],
): (text: string, faults: string[]) => T | undefined {
  const read = oneOf(name, values);
  return (text, faults) => text === "" ? undefined : read(text, faults);
}

export const readLogFormat = optionalOneOf("LOG_FORMAT", LOG_FORMATS);

export function readText(text: string): string {
  return text;
}

export function readOptional(text: string): string | undefined {
  return text || undefined;
}
