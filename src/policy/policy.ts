/** What comes of an act: it is signed, its owner is asked first, or it is refused. */
export type Outcome = "allow" | "ask" | "deny";

/** What a rule may say of what fits it: whatever fits none is refused. */
export type RuleOutcome = Exclude<Outcome, "deny">;

/** The one version there is. */
export const POLICY_VERSION = 1;

/** How much a policy may hold; published in docs/policies.md. */
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
  /** Characters of any text in it. */
  text: 256,
  /** Characters of its canonical text. */
  canonical: 32_768,
} as const;

/** What all values on a path must be; one that is not there is none. Each member that is given must hold. */
export interface Limit {
  /** An integer from 0 up to this one. In decimal digits. */
  readonly atMost?: string;
  /** One of these: addresses and bytes as 0x-hex, integers in digits, texts to the letter. */
  readonly oneOf?: readonly (string | boolean)[];
  /** A time in seconds since 1970, at most so many seconds from now. */
  readonly within?: number;
}

/** Limits by JSON pointer (RFC 6901) into the message, or into the arguments of a call; `*` stands for every item. */
export type Limits = Readonly<Record<string, Limit>>;

/** The sum over a path of the rule counts against a budget. */
export interface Spend {
  readonly budget: string;
  readonly path: string;
}

/** Sign-ins to sites (EIP-4361). */
export interface SignInRule {
  /** Hosts in lower-case ASCII, with the port where there is one. */
  readonly domains: readonly string[];
  /** Any chain when absent. */
  readonly chainIds?: readonly string[];
  /** Messages that name resources fit only with this: they can give rights to others. */
  readonly resources?: "any";
  readonly outcome: RuleOutcome;
}

/** What may be signed with `personal_sign`. A sign-in is a text as well. */
export interface MessageRules {
  readonly signIn: readonly SignInRule[];
  /** Any text that cannot be the hash of something else. */
  readonly text: Outcome;
  /** Any bytes that are no such text. */
  readonly bytes: Outcome;
}

/** Typed data of one type (EIP-712) for one contract on one chain. */
export interface TypedDataRule {
  /** Null: for domains without one. */
  readonly chainId: string | null;
  /** Null: for domains without one, which bind the signature to no contract. */
  readonly verifyingContract: string | null;
  /** The domain's name and version, where they must be these. */
  readonly name?: string;
  readonly domainVersion?: string;
  /** `typeHash` of EIP-712: keccak-256 of `encodeType` of the primary type, 0x-hex. */
  readonly typeHash: string;
  readonly where: Limits;
  readonly spends: readonly Spend[];
  readonly outcome: RuleOutcome;
}

/** Calls of one function whose arguments are understood to the letter. */
export interface CallRule {
  /** With the names of its parameters: `transfer(address to,uint256 value)`. */
  readonly function: string;
  readonly where: Limits;
}

export interface TransactionRule {
  readonly chainId: string;
  /** Recipients; `creation` is for transactions that make a contract, which no other value admits. */
  readonly to: readonly string[] | "any" | "creation";
  /** In wei. */
  readonly valueAtMost: string;
  /** The most that gas can cost, blobs included, in wei. */
  readonly feeAtMost: string;
  /** The first four bytes of the data, `0x` for no data at all. Exactly one of this and `call` is there. */
  readonly selectors?: readonly string[] | "any";
  readonly call?: CallRule;
  /** Whose code a transaction of type 4 may give to accounts. Such transactions fit only with this. */
  readonly delegates?: readonly string[] | "any";
  /** Paths are `/value`, `/fee` and `/call/…`. */
  readonly spends: readonly Spend[];
  readonly outcome: RuleOutcome;
}

/** Authorizations of EIP-7702. */
export interface AuthorizationRule {
  readonly chainId: string;
  readonly delegates: readonly string[] | "any";
  readonly outcome: RuleOutcome;
}

/**
 * What may be signed, in its normal form: plain JSON, read by `readPolicy`. Rules add up: an act is judged by the rule
 * that says most for it, whatever their order. What no rule is for is refused.
 */
export interface Policy {
  readonly version: typeof POLICY_VERSION;
  readonly messages: MessageRules;
  readonly typedData: readonly TypedDataRule[];
  readonly transactions: readonly TransactionRule[];
  readonly authorizations: readonly AuthorizationRule[];
  readonly raw: Outcome;
  readonly digest: Outcome;
  /** Signatures in a minute and in a day of UTC. */
  readonly perMinute?: number;
  readonly perDay?: number;
  /** What may be spent in a day of UTC, by name, in decimal digits. */
  readonly budgets: Readonly<Record<string, { readonly perDay: string }>>;
}

/** A policy that stands on a key: it holds for everybody, its owner included. */
export interface KeyPolicy extends Policy {
  /** How long a looser one waits before it counts: 0 to 168. */
  readonly delayHours: number;
  /** Whether it can never become looser. */
  readonly locked: boolean;
}
