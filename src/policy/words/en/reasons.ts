/** Why a policy decides as it does, a sentence each without its period. */
export const reasonWords = {
  allowed: "A rule of the policy allows this",
  asks: "The policy has its owner asked first",
  /** For whoever takes nothing but a signature for an answer. */
  asksElsewhere: "The policy has its owner asked first: ask through /api/keys, where the answer can wait",
  free: "No policy limits what may be signed",
  usedUp: "What this allows is used up",
  lost: "What was signed under the policy is not on record any more",
  tokenSignsNot: "This token may not sign",
  askerSignsNot: "Whoever asked may not sign with this key any more",
  format: ({ format }: { readonly format: string }) => `The policy does not sign the format ${format}`,
  noBytes: "The policy signs no bytes as messages",
  noTexts: "The policy signs no texts but the sign-ins that it lists",
  noSite: "The policy lists no sign-in to this site",
  otherSite: "The URI of the sign-in leads to another site",
  signInChain: "The sign-in is for another chain",
  resources: "The sign-in names resources, which can give rights to others",
  otherChain: "The chain is not the one of the rule",
  creation: "The transaction makes a contract",
  recipient: "The recipient is none of those that the policy lists",
  selector: "The function that is called is none of those that the policy lists",
  notCall: ({ signature }: { readonly signature: string }) =>
    `The data is not exactly a call of ${signature}`,
  foreignCode: "The transaction has accounts run code that the policy does not list",
  accountCode: "The account would run code that the policy does not list",
  moreThan: ({ at, most }: { readonly at: string; readonly most: string }) =>
    `The value at ${at} is more than ${most}`,
  noTransactions: "No rule is for transactions on this chain",
  noAuthorizations: "No rule is for authorizations on this chain",
  noTypedData: "No rule is for typed data of this chain and contract",
  otherType: "The type is not the one of the rule",
  domain: ({ member }: { readonly member: string }) => `The domain's ${member} is not the one of the rule`,
  noSingleValue: ({ at }: { readonly at: string }) => `There is no single value at ${at}`,
  notAtMost: ({ at, most }: { readonly at: string; readonly most: string }) =>
    `The value at ${at} is not an integer from 0 to ${most}`,
  notListed: ({ at }: { readonly at: string }) => `The value at ${at} is none of those that the policy lists`,
  notWithin: ({ at, seconds }: { readonly at: string; readonly seconds: number }) =>
    `The value at ${at} is not a time at most ${seconds} seconds from now`,
  nothingCounted: "There is no amount that the budget counts",
  noAmount: ({ at }: { readonly at: string }) => `The value at ${at} is no amount`,
};
