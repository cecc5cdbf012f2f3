import { toChecksumAddress } from "../ethereum/address.ts";
import { decodeCall, readAbiFunction } from "../clear-signing/abi.ts";
import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import { maximumFee } from "../ethereum/transaction/explain.ts";
import { toHex } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import { firstMiss, fitRules, type Fitting, type Trial } from "./match.ts";
import { type Miss, missOf } from "./limit.ts";
import type { AuthorizationRule, Policy, TransactionRule } from "./policy.ts";
import { amountsOf, type Lookup } from "./spend.ts";
import { argumentsNode, type Node, valuesAt } from "./values.ts";
import { type Reason, reason } from "./reason.ts";

function miss(member: string, value: string, reason: Reason): Miss {
  return { member, value, reason };
}

function isListed(list: readonly string[] | "any", address: Uint8Array): boolean {
  return list === "any" || list.includes(toChecksumAddress(address));
}

function chainMiss(rule: string, chainId: bigint): Miss | undefined {
  return rule === chainId.toString() ? undefined : miss("/chainId", "/chainId", reason("otherChain"));
}

function recipientMiss({ to }: TransactionRule, transaction: Transaction): Miss | undefined {
  if (transaction.to === null) {
    return to === "creation" ? undefined : miss("/to", "/to", reason("creation"));
  }
  if (to !== "creation" && isListed(to, transaction.to)) return undefined;
  return miss("/to", "/to", reason("recipient"));
}

function selectorMiss({ selectors }: TransactionRule, data: Uint8Array): Miss | undefined {
  if (selectors === undefined || selectors === "any") return undefined;
  // One to three bytes are no selector, so no rule lists them.
  const isNamed = data.length === 0 || data.length >= 4;
  if (isNamed && selectors.includes(toHex(data.subarray(0, 4)))) return undefined;
  return miss("/selectors", "/data", reason("selector"));
}

/** Decodes the arguments of the call. Returns a miss unless the data is exactly such a call. */
function readArguments({ call }: TransactionRule, data: Uint8Array): Node | Miss {
  if (call === undefined) return { kind: "nothing" };
  const abi = readAbiFunction(call.function)!;
  const values = decodeCall(abi, toHex(data));
  return values === undefined
    ? miss("/call/function", "/data", reason("notCall", { signature: abi.signature }))
    : argumentsNode(abi.parameters, values);
}

function delegatesMiss({ delegates }: TransactionRule, transaction: Transaction): Miss | undefined {
  if (transaction.type !== "eip7702") return undefined;
  const list = transaction.authorizationList;
  const foreign = list.findIndex(({ address }) => delegates === undefined || !isListed(delegates, address));
  if (foreign < 0) return undefined;
  const at = `/authorizationList/${foreign}/address`;
  return miss("/delegates", at, reason("foreignCode"));
}

function amountMiss(
  member: string,
  value: string,
  { amount, most }: { amount: bigint; most: string },
): Miss | undefined {
  return amount <= BigInt(most) ? undefined : miss(member, value, reason("moreThan", { at: value, most }));
}

function lookupIn(transaction: Transaction, args: Node): Lookup {
  const single = (at: string, amount: bigint): ReturnType<Lookup> => [
    { at, leaf: { kind: "uint", value: amount.toString() } },
  ];
  return (path) => {
    if (path === "/value") return single(path, transaction.value);
    if (path === "/fee") return single(path, maximumFee(transaction));
    return valuesAt(args, path.slice("/call".length), "/call");
  };
}

export function fitTransaction({ transactions }: Policy, transaction: Transaction, now: Instant): Fitting {
  return fitRules(
    "/transactions",
    transactions,
    reason("noTransactions"),
    (rule) => tryRule(rule, transaction, now),
  );
}

function tryRule(rule: TransactionRule, transaction: Transaction, now: Instant): Trial {
  const { data, value } = transaction;
  let args: Node = { kind: "nothing" };
  const missed = firstMiss([
    () => chainMiss(rule.chainId, transaction.chainId),
    () => recipientMiss(rule, transaction),
    () => selectorMiss(rule, data),
    () => {
      const read = readArguments(rule, data);
      if ("member" in read && "reason" in read) return read;
      args = read;
      return undefined;
    },
    () => amountMiss("/valueAtMost", "/value", { amount: value, most: rule.valueAtMost }),
    () => amountMiss("/feeAtMost", "/fee", { amount: maximumFee(transaction), most: rule.feeAtMost }),
    () => delegatesMiss(rule, transaction),
    () => missOf(rule.call?.where ?? {}, args, { member: "/call/where", at: "/call", now }),
  ]);
  if (missed !== undefined) return missed;
  const spends = amountsOf(rule.spends, lookupIn(transaction, args));
  return "member" in spends ? { ...spends, passed: 8 } : { outcome: rule.outcome, spends };
}

export function fitAuthorization({ authorizations }: Policy, { chainId, address }: Authorization): Fitting {
  return fitRules(
    "/authorizations",
    authorizations,
    reason("noAuthorizations"),
    (rule: AuthorizationRule) =>
      firstMiss([
        () => chainMiss(rule.chainId, chainId),
        () =>
          isListed(rule.delegates, address)
            ? undefined
            : miss("/delegates", "/address", reason("accountCode")),
      ]) ?? { outcome: rule.outcome, spends: [] },
  );
}
