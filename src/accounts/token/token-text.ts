import { ID_LENGTH, SECRET_LENGTH } from "../../lib/id.ts";
import { utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Token } from "../session/token.ts";

/** What every API token begins with, so that scanners for secrets know one when they see it. */
export const TOKEN_PREFIX = "hfst_";

const CHECKSUM_LENGTH = 6;
const TOKEN = new RegExp(
  `^${TOKEN_PREFIX}([0-9a-v]{${ID_LENGTH}})_([A-Za-z0-9]{${SECRET_LENGTH}})([0-9a-f]{${CHECKSUM_LENGTH}})$`,
);

function checksumOf(text: string): string {
  return sha256(utf8(text)).toHex().slice(0, CHECKSUM_LENGTH);
}

/**
 * An API token as programs send it: `hfst_`, 26 of `[0-9a-v]` that name it, `_`, 43 of `[A-Za-z0-9]` that are its
 * secret (256 bits), and six hexadecimal digits: the beginning of the SHA-256 of all that stands before them. Whoever
 * finds one in a repository can tell it from a text that only looks like it.
 */
export function formatApiToken({ id, secret }: Token): string {
  const text = `${TOKEN_PREFIX}${id.slice(id.indexOf("_") + 1)}_${secret}`;
  return text + checksumOf(text);
}

/** Reads an API token; undefined for anything else, a mistyped one included. Does not check that it was ever issued. */
export function readApiToken(text: string): Token | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  if (id === undefined || checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) {
    return undefined;
  }
  return { id: `token_${id}`, secret: secret! };
}
