import { decimal } from "../clear-signing/parties.ts";
import { type Token, TOKENS } from "../clear-signing/registry/tokens.ts";
import type { Limits, Policy, Spend, TransactionRule, TypedDataRule } from "./policy.ts";

/** Returns the built-in token at an address with its checksum. */
export function findBuiltInToken(chainId: string | null, address: unknown): Token | undefined {
  return TOKENS.find((one) => one.chainId === chainId && one.address === address);
}

/** Formats an amount in units of the token, with the integer that the policy compares. */
export function amountText(amount: string, token: Token | undefined): string {
  return token === undefined
    ? amount
    : `${decimal(BigInt(amount), token.decimals)} ${token.symbol} (${amount})`;
}

/** Formats an amount in units of the token; without one, the integer. */
export function shortAmountText(amount: string, token: Token | undefined): string {
  return token === undefined ? amount : `${decimal(BigInt(amount), token.decimals)} ${token.symbol}`;
}

/** The member beside an amount that names its token, by the last step of the amount's path. */
const TOKEN_MEMBERS: Readonly<Record<string, string>> = {
  amount: "token",
  sellAmount: "sellToken",
  buyAmount: "buyToken",
};

/** Returns the token of an amount, if the limits allow one token only. */
function tokenBeside(chainId: string | null, limits: Limits, path: string): Token | undefined {
  const end = path.lastIndexOf("/") + 1;
  const member = TOKEN_MEMBERS[path.slice(end)];
  const tokens = member === undefined ? undefined : limits[path.slice(0, end) + member]?.oneOf;
  return tokens?.length === 1 ? findBuiltInToken(chainId, tokens[0]) : undefined;
}

const OWN_AMOUNTS = /\/(?:value|amount|wad)$/;

/** Returns the token whose amount is at a path of typed data: the contract itself, or the one beside the amount. */
export function tokenInTypedData(rule: TypedDataRule, path: string): Token | undefined {
  return tokenBeside(rule.chainId, rule.where, path) ??
    (OWN_AMOUNTS.test(path) ? findBuiltInToken(rule.chainId, rule.verifyingContract) : undefined);
}

/** Returns the token whose amount is an argument: the called contract, or the one beside the argument. */
export function tokenInCall({ chainId, to, call }: TransactionRule, argument: string): Token | undefined {
  const beside = tokenBeside(chainId, call?.where ?? {}, argument);
  if (beside !== undefined || !OWN_AMOUNTS.test(argument)) return beside;
  return to instanceof Array && to.length === 1 ? findBuiltInToken(chainId, to[0]) : undefined;
}

/** Returns the token of a budget, if all its spends are amounts of that token. */
export function tokenOfBudget(
  { typedData, transactions, effects = [] }: Policy,
  name: string,
): Token | undefined {
  const tokenOf = ({ budget, path }: Spend, find: (path: string) => Token | undefined) =>
    budget !== name ? [] : [path === undefined ? undefined : find(path)];
  const tokens = [
    ...typedData.flatMap((rule) =>
      rule.spends.flatMap((spend) => tokenOf(spend, (path) => tokenInTypedData(rule, path)))
    ),
    ...transactions.flatMap((rule) =>
      rule.spends.flatMap((spend) => tokenOf(spend, (path) => tokenInCall(rule, path.replace(/^\/call/, ""))))
    ),
    ...effects.flatMap(({ chainId, gives }) =>
      gives.filter(({ budget }) => budget === name).map(({ asset }) => findBuiltInToken(chainId, asset))
    ),
  ];
  return tokens.every((token) => token === tokens[0]) ? tokens[0] : undefined;
}
