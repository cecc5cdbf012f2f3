import { findChain } from "../ethereum/intent/chains.ts";
import { CONTRACTS } from "../ethereum/intent/contracts.ts";
import { KNOWN_TYPES } from "../ethereum/intent/recognise.ts";
import { TOKENS } from "../ethereum/intent/tokens.ts";
import { nativeWords, quoted } from "../ethereum/intent/words.ts";
import { tell } from "../ethereum/words/said.ts";
import { keccak256 } from "../ethereum/keccak.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import type {
  AuthorizationRule,
  KeyPolicy,
  Limit,
  Limits,
  MessageRules,
  Outcome,
  Policy,
  SignInRule,
  Spend,
  TransactionRule,
  TypedDataRule,
} from "./policy.ts";

/** How a sentence begins, by what comes of the rule. */
const BEGINNINGS: Readonly<Record<Outcome, string>> = {
  allow: "May",
  ask: "Asks the owner each time to",
  deny: "May not",
};

function sentence(outcome: Outcome, words: string): string {
  return `${BEGINNINGS[outcome]} ${words}.`;
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function chainWords(chainId: string | null): string {
  if (chainId === null) return "no chain";
  const name = findChain(chainId)?.name;
  return name === undefined ? `chain ${chainId}` : `${name} (chain ${chainId})`;
}

/** An address, always whole, behind the name that it is known by. */
function addressWords(chainId: string | null, address: string): string {
  const token = TOKENS.find((one) => one.chainId === chainId && one.address === address);
  const contract = CONTRACTS.find((one) =>
    one.address === address && (one.chains === "any" || (chainId !== null && one.chains.includes(chainId)))
  );
  const name = token?.symbol ?? contract?.name;
  return name === undefined ? address : `${name} (${address})`;
}

function typeWords(typeHash: string): string {
  const known = KNOWN_TYPES.find((text) => toHex(keccak256(utf8(text))) === typeHash);
  return known === undefined
    ? `typed data of the type ${typeHash}`
    : `a ${known.slice(0, known.indexOf("("))}`;
}

function limitWords(path: string, { atMost, oneOf, within }: Limit): string {
  const words = [
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
    ...(oneOf === undefined
      ? []
      : [either(oneOf.map((one) => typeof one === "string" ? tell(quoted(one), "en") : String(one)))]),
    ...(within === undefined ? [] : [`a time at most ${within} seconds ahead`]),
  ];
  return `${path} is ${words.join(" and ")}`;
}

function limitsWords(limits: Limits): string {
  const words = Object.entries(limits).map(([path, limit]) => limitWords(path, limit));
  return words.length === 0 ? "" : `, if ${words.join("; ")}`;
}

function spendsWords(spends: readonly Spend[]): string {
  const words = spends.map(({ budget, path }) =>
    `${path} counts against the budget ${tell(quoted(budget), "en")}`
  );
  return words.length === 0 ? "" : `; ${words.join("; ")}`;
}

function signInWords({ domains, chainIds, resources, outcome }: SignInRule): string {
  const on = chainIds === undefined ? "" : ` on ${either(chainIds.map(chainWords))}`;
  const giving = resources === undefined ? "" : ", also with resources, which can give rights to others";
  return sentence(outcome, `sign in to ${either(domains)}${on}${giving}`);
}

function messageSentences({ signIn, text, bytes }: MessageRules): readonly string[] {
  return [
    ...signIn.map(signInWords),
    ...(text === "deny" ? [] : [sentence(text, "sign any text, sign-ins to any site among them")]),
    ...(bytes === "deny"
      ? []
      : [sentence(bytes, "sign any bytes as a message, hashes of other things among them")]),
  ];
}

function typedDataSentence(rule: TypedDataRule): string {
  const { chainId, verifyingContract, name, domainVersion, typeHash, where, spends, outcome } = rule;
  const contract = verifyingContract === null ? "no contract" : addressWords(chainId, verifyingContract);
  const domain = [
    ...(name === undefined ? [] : [`named ${tell(quoted(name), "en")}`]),
    ...(domainVersion === undefined ? [] : [`of version ${tell(quoted(domainVersion), "en")}`]),
  ].map((words) => ` ${words}`).join("");
  const words = `sign ${typeWords(typeHash)} for ${contract}${domain} on ${chainWords(chainId)}`;
  return sentence(outcome, words + limitsWords(where) + spendsWords(spends));
}

function recipientWords({ chainId, to }: TransactionRule): string {
  if (to === "creation") return "that make a contract";
  return `to ${to === "any" ? "anybody" : either(to.map((one) => addressWords(chainId, one)))}`;
}

function dataWords({ to, selectors, call }: TransactionRule): string {
  if (to === "creation") return "";
  if (call !== undefined) return ` that call ${call.function}${limitsWords(call.where)}`;
  if (selectors === "any" || selectors === undefined) return " with any data";
  const words = selectors.map((one) => one === "0x" ? "have no data" : `call ${one}`);
  return ` that ${either(words)}`;
}

function transactionSentence(rule: TransactionRule): string {
  const { chainId, valueAtMost, feeAtMost, delegates, spends, outcome } = rule;
  const giving = delegates === undefined
    ? ""
    : `; they may have accounts run ${delegates === "any" ? "any code" : `the code of ${either(delegates)}`}`;
  const words = `send transactions on ${chainWords(chainId)} ${recipientWords(rule)}${dataWords(rule)}`;
  const amounts = `, with at most ${
    tell(nativeWords(chainId, BigInt(valueAtMost)), "en")
  } and fees of at most ${tell(nativeWords(chainId, BigInt(feeAtMost)), "en")}`;
  return sentence(outcome, words + amounts + giving + spendsWords(spends));
}

function authorizationSentence({ chainId, delegates, outcome }: AuthorizationRule): string {
  const code = delegates === "any"
    ? "any code"
    : `the code of ${either(delegates.map((one) => addressWords(chainId, one)))}`;
  return sentence(outcome, `have the account run ${code} on ${chainWords(chainId)} (EIP-7702)`);
}

/** What stands in a policy of a key beside the rules. */
function keySentences(policy: Policy | KeyPolicy): readonly string[] {
  if (!("locked" in policy)) return [];
  if (policy.locked) return ["Nothing of this can ever be loosened."];
  return policy.delayHours === 0 ? [] : [`What loosens this counts after ${policy.delayHours} hours.`];
}

/**
 * A policy in plain words, a sentence for each rule and limit, for people who decide on it. Names of chains, tokens and
 * contracts are the built-in ones; addresses are whole. What no sentence allows is refused.
 */
export function describePolicy(policy: Policy | KeyPolicy): readonly string[] {
  const { messages, typedData, transactions, authorizations, raw, digest, perMinute, perDay, budgets } =
    policy;
  const rules = [
    ...messageSentences(messages),
    ...typedData.map(typedDataSentence),
    ...transactions.map(transactionSentence),
    ...authorizations.map(authorizationSentence),
    ...(raw === "deny"
      ? []
      : [sentence(raw, "sign any raw bytes, which can be anything, transactions among them")]),
    ...(digest === "deny" ? [] : [sentence(digest, "sign any digest, which nobody can look into")]),
  ];
  if (rules.length === 0) return ["May sign nothing.", ...keySentences(policy)];
  return [
    ...rules,
    ...(perMinute === undefined ? [] : [`At most ${perMinute} signatures in a minute.`]),
    ...(perDay === undefined ? [] : [`At most ${perDay} signatures in a day (UTC).`]),
    ...Object.entries(budgets).map(([name, { perDay }]) =>
      `The budget ${tell(quoted(name), "en")} is ${perDay} in a day (UTC).`
    ),
    ...keySentences(policy),
    "Nothing else.",
  ];
}
