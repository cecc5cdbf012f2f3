import type { Instant } from "./time.ts";

/** A source of cryptographically secure random bytes: the composition root passes it in, tests may fix it. */
export type RandomBytes = (length: number) => Uint8Array;

const ID_ALPHABET = "0123456789abcdefghijklmnopqrstuv";
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters in a secret: 43 draws of 62 symbols, 256 bits. */
export const SECRET_LENGTH = 43;

/** Characters of an id behind its prefix. */
export const ID_LENGTH = 26;

/** `prefix` + `_` + 26 of `[0-9a-v]`: 130 random bits, unguessable but not a secret. */
export function newId(prefix: string, random: RandomBytes): string {
  return `${prefix}_${randomText(ID_LENGTH, random)}`;
}

/** Characters that say when an id was made: enough until the year 3084. */
const TIME_LENGTH = 9;

/**
 * As `newId`, with the millisecond of `now` in the first nine characters and 85 random bits behind them. For rows of
 * which many are written at a time: in the order of time they share a few pages, where random ids touch one each.
 */
export function newTimedId(prefix: string, { now, random }: { now: Instant; random: RandomBytes }): string {
  return `${prefix}_${digits(now, TIME_LENGTH)}${randomText(ID_LENGTH - TIME_LENGTH, random)}`;
}

/** Characters that say which of its millisecond an id is. */
const TURN_LENGTH = 3;

/**
 * The latest millisecond of which somebody was given an ordered id, and how many before it: by the process's own
 * source.
 */
const latest = new WeakMap<RandomBytes, { readonly now: Instant; readonly turn: number }>();

/**
 * As `newTimedId`, and those of one millisecond sort as this process made them: which of two rows came later is so for
 * every reader and every kind of database. 70 random bits.
 */
export function newOrderedId(prefix: string, { now, random }: { now: Instant; random: RandomBytes }): string {
  const before = latest.get(random);
  const turn = before?.now === now ? before.turn + 1 : 0;
  latest.set(random, { now, turn });
  const order = `${digits(now, TIME_LENGTH)}${digits(turn, TURN_LENGTH)}`;
  return `${prefix}_${order}${randomText(ID_LENGTH - order.length, random)}`;
}

/** The last digits of a number, in base 32 and as many as are wanted. */
function digits(number: number, length: number): string {
  return number.toString(32).padStart(length, "0").slice(-length);
}

function randomText(length: number, random: RandomBytes): string {
  const bytes = random(length);
  let text = "";
  for (let index = 0; index < length; index++) text += ID_ALPHABET[bytes[index]! & 31];
  return text;
}

/** A secret of `SECRET_LENGTH` uniform characters of `[A-Za-z0-9]` (bytes from 248 up are drawn again). */
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
