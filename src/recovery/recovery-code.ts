import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Vault } from "../vault/vault.ts";

/** 32 symbols, five bits each, without those that are taken for others (Crockford's base 32). */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Symbols of a recovery code: 80 bits. */
export const RECOVERY_CODE_LENGTH = 16;

/**
 * Symbols of the code that proves an address for a recovery: 40 bits. Six digits would do against strangers; whoever can
 * edit the database can have them tried without end.
 */
export const EMAIL_CODE_LENGTH = 8;

/** A code of so many uniform symbols. */
export function drawSymbols(length: number, random: RandomBytes): string {
  return [...random(length)].map((byte) => SYMBOLS[byte & 31]).join("");
}

/** A code as people read it: `ABCD-EFGH-…`. */
export function formatCode(code: string): string {
  return code.match(/.{1,4}/g)!.join("-");
}

/** A code of so many symbols, however it was typed; undefined for what is none. */
export function readCodeText(text: string, length: number): string | undefined {
  const symbols = text.normalize("NFKC").replace(/[\s-]/g, "").toUpperCase()
    .replaceAll("O", "0").replace(/[IL]/g, "1");
  return symbols.length === length && [...symbols].every((symbol) => SYMBOLS.includes(symbol))
    ? symbols
    : undefined;
}

/** The form in which rows refer to a recovery code. Under a vault key: who reads the database can try none. */
export function hashRecoveryCode(vault: Vault, code: string): string {
  return toBase64url(vault.keyedHash("recovery-code", utf8(code)));
}
