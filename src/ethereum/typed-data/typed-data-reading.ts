import { didYouMean, pointer, quote } from "../json-reading.ts";

/**
 * What typed data may hold at most; published in docs/typed-data.md. A step is one value looked at, one struct
 * visited while a type is written out, or one block of 136 bytes hashed: the whole work of a document is known, and
 * refused when it is too much, before the first hash is made.
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
  /** Objects and arrays inside each other, `message` being the first. */
  depth: 64,
  /** Values of domain and message together: objects, arrays and what they hold. */
  values: 4096,
  /** Bytes of all `string` and `bytes` values together. */
  bytes: 524_288,
  /** Steps of work. */
  steps: 10_240,
} as const;

/** Typed data that has no digest, or not one that everybody agrees on. */
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

/** Steps of a part of the work, a few milliseconds: between parts others have their turns. */
export const PART = 512;

/** The state of one reading: what it may still spend, and where in the document it is. */
export interface Reading {
  stepsLeft: number;
  /** What of the steps is left when the part at hand is over. */
  partEnd: number;
  valuesLeft: number;
  bytesLeft: number;
  /** Member names and array indexes from the root to the value at hand. */
  readonly trail: (string | number)[];
}

/** A reading that has spent nothing and stands at the root. */
export function startReading(): Reading {
  return {
    stepsLeft: TYPED_DATA_LIMITS.steps,
    partEnd: TYPED_DATA_LIMITS.steps - PART,
    valuesLeft: TYPED_DATA_LIMITS.values,
    bytesLeft: TYPED_DATA_LIMITS.bytes,
    trail: [],
  };
}

/** Refuses the document because of what stands at the trail, or at the given steps below it. */
export function refuse(reading: Reading, message: string, ...below: readonly (string | number)[]): never {
  throw new TypedDataError(pointer([...reading.trail, ...below]), message);
}

/** Pays for work, or refuses the document when its budget is spent. */
export function spendSteps(reading: Reading, steps: number): void {
  reading.stepsLeft -= steps;
  if (reading.stepsLeft < 0) {
    refuse(reading, `Too much work: more than ${TYPED_DATA_LIMITS.steps} steps up to here`);
  }
}

/** Steps of hashing so many bytes. */
export function hashSteps(length: number): number {
  return Math.floor(length / 136) + 1;
}

/** Pays for hashing so many bytes. */
export function spendHash(reading: Reading, length: number): void {
  spendSteps(reading, hashSteps(length));
}

/** Whether a part of the work has been done; the next one begins. */
export function isPartDone(spending: Pick<Reading, "stepsLeft" | "partEnd">): boolean {
  if (spending.stepsLeft > spending.partEnd) return false;
  spending.partEnd = spending.stepsLeft - PART;
  return true;
}

/**
 * Checks that an object has each of the named members as its own, and no other. Inherited members do not count:
 * `constructor` is missing unless the document has it. An unknown member is reported before a missing one, since
 * its name often shows what was meant.
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

/** Refuses because of a member whose name came from outside; a name that no pointer should carry is left out. */
export function refuseAt(reading: Reading, name: string, message: string): never {
  if (name.length > TYPED_DATA_LIMITS.name || !name.isWellFormed()) refuse(reading, message);
  refuse(reading, message, name);
}
