import { asObject } from "../../lib/object.ts";
import { type Instant, parseInstant } from "../../lib/time.ts";
import { bytesOfHex } from "./encoding.ts";

/** A reader of one JSON value. Throws `TypeError` with position and expectation, which the caller converts. */
export type Read<T> = (value: unknown, at: string) => T;

function fail(at: string, what: string): never {
  throw new TypeError(`${at} is not ${what}`);
}

export function readOptional<T>(read: Read<T>, value: unknown, at: string): T | undefined {
  return value === undefined ? undefined : read(value, at);
}

export function readObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  return asObject(value) ?? fail(at, "an object");
}

export function readText(value: unknown, at: string): string {
  return typeof value === "string" ? value : fail(at, "a text");
}

export function readSmall(value: unknown, at: string): number {
  const isSmall = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff;
  return isSmall ? value : fail(at, "a number from 0 to 65535");
}

export function readList<T>(read: Read<T>, value: unknown, at: string): readonly T[] {
  if (!Array.isArray(value)) return fail(at, "a list");
  return value.map((item, index) => read(item, `${at}[${index}]`));
}

export function readOneOf<T extends string>(values: readonly T[], value: unknown, at: string): T {
  return values.find((known) => known === value) ?? fail(at, `one of ${values.join(", ")}`);
}

/** Reads hex of either case, of `length` bytes if given. */
export function readHex(value: unknown, at: string, length?: number): Uint8Array {
  const text = readText(value, at);
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return fail(at, "hex");
  if (length !== undefined && text.length !== 2 * length) return fail(at, `${length} bytes in hex`);
  return bytesOfHex(text);
}

/** Reads an instant in Intel's form: `2025-06-19T10:16:03Z`. */
export function readInstant(value: unknown, at: string): Instant {
  return parseInstant(readText(value, at)) ?? fail(at, "an instant in UTC");
}

/** Parses JSON and runs a reader. Throws the error that `fault` makes of the message. */
export function readJson<T>(text: string, read: (value: unknown) => T, fault: (message: string) => Error): T {
  try {
    return read(JSON.parse(text) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError) throw fault("is no JSON");
    if (error instanceof TypeError) throw fault(error.message);
    throw error;
  }
}
