import type { RuleOutcome, Spend } from "./policy.ts";

/** The domain of a rule for typed data. */
interface DomainTexts {
  readonly contract: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly chain: string;
}

/** The formatted limits and budgets of a rule. Empty if it has none. */
interface Bounds {
  readonly limits: readonly string[];
  readonly spends: readonly string[];
}

const BEGINNINGS: Readonly<Record<RuleOutcome, string>> = {
  allow: "May",
  ask: "May, if the owner approves each time,",
};

function limitsText(limits: readonly string[]): string {
  return limits.length === 0 ? "" : `, if ${limits.join("; ")}`;
}

function spendsText(spends: readonly string[]): string {
  return spends.map((text) => `; ${text}`).join("");
}

export const en = {
  /** `act` is one of the acts below. */
  rule: ({ outcome, act }: { readonly outcome: RuleOutcome; readonly act: string }) =>
    `${BEGINNINGS[outcome]} ${act}.`,
  either: (texts: readonly string[]) =>
    texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`,
  noChain: "no chain",
  chain: ({ chainId, name }: { readonly chainId: string; readonly name: string | undefined }) =>
    name === undefined ? `chain ${chainId}` : `${name} (chain ${chainId})`,
  noContract: "no contract",
  knownType: (name: string) => `a ${name}`,
  unknownType: (hash: string) => `typed data of the type ${hash}`,
  limit: ({ path, is }: { readonly path: string; readonly is: readonly string[] }) =>
    `${path} is ${is.join(" and ")}`,
  atMost: (most: string) => `at most ${most}`,
  within: (seconds: number) => `a time at most ${seconds} seconds ahead`,
  spend: ({ path, budget, recipient, channel }: Spend) =>
    `${path ?? "each signature"} counts against the budget ${budget}${
      recipient === undefined ? "" : ` of its ${recipient}`
    }${channel === undefined ? "" : `, as far as it exceeds the highest amount signed for its ${channel}`}`,
  signIn: (
    { domains, chains, hasResources }: {
      readonly domains: string;
      readonly chains: string | undefined;
      readonly hasResources: boolean;
    },
  ) =>
    `sign in to ${domains}${chains === undefined ? "" : ` on ${chains}`}${
      hasResources ? ", also with resources, which can give rights to others" : ""
    }`,
  text: "sign any text, including sign-ins to any site",
  bytes: "sign any bytes as a message, including hashes of other data",
  typedData: (
    { type, contract, name, version, chain, limits, spends }: DomainTexts & Bounds & {
      readonly type: string;
    },
  ) => {
    const domain = `${name === undefined ? "" : ` named ${name}`}${
      version === undefined ? "" : ` of version ${version}`
    }`;
    return `sign ${type} for ${contract}${domain} on ${chain}${limitsText(limits)}${spendsText(spends)}`;
  },
  /** `recipients` is undefined for transactions that create a contract, which have no `data`. */
  transaction: (
    { chain, recipients, data, value, fee, delegates, spends }: Omit<Bounds, "limits"> & {
      readonly chain: string;
      readonly recipients: string | undefined;
      readonly data: string;
      readonly value: string;
      readonly fee: string;
      /** The code that the transactions may set on accounts. */
      readonly delegates: string | undefined;
    },
  ) =>
    `send transactions on ${chain} ${
      recipients === undefined ? "that create a contract" : `to ${recipients}`
    }${data}, with at most ${value} and fees of at most ${fee}${
      delegates === undefined ? "" : `; they may have accounts run ${delegates}`
    }${spendsText(spends)}`,
  anyRecipient: "any recipient",
  anyData: " with any data",
  dataOf: (kinds: string) => ` that ${kinds}`,
  noData: "have no data",
  calls: (selector: string) => `call ${selector}`,
  callOf: ({ called, limits }: { readonly called: string; readonly limits: readonly string[] }) =>
    ` that call ${called}${limitsText(limits)}`,
  anyCode: "any code",
  codeOf: (delegates: string) => `the code of ${delegates}`,
  gives: ({ amount, to, budget }: {
    readonly amount: string;
    readonly to: string | undefined;
    readonly budget: string | undefined;
  }) =>
    `${amount} to ${to ?? "anyone, also by orders"}${
      budget === undefined ? "" : `, counted against the budget ${budget}`
    }`,
  upTo: (amount: string) => `up to ${amount}`,
  anyAmountOf: (asset: string) => `any amount of ${asset}`,
  effects: ({ chain, gives, fee }: {
    readonly chain: string;
    readonly gives: readonly string[];
    readonly fee: string;
  }) => `give on ${chain}, in any form, ${gives.join("; ")}; gas may cost at most ${fee}`,
  authorization: ({ code, chain }: { readonly code: string; readonly chain: string }) =>
    `have the account run ${code} on ${chain} (EIP-7702)`,
  raw: "sign any raw bytes, which can be anything, including transactions",
  digest: "sign any digest, whose meaning cannot be checked",
  nothing: "May sign nothing.",
  /** `most` is the text of `signatures`, or an amount. */
  windows: {
    perMinute: (most: string) => `${most} in a minute`,
    perDay: (most: string) => `${most} in a day (UTC)`,
    rollingHour: (most: string) => `${most} in any 60 minutes`,
    rollingDay: (most: string) => `${most} in any 24 hours`,
    rollingWeek: (most: string) => `${most} in any 7 days`,
    total: (most: string) => `${most} in total`,
  },
  signatures: (count: number) => `${count} signatures`,
  signatureLimit: (limit: string) => `At most ${limit}.`,
  budget: (
    { name, isForEach, limits }: {
      readonly name: string;
      readonly isForEach: boolean;
      readonly limits: readonly string[];
    },
  ) => `The budget ${name}${isForEach ? ", for each recipient," : ""} is ${limits.join(", ")}.`,
  usedOf: ({ used, limit }: { readonly used: string; readonly limit: string }) => `${used} of ${limit}`,
  usedOfBudget: (
    { name, recipient, used }: {
      readonly name: string;
      readonly recipient: string | undefined;
      readonly used: string;
    },
  ) => `Budget ${name}${recipient === undefined ? "" : `, to ${recipient}`}: ${used}`,
  notAfter: (time: string) => `Nothing after ${time}.`,
  locked: "This can never be loosened.",
  delay: (hours: number) => `A looser policy takes effect after ${hours} hours.`,
  nothingElse: "Nothing else.",
  asksAlways: "Asks you before it signs anything.",
  asksOtherwise: "Asks you about everything else.",
  /** The reasons of decisions: one sentence each, without the period. */
  reasons: {
    allowed: "A rule of the policy allows this",
    asks: "The policy requires the owner's approval",
    /** For protocols that expect a signature in the response and cannot return a pending request. */
    asksElsewhere:
      "The policy requires the owner's approval: use /api/keys, which can return a pending request",
    free: "No policy limits what may be signed",
    usedUp: "The limits of the policy are used up",
    ended: "The policy has ended",
    tooManyCounts: "The policy counts for as many recipients as it can",
    tooManySteps: "The document has more values than the policy can check",
    lost: "The record of what was signed under the policy is lost",
    tokenSignsNot: "This token may not sign",
    requesterSignsNot: "The requester may no longer sign with this key",
    format: ({ format }: { readonly format: string }) => `The policy does not allow the format ${format}`,
    noBytes: "The policy allows no messages of bytes",
    noTexts: "The policy allows no texts except the sign-ins that it lists",
    noSite: "The policy lists no sign-in to this site",
    otherSite: "The URI of the sign-in leads to another site",
    signInChain: "The sign-in is for another chain",
    resources: "The sign-in names resources, which can give rights to others",
    otherChain: "The rule is for another chain",
    creation: "The transaction creates a contract",
    recipient: "The recipient is not in the policy's list",
    selector: "The called function is not in the policy's list",
    notCall: ({ signature }: { readonly signature: string }) =>
      `The data is not exactly a call of ${signature}`,
    foreignCode: "The transaction has accounts run code that the policy does not list",
    accountCode: "The account would run code that the policy does not list",
    moreThan: ({ at, most }: { readonly at: string; readonly most: string }) =>
      `The value at ${at} is more than ${most}`,
    noTransactions: "No rule is for transactions on this chain",
    noAuthorizations: "No rule is for authorizations on this chain",
    noTypedData: "No rule is for typed data of this chain and contract",
    otherType: "The rule is for another type",
    domain: ({ member }: { readonly member: string }) => `The domain's ${member} is not the one of the rule`,
    noSingleValue: ({ at }: { readonly at: string }) => `There is no single value at ${at}`,
    notAtMost: ({ at, most }: { readonly at: string; readonly most: string }) =>
      `The value at ${at} is not an integer from 0 to ${most}`,
    notListed: ({ at }: { readonly at: string }) => `The value at ${at} is not in the policy's list`,
    notWithin: ({ at, seconds }: { readonly at: string; readonly seconds: number }) =>
      `The value at ${at} is not a time at most ${seconds} seconds from now`,
    noEffects: "No rule covers the effects",
    effectsUnknown: "Not all effects of this are known",
    moreEffects: "This does more than give what the rule lists",
    feeTooHigh: "Gas can cost more than the rule allows",
    givesMore: ({ most }: { readonly most: string }) => `This gives more than ${most}`,
    nothingCounted: "There is no amount that the budget counts",
    noAmount: ({ at }: { readonly at: string }) => `The value at ${at} is not an amount`,
  },
};
