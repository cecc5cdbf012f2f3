import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Vault } from "../vault/vault.ts";

/** 32 symbols of five bits each, without those that users confuse (Crockford's base 32). */
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Symbols of a recovery code: 80 bits. */
export const RECOVERY_CODE_LENGTH = 16;

/**
 * Symbols of the e-mail code of a recovery: 40 bits. Six digits would suffice against strangers, but an attacker who
 * can edit the database can reset the attempts.
 */
export const EMAIL_CODE_LENGTH = 8;

/** Returns uniformly random symbols. */
export function drawSymbols(length: number, random: RandomBytes): string {
  return [...random(length)].map((byte) => SYMBOLS[byte & 31]).join("");
}

/** Formats a code as `ABCD-EFGH-…`. */
export function formatCode(code: string): string {
  return code.match(/.{1,4}/g)!.join("-");
}

/** Ignores case, spaces and hyphens. Reads O as 0, I and L as 1. Returns undefined for an invalid code. */
export function readCodeText(text: string, length: number): string | undefined {
  const symbols = text.normalize("NFKC").replace(/[\s-]/g, "").toUpperCase()
    .replaceAll("O", "0").replace(/[IL]/g, "1");
  return symbols.length === length && [...symbols].every((symbol) => SYMBOLS.includes(symbol))
    ? symbols
    : undefined;
}

/** Keyed, so that an attacker who reads the database cannot try codes. */
export function hashRecoveryCode(vault: Vault, code: string): string {
  return toBase64url(vault.keyedHash("recovery-code", utf8(code)));
}
