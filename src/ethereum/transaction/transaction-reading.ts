import { didYouMean, isObject, pointer, quote } from "../json-reading.ts";

/** Input that is no transaction or authorization, or none that everybody would read alike. */
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

/** The state of one reading: from what form, and where in it. */
export interface Reading {
  /** `members` of a JSON object, or the bytes of one member, `unsigned`. */
  readonly form: "members" | "unsigned";
  /** Member names and indexes from the transaction to the value at hand. */
  readonly trail: (string | number)[];
}

/** Refuses the input because of what stands at the trail, or at the given steps below it. */
export function refuse(reading: Reading, message: string, ...below: readonly (string | number)[]): never {
  const place = pointer([...reading.trail, ...below]);
  if (reading.form === "members") throw new TransactionError(place, message);
  throw new TransactionError(
    "/unsigned",
    place === "" ? message : `${message}, in ${place} of the transaction`,
  );
}

/** Reads what stands below a member or index. */
export function within<T>(reading: Reading, step: string | number, read: () => T): T {
  reading.trail.push(step);
  const result = read();
  reading.trail.pop();
  return result;
}

/** Why a member that is known elsewhere cannot be given here; undefined for one that is not known at all. */
export type ReasonAgainst = (name: string) => string | undefined;

/** The longest name of an unknown member that stands in a pointer. */
const SHOWN_NAME_LENGTH = 64;

/**
 * The value as a JSON object that has none but the named members. What else it has is refused, with the reason where
 * there is one. Does not check that the named ones are there.
 */
export function readObject(
  reading: Reading,
  value: unknown,
  names: readonly string[],
  reasonAgainst?: ReasonAgainst,
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) refuse(reading, "Expected an object");
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const absent = names.filter((known) => !Object.hasOwn(value, known));
    const message = reasonAgainst?.(name) ?? `Unknown member ${quote(name)}${didYouMean(name, absent)}`;
    if (name.length > SHOWN_NAME_LENGTH || !name.isWellFormed()) refuse(reading, message);
    refuse(reading, message, name);
  }
  return value;
}
