import { readAbiFunction } from "../clear-signing/abi.ts";
import { POLICY_LIMITS } from "./policy.ts";
import type {
  AuthorizationRule,
  CallRule,
  EffectRule,
  Give,
  MessageRules,
  Outcome,
  RuleOutcome,
  SignInRule,
  Spend,
  TransactionRule,
  TypedDataRule,
} from "./policy.ts";
import { readLimits, readSpends } from "./read-limits.ts";
import { findStandardNames } from "./standard-names.ts";
import {
  below,
  optional,
  readAddressText,
  readAmount,
  readBytes,
  readChainId,
  readDomainChainId,
  readList,
  readMembers,
  readSet,
  readText,
  readWord,
  readWordOr,
  refuse,
  withDefault,
} from "./policy-reading.ts";
import type { Reader } from "./policy-reading.ts";

const ANY = ["any"] as const;
const readRuleOutcome: Reader<RuleOutcome> = readWord("allow", "ask");
const NO_SPENDS: readonly Spend[] = [];

export const readOutcome: Reader<Outcome> = readWord("allow", "ask", "deny");

function readNullOr<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => value === null ? null : read(value, path);
}

/** The authority of a URI without user (RFC 3986), as EIP-4361 requires. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/;

const readDomain: Reader<string> = (value, path) => {
  const domain = readText(value, path).toLowerCase();
  if (!DOMAIN.test(domain)) {
    refuse(path, "Expected a host such as app.example.org or localhost:3000; names beyond ASCII in Punycode");
  }
  return domain;
};

const readSignInRule: Reader<SignInRule> = (value, path) => {
  const members = readMembers(value, path, {
    required: ["domains"],
    optional: ["chainIds", "resources", "outcome"],
  });
  return {
    domains: readSet(readDomain)(members.domains, below(path, "domains")),
    ...optional(members, path, "chainIds", readSet(readChainId)),
    ...optional(members, path, "resources", readWord("any")),
    outcome: withDefault(members, path, "outcome", readRuleOutcome, "allow"),
  };
};

export const NO_MESSAGES: MessageRules = { signIn: [], text: "deny", bytes: "deny" };
const MESSAGE_WORDS = { none: NO_MESSAGES, any: { signIn: [], text: "allow", bytes: "allow" } } as const;

/** Reads the rules for messages, or one of the words "none" and "any". */
export const readMessages: Reader<MessageRules> = (value, path) => {
  if (typeof value === "string") return MESSAGE_WORDS[readWord("none", "any")(value, path)];
  const members = readMembers(value, path, { required: [], optional: ["signIn", "text", "bytes"] });
  return {
    signIn: withDefault(members, path, "signIn", readRules(readSignInRule), []),
    text: withDefault(members, path, "text", readOutcome, "deny"),
    bytes: withDefault(members, path, "bytes", readOutcome, "deny"),
  };
};

export function readRules<T>(read: Reader<T>): Reader<readonly T[]> {
  return readList(read, 0, POLICY_LIMITS.rules);
}

export const readTypedDataRule: Reader<TypedDataRule> = (value, path) => {
  const members = readMembers(value, path, {
    required: ["chainId", "verifyingContract", "typeHash"],
    optional: ["name", "domainVersion", "where", "spends", "outcome"],
  });
  const verifyingContract = readNullOr(readAddressText)(
    members.verifyingContract,
    below(path, "verifyingContract"),
  );
  if (verifyingContract === null && !Object.hasOwn(members, "name")) {
    refuse(below(path, "name"), "Missing member: a domain without a contract is identified by its name only");
  }
  return {
    chainId: readNullOr(readDomainChainId)(members.chainId, below(path, "chainId")),
    verifyingContract,
    ...optional(members, path, "name", readText),
    ...optional(members, path, "domainVersion", readText),
    typeHash: readBytes(32)(members.typeHash, below(path, "typeHash")),
    where: withDefault(members, path, "where", readLimits, {}),
    spends: withDefault(members, path, "spends", readSpends, NO_SPENDS),
    outcome: withDefault(members, path, "outcome", readRuleOutcome, "allow"),
  };
};

const readFunction: Reader<string> = (value, path) => {
  const read = readAbiFunction(readText(value, path));
  if (read === undefined) {
    refuse(path, "Expected a function with named parameters, such as transfer(address to,uint256 value)");
  }
  const standard = findStandardNames(read);
  if (standard !== undefined) refuse(path, `Expected the names of the standard: ${standard}`);
  return value as string;
};

