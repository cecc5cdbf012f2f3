import { shortAddress } from "../../ethereum/address.ts";
import { memoize } from "../../lib/memoize.ts";
import { TOKEN_LIST } from "./token-list.ts";
import { type Token, TOKENS } from "./tokens.ts";

type Listed = Pick<Token, "symbol" | "decimals">;

/** One map a chain, read when the chain is first asked for. */
const chains = new Map<string, ReadonlyMap<string, Listed>>();
const MOST_CHAINS = 100;

/** Finds a token in the list of Ledger's wallets. A symbol that several tokens of a chain have is followed by the address. */
export function findListedToken(chainId: string, address: string): Token | undefined {
  if (!Object.hasOwn(TOKEN_LIST, chainId)) return undefined;
  const listed = memoize(chains, chainId, MOST_CHAINS, readChain).get(address.slice(2).toLowerCase());
  return listed && { chainId, address, ...listed };
}

function readChain(chainId: string): ReadonlyMap<string, Listed> {
  const parts = TOKEN_LIST[chainId]!.split(" ");
  const tokens = new Map<string, Listed>();
  const taken = new Map(TOKENS.map(({ symbol }) => [symbol.toLowerCase(), 1]));
  for (let at = 2; at < parts.length; at += 3) {
    const symbol = parts[at]!.toLowerCase();
    taken.set(symbol, (taken.get(symbol) ?? 0) + 1);
  }
  for (let at = 0; at < parts.length; at += 3) {
    const [address, decimals, symbol] = parts.slice(at, at + 3) as [string, string, string];
    const isUnique = taken.get(symbol.toLowerCase()) === 1;
    tokens.set(address, {
      symbol: isUnique ? symbol : `${symbol} (${shortAddress(`0x${address}`)})`,
      decimals: Number(decimals),
    });
  }
  return tokens;
}
