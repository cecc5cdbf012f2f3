import { didYouMean, isObject, pointer, quote } from "../json-reading.ts";

/** Thrown for input that is no transaction or authorization, or that programs could read differently. */
export class TransactionError extends Error {
  readonly code = "invalid_transaction";
  /** JSON pointer (RFC 6901) to the fault, from the root of the input. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.name = "TransactionError";
    this.path = path;
  }
}

export interface Reading {
  /** `members` for a JSON object, `unsigned` for the bytes in its one member of that name. */
  readonly form: "members" | "unsigned";
  /** The member names and indexes from the transaction to the current value. */
  readonly segments: (string | number)[];
}

/** Throws TransactionError with the pointer of the current value and the steps below it. */
export function refuse(reading: Reading, message: string, ...below: readonly (string | number)[]): never {
  const place = pointer([...reading.segments, ...below]);
  if (reading.form === "members") throw new TransactionError(place, message);
  throw new TransactionError(
    "/unsigned",
    place === "" ? message : `${message}, in ${place} of the transaction`,
  );
}

export function within<T>(reading: Reading, step: string | number, read: () => T): T {
  reading.segments.push(step);
  const result = read();
  reading.segments.pop();
  return result;
}

/** Returns the message for a known member that is not allowed here, or undefined for an unknown member. */
export type RefusalReason = (name: string) => string | undefined;

/** The longest name of an unknown member that a pointer contains. */
const SHOWN_NAME_LENGTH = 64;

/** Refuses members that are not named, with a reason or a suggestion. Does not check that the named members exist. */
export function readObject(
  reading: Reading,
  value: unknown,
  names: readonly string[],
  refusalReason?: RefusalReason,
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) refuse(reading, "Expected an object");
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const absent = names.filter((known) => !Object.hasOwn(value, known));
    const message = refusalReason?.(name) ?? `Unknown member ${quote(name)}${didYouMean(name, absent)}`;
    if (name.length > SHOWN_NAME_LENGTH || !name.isWellFormed()) refuse(reading, message);
    refuse(reading, message, name);
  }
  return value;
}