const readCall: Reader<CallRule> = (value, path) => {
  const members = readMembers(value, path, { required: ["function"], optional: ["where"] });
  return {
    function: readFunction(members.function, below(path, "function")).replaceAll(", ", ","),
    where: withDefault(members, path, "where", readLimits, {}),
  };
};

const readAddresses = readSet(readAddressText);

const ARGUMENT = /^\/call\/.+$/;

/** The values of a transaction on a path of a spend, besides the arguments of its call. */
const SPEND_VALUES: Readonly<Record<Exclude<keyof Spend, "budget">, readonly string[]>> = {
  path: ["/value", "/fee"],
  recipient: ["/to"],
  channel: [],
};

const SPEND_MEMBERS = Object.keys(SPEND_VALUES) as (keyof typeof SPEND_VALUES)[];

/** Reads the spends of a transaction rule. */
const readTransactionSpends: Reader<readonly Spend[]> = (value, path) => {
  const spends = readSpends(value, path);
  for (const [index, spend] of spends.entries()) {
    for (const member of SPEND_MEMBERS) {
      const at = spend[member];
      if (at === undefined || SPEND_VALUES[member].includes(at) || ARGUMENT.test(at)) continue;
      const expected = [...SPEND_VALUES[member], "a path below /call"].join(" or ");
      refuse(below(below(path, index), member), `Expected ${expected}`);
    }
  }
  return spends;
};

const readSelector: Reader<string> = (value, path) => value === "0x" ? value : readBytes(4)(value, path);

export const readTransactionRule: Reader<TransactionRule> = (value, path) => {
  const members = readMembers(value, path, {
    required: ["chainId", "to", "valueAtMost", "feeAtMost"],
    optional: ["selectors", "call", "delegates", "spends", "outcome"],
  });
  if (Object.hasOwn(members, "selectors") === Object.hasOwn(members, "call")) {
    refuse(below(path, "selectors"), 'Expected either selectors or call; "selectors": ["0x"] is for no data');
  }
  const to = readWordOr(["any", "creation"], readAddresses)(members.to, below(path, "to"));
  if (to === "creation" && members.selectors !== "any") {
    refuse(below(path, "selectors"), 'Expected "any": the data of a creation is code');
  }
  return {
    chainId: readChainId(members.chainId, below(path, "chainId")),
    to,
    valueAtMost: readAmount(members.valueAtMost, below(path, "valueAtMost")),
    feeAtMost: readAmount(members.feeAtMost, below(path, "feeAtMost")),
    ...optional(members, path, "selectors", readWordOr(ANY, readSet(readSelector))),
    ...optional(members, path, "call", readCall),
    ...optional(members, path, "delegates", readWordOr(ANY, readAddresses)),
    spends: withDefault(members, path, "spends", readTransactionSpends, NO_SPENDS),
    outcome: withDefault(members, path, "outcome", readRuleOutcome, "allow"),
  };
};

const readAsset: Reader<string> = (value, path) => value === "native" ? value : readAddressText(value, path);

const readGive: Reader<Give> = (value, path) => {
  const members = readMembers(value, path, { required: ["asset", "to"], optional: ["atMost", "budget"] });
  return {
    asset: readAsset(members.asset, below(path, "asset")),
    to: readWordOr(ANY, readAddresses)(members.to, below(path, "to")),
    ...optional(members, path, "atMost", readAmount),
    ...optional(members, path, "budget", readText),
  };
};

export const readEffectRule: Reader<EffectRule> = (value, path) => {
  const members = readMembers(value, path, {
    required: ["chainId", "gives"],
    optional: ["feeAtMost", "outcome"],
  });
  const gives = readList(readGive, 1, POLICY_LIMITS.paths)(members.gives, below(path, "gives"));
  const twice = gives.findIndex(({ asset }, index) => gives.findIndex((one) => one.asset === asset) < index);
  if (twice >= 0) refuse(below(below(below(path, "gives"), twice), "asset"), "Expected each asset once");
  return {
    chainId: readChainId(members.chainId, below(path, "chainId")),
    gives,
    feeAtMost: withDefault(members, path, "feeAtMost", readAmount, "0"),
    outcome: withDefault(members, path, "outcome", readRuleOutcome, "allow"),
  };
};

export const readAuthorizationRule: Reader<AuthorizationRule> = (value, path) => {
  const members = readMembers(value, path, { required: ["chainId", "delegates"], optional: ["outcome"] });
  return {
    chainId: readChainId(members.chainId, below(path, "chainId")),
    delegates: readWordOr(ANY, readAddresses)(members.delegates, below(path, "delegates")),
    outcome: withDefault(members, path, "outcome", readRuleOutcome, "allow"),
  };
};
