import type { BudgetWindow, SignatureWindow } from "./windows.ts";

/** The outcome for an act: sign it, ask the owner first, or refuse. */
export type Outcome = "allow" | "ask" | "deny";

/** The outcome of a matching rule. An act that matches none is refused. */
export type RuleOutcome = Exclude<Outcome, "deny">;

/** The only version. */
export const POLICY_VERSION = 1;

/** The limits that docs/reference/policies.md publishes. */
export const POLICY_LIMITS = {
  /** Rules of one kind. */
  rules: 50,
  /** Values in a list: addresses, domains, selectors, chains, values of `oneOf`. */
  list: 100,
  /** Paths in one `where`, and in one `spends`. */
  paths: 16,
  /** Steps of a path. */
  steps: 16,
  budgets: 16,
  /** Characters of any text in a policy. */
  text: 256,
  /** Characters of the canonical JSON. */
  canonical: 32_768,
} as const;

/** A limit on every value of a path. Every given member must hold, and no value may be missing. */
export interface Limit {
  /** An integer from 0 to this one, in decimal digits. */
  readonly atMost?: string;
  /** The allowed values: addresses and bytes as 0x-hex, integers in digits, texts exactly. */
  readonly oneOf?: readonly (string | boolean)[];
  /** A time in seconds since 1970, at most this many seconds from now. */
  readonly within?: number;
}

/** Limits by JSON pointer (RFC 6901) into the message or the arguments of a call. `*` means every item. */
export type Limits = Readonly<Record<string, Limit>>;

/** The amounts that count against a budget: the sum of those on a path, or 1 for each signature. */
export interface Spend {
  readonly budget: string;
  readonly path?: string;
  /** The path of the recipient. Each recipient has the whole budget. */
  readonly recipient?: string;
  /** The path of a payment channel. Its amounts are cumulative: what exceeds the highest signed one counts. */
  readonly channel?: string;
}

/** The maximum amount in each window, in decimal digits. At least one. */
export type Budget = { readonly [W in BudgetWindow]?: string };

/** Sign-ins to sites (EIP-4361). */
export interface SignInRule {
  /** Hosts in lower-case ASCII, with an optional port. */
  readonly domains: readonly string[];
  /** Any chain if absent. */
  readonly chainIds?: readonly string[];
  /** Required for messages with resources, because these can grant rights to others. */
  readonly resources?: "any";
  readonly outcome: RuleOutcome;
}

/** The rules for `personal_sign`. A sign-in is also a text. */
export interface MessageRules {
  readonly signIn: readonly SignInRule[];
  /** Any text that cannot be the hash of something else. */
  readonly text: Outcome;
  /** Any other bytes. */
  readonly bytes: Outcome;
}

/** Typed data of one type (EIP-712) for one contract on one chain. */
export interface TypedDataRule {
  /** Null for domains without one. */
  readonly chainId: string | null;
  /** Null for domains without one, which bind the signature to no contract. */
  readonly verifyingContract: string | null;
  /** The required name and version of the domain. Any if absent. */
  readonly name?: string;
  readonly domainVersion?: string;
  /** `typeHash` of EIP-712: keccak-256 of `encodeType` of the primary type, 0x-hex. */
  readonly typeHash: string;
  readonly where: Limits;
  readonly spends: readonly Spend[];
  readonly outcome: RuleOutcome;
}

/** Calls of one function whose data decodes exactly. */
export interface CallRule {
  /** With the names of its parameters: `transfer(address to,uint256 value)`. */
  readonly function: string;
  readonly where: Limits;
}

export interface TransactionRule {
  readonly chainId: string;
  /** Recipients. Only `creation` matches transactions that create a contract. */
  readonly to: readonly string[] | "any" | "creation";
  /** In wei. */
  readonly valueAtMost: string;
  /** The most that gas can cost, including blobs, in wei. */
  readonly feeAtMost: string;
  /** The first four bytes of the data; `0x` means no data. A rule has exactly one of this and `call`. */
  readonly selectors?: readonly string[] | "any";
  readonly call?: CallRule;
  /** The code that a transaction of type 4 may set on accounts. Required for such transactions. */
  readonly delegates?: readonly string[] | "any";
  /** Paths are `/value`, `/fee` and `/call/…`. */
  readonly spends: readonly Spend[];
  readonly outcome: RuleOutcome;
}

export interface AuthorizationRule {
  readonly chainId: string;
  readonly delegates: readonly string[] | "any";
  readonly outcome: RuleOutcome;
}

/** The maximum number of signatures in each window. */
type SignatureLimits = { readonly [W in SignatureWindow]?: number };

/** An asset that an act may give, and who may receive or take it. */
export interface Give {
  /** The address of a token, or `native` for the chain's own currency. */
  readonly asset: string;
  /** Only `any` covers orders, which anyone can fill. */
  readonly to: readonly string[] | "any";
  /** The most that one act gives, in the asset's units, in decimal digits. */
  readonly atMost?: string;
  /** The budget that the amounts count against. */
  readonly budget?: string;
}

/** Acts on one chain that give nothing but these assets, whatever their form. Each asset is there once. */
export interface EffectRule {
  readonly chainId: string;
  readonly gives: readonly Give[];
  /** The most that gas can cost, in wei. */
  readonly feeAtMost: string;
  readonly outcome: RuleOutcome;
}

/** A policy in the normal form of `readPolicy`. The most permissive matching rule applies. Without one it refuses. */
export interface Policy extends SignatureLimits {
  readonly version: typeof POLICY_VERSION;
  readonly messages: MessageRules;
  readonly typedData: readonly TypedDataRule[];
  readonly transactions: readonly TransactionRule[];
  readonly authorizations: readonly AuthorizationRule[];
  /** Absent without a rule. */
  readonly effects?: readonly EffectRule[];
  readonly raw: Outcome;
  readonly digest: Outcome;
  /** The outcome for an act that no rule allows; refused if absent. */
  readonly otherwise?: "ask";
  readonly budgets: Readonly<Record<string, Budget>>;
  /** ISO 8601 in UTC. The policy refuses everything after this time. */
  readonly notAfter?: string;
}

/** A policy of a key. It binds every signer, including the owner. */
export interface KeyPolicy extends Policy {
  /** The delay before a looser policy applies, in hours, 0 to 168. */
  readonly delayHours: number;
  /** True if the policy can never become looser. */
  readonly locked: boolean;
}
