/** A source of cryptographically secure random bytes: the composition root passes it in, tests may fix it. */
export type RandomBytes = (length: number) => Uint8Array;

const ID_ALPHABET = "0123456789abcdefghijklmnopqrstuv";
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Characters in a secret: 43 draws of 62 symbols, 256 bits. */
export const SECRET_LENGTH = 43;

/** `prefix` + `_` + 26 of `[0-9a-v]`: 130 random bits, unguessable but not a secret. */
export function newId(prefix: string, random: RandomBytes): string {
  let text = "";
  for (const byte of random(26)) text += ID_ALPHABET[byte & 31];
  return `${prefix}_${text}`;
}

/** A secret of `SECRET_LENGTH` uniform characters of `[A-Za-z0-9]` (bytes from 248 up are drawn again). */
export function newSecret(random: RandomBytes): string {
  let text = "";
  while (text.length < SECRET_LENGTH) {
    for (const byte of random(SECRET_LENGTH)) {
      if (byte < 248 && text.length < SECRET_LENGTH) text += SECRET_ALPHABET[byte % 62];
    }
  }
  return text;
}
