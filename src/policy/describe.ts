import { findChain } from "../clear-signing/registry/chains.ts";
import { CONTRACTS } from "../clear-signing/registry/contracts.ts";
import type { Token } from "../clear-signing/registry/tokens.ts";
import { nativeText, quoted } from "../clear-signing/parties.ts";
import { localize } from "../clear-signing/format-message.ts";
import type { Language } from "../lib/language.ts";
import type {
  AuthorizationRule,
  EffectRule,
  Give,
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
import {
  amountText,
  findBuiltInToken,
  tokenInCall,
  tokenInTypedData,
  tokenOfBudget,
} from "./describe-amounts.ts";
import { functionName, knownType } from "./rule-level.ts";
import { type PolicyMessages, policyMessagesIn } from "./messages.ts";
import { BUDGET_WINDOW_NAMES, SIGNATURE_WINDOW_NAMES } from "./windows.ts";

interface Localization {
  readonly language: Language;
  readonly catalogue: PolicyMessages;
}

function quotedText({ language }: Localization, text: string): string {
  return localize(quoted(text), language);
}

function chainText({ catalogue }: Localization, chainId: string | null): string {
  return chainId === null ? catalogue.noChain : catalogue.chain({ chainId, name: findChain(chainId)?.name });
}

function addressText(chainId: string | null, address: string): string {
  const token = findBuiltInToken(chainId, address);
  const contract = CONTRACTS.find((one) =>
    one.address === address && (one.chains === "any" || (chainId !== null && one.chains.includes(chainId)))
  );
  const name = token?.symbol ?? contract?.name;
  return name === undefined ? address : `${name} (${address})`;
}

function typeText({ catalogue }: Localization, typeHash: string): string {
  const known = knownType(typeHash);
  return known === undefined
    ? catalogue.unknownType(typeHash)
    : catalogue.knownType(known.slice(0, known.indexOf("(")));
}

type FindToken = (path: string) => Token | undefined;

function limitText(
  localization: Localization,
  path: string,
  { limit: { atMost, oneOf, within }, token }: { readonly limit: Limit; readonly token: Token | undefined },
): string {
  const { catalogue } = localization;
  const listed = oneOf?.map((one) => typeof one === "string" ? quotedText(localization, one) : String(one));
  const is = [
    ...(atMost === undefined ? [] : [catalogue.atMost(amountText(atMost, token))]),
    ...(listed === undefined ? [] : [catalogue.either(listed)]),
    ...(within === undefined ? [] : [catalogue.within(within)]),
  ];
  return catalogue.limit({ path, is });
}

function limitsText(localization: Localization, limits: Limits, findToken: FindToken): readonly string[] {
  return Object.entries(limits).map(([path, limit]) =>
    limitText(localization, path, { limit, token: findToken(path) })
  );
}

function spendTexts(localization: Localization, spends: readonly Spend[]): readonly string[] {
  return spends.map((spend) =>
    localization.catalogue.spend({ ...spend, budget: quotedText(localization, spend.budget) })
  );
}

function signInSentence(
  localization: Localization,
  { domains, chainIds, resources, outcome }: SignInRule,
): string {
  const { catalogue } = localization;
  const chains = chainIds?.map((chainId) => chainText(localization, chainId));
  const act = catalogue.signIn({
    domains: catalogue.either(domains),
    chains: chains && catalogue.either(chains),
    hasResources: resources !== undefined,
  });
  return catalogue.rule({ outcome, act });
}

function messageSentences(
  localization: Localization,
  { signIn, text, bytes }: MessageRules,
): readonly string[] {
  const { catalogue } = localization;
  return [
    ...signIn.map((rule) => signInSentence(localization, rule)),
    ...(text === "deny" ? [] : [catalogue.rule({ outcome: text, act: catalogue.text })]),
    ...(bytes === "deny" ? [] : [catalogue.rule({ outcome: bytes, act: catalogue.bytes })]),
  ];
}

function typedDataSentence(localization: Localization, rule: TypedDataRule): string {
  const { catalogue } = localization;
  const { chainId, verifyingContract, name, domainVersion, typeHash, where, spends, outcome } = rule;
  const act = catalogue.typedData({
    type: typeText(localization, typeHash),
    contract: verifyingContract === null ? catalogue.noContract : addressText(chainId, verifyingContract),
    name: name === undefined ? undefined : quotedText(localization, name),
    version: domainVersion === undefined ? undefined : quotedText(localization, domainVersion),
    chain: chainText(localization, chainId),
    limits: limitsText(localization, where, (path) => tokenInTypedData(rule, path)),
    spends: spendTexts(localization, spends),
  });
  return catalogue.rule({ outcome, act });
}

/** Returns undefined for transactions that create a contract. */
function recipientText({ catalogue }: Localization, { chainId, to }: TransactionRule): string | undefined {
  if (to === "creation") return undefined;
  return to === "any" ? catalogue.anyRecipient : catalogue.either(to.map((one) => addressText(chainId, one)));
}

function dataText(localization: Localization, rule: TransactionRule): string {
  const { to, selectors, call } = rule;
  const { catalogue } = localization;
  if (to === "creation") return "";
  if (call !== undefined) {
    const limits = limitsText(localization, call.where, (path) => tokenInCall(rule, path));
    return catalogue.callOf({ called: call.function, limits });
  }
  if (selectors === "any" || selectors === undefined) return catalogue.anyData;
  return catalogue.dataOf(
    catalogue.either(
      selectors.map((one) => one === "0x" ? catalogue.noData : catalogue.calls(calledText(one))),
    ),
  );
}

function calledText(selector: string): string {
  const name = functionName(selector);
  return name === undefined ? selector : `${name} (${selector})`;
}

function transactionSentence(localization: Localization, rule: TransactionRule): string {
  const { catalogue, language } = localization;
  const { chainId, valueAtMost, feeAtMost, delegates, spends, outcome } = rule;
  const code = delegates === "any"
    ? catalogue.anyCode
    : delegates && catalogue.codeOf(catalogue.either(delegates));
  const act = catalogue.transaction({
    chain: chainText(localization, chainId),
    recipients: recipientText(localization, rule),
    data: dataText(localization, rule),
    value: localize(nativeText(chainId, BigInt(valueAtMost)), language),
    fee: localize(nativeText(chainId, BigInt(feeAtMost)), language),
    delegates: code,
    spends: spendTexts(localization, spends),
  });
  return catalogue.rule({ outcome, act });
}

function authorizationSentence(
  localization: Localization,
  { chainId, delegates, outcome }: AuthorizationRule,
): string {
  const { catalogue } = localization;
  const code = delegates === "any"
    ? catalogue.anyCode
    : catalogue.codeOf(catalogue.either(delegates.map((one) => addressText(chainId, one))));
  const act = catalogue.authorization({ code, chain: chainText(localization, chainId) });
  return catalogue.rule({ outcome, act });
}

function budgetSentences(localization: Localization, policy: Policy): readonly string[] {
  const { catalogue } = localization;
  const spends = [...policy.typedData, ...policy.transactions].flatMap((rule) => rule.spends);
  return Object.entries(policy.budgets).map(([name, budget]) => {
    const token = tokenOfBudget(policy, name);
    const limits = BUDGET_WINDOW_NAMES.flatMap((window) =>
      budget[window] === undefined ? [] : [catalogue.windows[window](amountText(budget[window], token))]
    );
    const isForEach = spends.some((spend) => spend.budget === name && spend.recipient !== undefined);
    return catalogue.budget({ name: quotedText(localization, name), isForEach, limits });
  });
}

function givesText(localization: Localization, chainId: string, { asset, to, atMost, budget }: Give): string {
  const { catalogue, language } = localization;
  const isNative = asset === "native";
  const amount = atMost === undefined
    ? catalogue.anyAmountOf(isNative ? nativeName(chainId) : addressText(chainId, asset))
    : catalogue.upTo(
      isNative
        ? localize(nativeText(chainId, BigInt(atMost)), language)
        : `${amountText(atMost, findBuiltInToken(chainId, asset))} (${asset})`,
    );
  return catalogue.gives({
    amount,
    to: to === "any" ? undefined : catalogue.either(to.map((one) => addressText(chainId, one))),
    budget: budget === undefined ? undefined : quotedText(localization, budget),
  });
}

function nativeName(chainId: string): string {
  return findChain(chainId)?.currency ?? chainId;
}

function effectSentence(
  localization: Localization,
  { chainId, gives, feeAtMost, outcome }: EffectRule,
): string {
  const { catalogue, language } = localization;
  const act = catalogue.effects({
    chain: chainText(localization, chainId),
    gives: gives.map((give) => givesText(localization, chainId, give)),
    fee: localize(nativeText(chainId, BigInt(feeAtMost)), language),
  });
  return catalogue.rule({ outcome, act });
}

function keySentences({ catalogue }: Localization, policy: Policy | KeyPolicy): readonly string[] {
  if (!("locked" in policy)) return [];
  if (policy.locked) return [catalogue.locked];
  return policy.delayHours === 0 ? [] : [catalogue.delay(policy.delayHours)];
}

/** Returns a sentence for each rule and limit of a policy. Names are built-in ones; addresses are in full. */
export function describePolicy(policy: Policy | KeyPolicy, language: Language): readonly string[] {
  const catalogue = policyMessagesIn(language);
  const localization = { language, catalogue };
  const {
    messages,
    typedData,
    transactions,
    authorizations,
    effects = [],
    raw,
    digest,
    otherwise,
    notAfter,
  } = policy;
  const named = [
    ...messageSentences(localization, messages),
    ...typedData.map((rule) => typedDataSentence(localization, rule)),
    ...transactions.map((rule) => transactionSentence(localization, rule)),
    ...authorizations.map((rule) => authorizationSentence(localization, rule)),
    ...effects.map((rule) => effectSentence(localization, rule)),
    ...(raw === "deny" ? [] : [catalogue.rule({ outcome: raw, act: catalogue.raw })]),
    ...(digest === "deny" ? [] : [catalogue.rule({ outcome: digest, act: catalogue.digest })]),
  ];
  const fallback = named.length === 0 ? catalogue.asksAlways : catalogue.asksOtherwise;
  const rules = otherwise === undefined ? named : [...named, fallback];
  if (rules.length === 0) return [catalogue.nothing, ...keySentences(localization, policy)];
  return [
    ...rules,
    ...SIGNATURE_WINDOW_NAMES.flatMap((name) =>
      policy[name] === undefined
        ? []
        : [catalogue.signatureLimit(catalogue.windows[name](catalogue.signatures(policy[name])))]
    ),
    ...budgetSentences(localization, policy),
    ...(notAfter === undefined ? [] : [catalogue.notAfter(notAfter)]),
    ...keySentences(localization, policy),
    ...(otherwise === undefined ? [catalogue.nothingElse] : []),
  ];
}
