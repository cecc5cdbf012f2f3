import { findChain } from "../clear-signing/registry/chains.ts";
import { CONTRACTS } from "../clear-signing/registry/contracts.ts";
import { KNOWN_TYPES } from "../clear-signing/match-standard.ts";
import { TOKENS } from "../clear-signing/registry/tokens.ts";
import { nativeWords, quoted } from "../clear-signing/parties.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { tell } from "../clear-signing/format-message.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import type { Language } from "../lib/language.ts";
import type {
  AuthorizationRule,
  KeyPolicy,
  Limit,
  Limits,
  MessageRules,
  Policy,
  SignInRule,
  Spend,
  TransactionRule,
  TypedDataRule,
} from "./policy.ts";
import { type PolicyWords, policyWordsIn } from "./messages.ts";

interface Telling {
  readonly language: Language;
  readonly words: PolicyWords;
}

function quote({ language }: Telling, text: string): string {
  return tell(quoted(text), language);
}

function chainWords({ words }: Telling, chainId: string | null): string {
  return chainId === null ? words.noChain : words.chain({ chainId, name: findChain(chainId)?.name });
}

function addressWords(chainId: string | null, address: string): string {
  const token = TOKENS.find((one) => one.chainId === chainId && one.address === address);
  const contract = CONTRACTS.find((one) =>
    one.address === address && (one.chains === "any" || (chainId !== null && one.chains.includes(chainId)))
  );
  const name = token?.symbol ?? contract?.name;
  return name === undefined ? address : `${name} (${address})`;
}

function typeWords({ words }: Telling, typeHash: string): string {
  const known = KNOWN_TYPES.find((text) => toHex(keccak256(utf8(text))) === typeHash);
  return known === undefined
    ? words.unknownType(typeHash)
    : words.knownType(known.slice(0, known.indexOf("(")));
}

function limitWords(telling: Telling, path: string, { atMost, oneOf, within }: Limit): string {
  const { words } = telling;
  const listed = oneOf?.map((one) => typeof one === "string" ? quote(telling, one) : String(one));
  const is = [
    ...(atMost === undefined ? [] : [words.atMost(atMost)]),
    ...(listed === undefined ? [] : [words.either(listed)]),
    ...(within === undefined ? [] : [words.within(within)]),
  ];
  return words.limit({ path, is });
}

function limitsWords(telling: Telling, limits: Limits): readonly string[] {
  return Object.entries(limits).map(([path, limit]) => limitWords(telling, path, limit));
}

function spendsWords(telling: Telling, spends: readonly Spend[]): readonly string[] {
  return spends.map(({ budget, path }) => telling.words.spend({ path, budget: quote(telling, budget) }));
}

function signInSentence(telling: Telling, { domains, chainIds, resources, outcome }: SignInRule): string {
  const { words } = telling;
  const chains = chainIds?.map((chainId) => chainWords(telling, chainId));
  const act = words.signIn({
    domains: words.either(domains),
    chains: chains && words.either(chains),
    hasResources: resources !== undefined,
  });
  return words.rule({ outcome, act });
}

function messageSentences(telling: Telling, { signIn, text, bytes }: MessageRules): readonly string[] {
  const { words } = telling;
  return [
    ...signIn.map((rule) => signInSentence(telling, rule)),
    ...(text === "deny" ? [] : [words.rule({ outcome: text, act: words.text })]),
    ...(bytes === "deny" ? [] : [words.rule({ outcome: bytes, act: words.bytes })]),
  ];
}

function typedDataSentence(telling: Telling, rule: TypedDataRule): string {
  const { words } = telling;
  const { chainId, verifyingContract, name, domainVersion, typeHash, where, spends, outcome } = rule;
  const act = words.typedData({
    type: typeWords(telling, typeHash),
    contract: verifyingContract === null ? words.noContract : addressWords(chainId, verifyingContract),
    name: name === undefined ? undefined : quote(telling, name),
    version: domainVersion === undefined ? undefined : quote(telling, domainVersion),
    chain: chainWords(telling, chainId),
    limits: limitsWords(telling, where),
    spends: spendsWords(telling, spends),
  });
  return words.rule({ outcome, act });
}

/** Returns undefined for transactions that create a contract. */
function recipientWords({ words }: Telling, { chainId, to }: TransactionRule): string | undefined {
  if (to === "creation") return undefined;
  return to === "any" ? words.anybody : words.either(to.map((one) => addressWords(chainId, one)));
}

function dataWords(telling: Telling, { to, selectors, call }: TransactionRule): string {
  const { words } = telling;
  if (to === "creation") return "";
  if (call !== undefined) {
    return words.callOf({ called: call.function, limits: limitsWords(telling, call.where) });
  }
  if (selectors === "any" || selectors === undefined) return words.anyData;
  return words.dataOf(words.either(selectors.map((one) => one === "0x" ? words.noData : words.calls(one))));
}

function transactionSentence(telling: Telling, rule: TransactionRule): string {
  const { words, language } = telling;
  const { chainId, valueAtMost, feeAtMost, delegates, spends, outcome } = rule;
  const code = delegates === "any" ? words.anyCode : delegates && words.codeOf(words.either(delegates));
  const act = words.transaction({
    chain: chainWords(telling, chainId),
    recipients: recipientWords(telling, rule),
    data: dataWords(telling, rule),
    value: tell(nativeWords(chainId, BigInt(valueAtMost)), language),
    fee: tell(nativeWords(chainId, BigInt(feeAtMost)), language),
    delegates: code,
    spends: spendsWords(telling, spends),
  });
  return words.rule({ outcome, act });
}

function authorizationSentence(
  telling: Telling,
  { chainId, delegates, outcome }: AuthorizationRule,
): string {
  const { words } = telling;
  const code = delegates === "any"
    ? words.anyCode
    : words.codeOf(words.either(delegates.map((one) => addressWords(chainId, one))));
  const act = words.authorization({ code, chain: chainWords(telling, chainId) });
  return words.rule({ outcome, act });
}

function keySentences({ words }: Telling, policy: Policy | KeyPolicy): readonly string[] {
  if (!("locked" in policy)) return [];
  if (policy.locked) return [words.locked];
  return policy.delayHours === 0 ? [] : [words.delay(policy.delayHours)];
}

/** Describes a policy in sentences, one for each rule and limit. Names are built-in ones; addresses are in full. */
export function describePolicy(policy: Policy | KeyPolicy, language: Language): readonly string[] {
  const words = policyWordsIn(language);
  const telling = { language, words };
  const { messages, typedData, transactions, authorizations, raw, digest, perMinute, perDay, budgets } =
    policy;
  const rules = [
    ...messageSentences(telling, messages),
    ...typedData.map((rule) => typedDataSentence(telling, rule)),
    ...transactions.map((rule) => transactionSentence(telling, rule)),
    ...authorizations.map((rule) => authorizationSentence(telling, rule)),
    ...(raw === "deny" ? [] : [words.rule({ outcome: raw, act: words.raw })]),
    ...(digest === "deny" ? [] : [words.rule({ outcome: digest, act: words.digest })]),
  ];
  if (rules.length === 0) return [words.nothing, ...keySentences(telling, policy)];
  return [
    ...rules,
    ...(perMinute === undefined ? [] : [words.perMinute(perMinute)]),
    ...(perDay === undefined ? [] : [words.perDay(perDay)]),
    ...Object.entries(budgets).map(([name, { perDay }]) =>
      words.budget({ name: quote(telling, name), perDay })
    ),
    ...keySentences(telling, policy),
    words.nothingElse,
  ];
}
