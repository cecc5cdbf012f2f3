import { didYouMean, pointer, quote } from "../json-reading.ts";

/**
 * The limits that docs/reference/typed-data.md publishes. A step is one value read, one struct visited while a type is
 * encoded, or one block of 136 bytes hashed. Too much work is refused before the first hash.
 */
export const TYPED_DATA_LIMITS = {
  /** Struct types in `types`. */
  types: 256,
  /** Fields of all struct types together. */
  fields: 1024,
  /** Characters of the name of a struct or a field. */
  name: 256,
  /** Characters of a field's type. */
  type: 512,
  /** Nested objects and arrays, `message` being the first. */
  depth: 64,
  /** Values of domain and message together, including objects and arrays. */
  values: 4096,
  /** Bytes of all `string` and `bytes` values together. */
  bytes: 524_288,
  /** Steps of work. */
  steps: 10_240,
} as const;

/** Thrown for typed data that has no digest, or on whose digest programs disagree. */
export class TypedDataError extends Error {
  readonly code = "invalid_typed_data";
  /** JSON pointer (RFC 6901) to the fault, from the root of the document. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.name = "TypedDataError";
    this.path = path;
  }
}

/** The steps of one part of the work, about a millisecond. Between parts, other work can run. */
export const PART = 256;

/**
 * The steps of the first part. Most documents take fewer, and all calls of a batch begin in one turn of the event loop.
 */
const FIRST_PART = 64;

export interface Reading {
  stepsLeft: number;
  /** The value of `stepsLeft` at which the current part ends. */
  partEnd: number;
  valuesLeft: number;
  bytesLeft: number;
  /** The member names and array indexes from the root to the current value. */
  readonly segments: (string | number)[];
}

export function startReading(): Reading {
  return {
    stepsLeft: TYPED_DATA_LIMITS.steps,
    partEnd: TYPED_DATA_LIMITS.steps - FIRST_PART,
    valuesLeft: TYPED_DATA_LIMITS.values,
    bytesLeft: TYPED_DATA_LIMITS.bytes,
    segments: [],
  };
}

/** Throws TypedDataError with the pointer of the current value and the steps below it. */
export function refuse(reading: Reading, message: string, ...below: readonly (string | number)[]): never {
  throw new TypedDataError(pointer([...reading.segments, ...below]), message);
}

/** Subtracts steps from the budget, or refuses the document if the budget is exceeded. */
export function spendSteps(reading: Reading, steps: number): void {
  reading.stepsLeft -= steps;
  if (reading.stepsLeft < 0) {
    refuse(reading, `Too much work: more than ${TYPED_DATA_LIMITS.steps} steps up to here`);
  }
}

export function hashSteps(length: number): number {
  return Math.floor(length / 136) + 1;
}

export function spendHash(reading: Reading, length: number): void {
  spendSteps(reading, hashSteps(length));
}

/** Returns true if the current part of the work is done, and starts the next. */
export function isPartDone(spending: Pick<Reading, "stepsLeft" | "partEnd">): boolean {
  if (spending.stepsLeft > spending.partEnd) return false;
  spending.partEnd = spending.stepsLeft - PART;
  return true;
}

/**
 * Checks that an object has exactly the named members as its own: `constructor` is missing unless the document has it.
 * Reports an unknown member before a missing one, because its name often shows what the caller meant.
 */
export function checkMembers(
  reading: Reading,
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const given = Object.keys(object);
  let missing: string | undefined;
  for (const name of names) if (!Object.hasOwn(object, name)) missing ??= name;
  if (missing === undefined && given.length === names.length) return;
  const known = new Set(names);
  const unknown = given.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const absent = names.filter((name) => !Object.hasOwn(object, name));
    refuseAt(reading, unknown, `Unknown member ${quote(unknown)}${didYouMean(unknown, absent)}`);
  }
  refuse(reading, `Missing member ${quote(missing!)}`, missing!);
}

/** Refuses a member whose name came from the caller. Omits names from the pointer that are too long or ill-formed. */
export function refuseAt(reading: Reading, name: string, message: string): never {
  if (name.length > TYPED_DATA_LIMITS.name || !name.isWellFormed()) refuse(reading, message);
  refuse(reading, message, name);
}
