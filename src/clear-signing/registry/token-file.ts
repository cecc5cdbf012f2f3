import { asObject } from "../../lib/object.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import type { Token } from "./tokens.ts";

export class TokenFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TokenFileError";
  }
}

/**
 * Reads a Token List, `{ "tokens": [{ chainId, address, symbol, decimals }] }`. Throws if two entries of one token
 * differ.
 */
export function readTokenFile(json: unknown): readonly Token[] {
  const list = asObject(json)?.tokens;
  if (!Array.isArray(list)) throw new TokenFileError("tokens is not a list");
  const tokens = list.map(readToken);
  const byPlace = new Map<string, Token>();
  for (const token of tokens) {
    const place = `${token.chainId}:${token.address}`;
    const known = byPlace.get(place);
    if (known !== undefined && (known.symbol !== token.symbol || known.decimals !== token.decimals)) {
      throw new TokenFileError(`The token ${token.address} of chain ${token.chainId} is there twice`);
    }
    byPlace.set(place, token);
  }
  return tokens;
}

function readToken(entry: unknown, index: number): Token {
  const { chainId, address, symbol, decimals } = asObject(entry) ?? {};
  const bytes = typeof address === "string" ? readAddress(address) : undefined;
  const isSymbol = typeof symbol === "string" && /^[!-~\u00A1-\uFFFD]{1,32}$/.test(symbol);
  const isCount = Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= 255;
  if (!Number.isSafeInteger(chainId) || Number(chainId) < 1 || bytes === undefined || !isSymbol || !isCount) {
    throw new TokenFileError(
      `Token ${index} needs a valid chainId, address, symbol and decimals`,
    );
  }
  return { chainId: String(chainId), address: toChecksumAddress(bytes), symbol, decimals: Number(decimals) };
}
