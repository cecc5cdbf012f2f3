import { LOG_FORMATS, type LogFormat } from "../lib/log.ts";

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

export function readLogFormat(text: string, faults: string[]): LogFormat | undefined {
  return text === "" ? undefined : oneOf("LOG_FORMAT", LOG_FORMATS)(text, faults);
}

export function readText(text: string): string {
  return text;
}

export function readOptional(text: string): string | undefined {
  return text || undefined;
}
