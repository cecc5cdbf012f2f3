import type { Instant } from "./time.ts";

/** Returns cryptographically secure random bytes. The composition root provides it. */
export type RandomBytes = (length: number) => Uint8Array;

const ID_ALPHABET = "0123456789abcdefghijklmnopqrstuv";
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** The length of a secret: 43 of 62 symbols, 256 bits. */
export const SECRET_LENGTH = 43;

/** The length of an id after its prefix. */
export const ID_LENGTH = 26;

/** Creates `prefix` + `_` + 26 of `[0-9a-v]`: 130 random bits, unguessable but not a secret. */
export function newId(prefix: string, random: RandomBytes): string {
  return `${prefix}_${randomText(ID_LENGTH, random)}`;
}

/** The characters for the time of an id: enough until the year 3084. */
const TIME_LENGTH = 9;

/** Like `newId`, beginning with the time and with 85 random bits, so that rows written in bulk share a few pages. */
export function newTimedId(prefix: string, { now, random }: { now: Instant; random: RandomBytes }): string {
  return `${prefix}_${digits(now, TIME_LENGTH)}${randomText(ID_LENGTH - TIME_LENGTH, random)}`;
}

/** The characters for the order within a millisecond. */
const SEQUENCE_LENGTH = 3;

/** The latest millisecond with an ordered id, and the order of its last id, by random source. */
const latest = new WeakMap<RandomBytes, { readonly now: Instant; readonly sequence: number }>();

/** Like `newTimedId`, but ids of one millisecond sort in the order of this process. 70 random bits. */
export function newOrderedId(prefix: string, { now, random }: { now: Instant; random: RandomBytes }): string {
  const before = latest.get(random);
  const sequence = before?.now === now ? before.sequence + 1 : 0;
  latest.set(random, { now, sequence });
  const order = `${digits(now, TIME_LENGTH)}${digits(sequence, SEQUENCE_LENGTH)}`;
  return `${prefix}_${order}${randomText(ID_LENGTH - order.length, random)}`;
}

function digits(number: number, length: number): string {
  return number.toString(32).padStart(length, "0").slice(-length);
}

function randomText(length: number, random: RandomBytes): string {
  const bytes = random(length);
  let text = "";
  for (let index = 0; index < length; index++) text += ID_ALPHABET[bytes[index]! & 31];
  return text;
}

/** Creates `SECRET_LENGTH` uniform characters of `[A-Za-z0-9]`. Rejects bytes from 248 up. */
export function newSecret(random: RandomBytes): string {
  let text = "";
  while (text.length < SECRET_LENGTH) {
    const bytes = random(SECRET_LENGTH);
    for (let index = 0; index < bytes.length && text.length < SECRET_LENGTH; index++) {
      if (bytes[index]! < 248) text += SECRET_ALPHABET[bytes[index]! % 62];
    }
  }
  return text;
}
