import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Policy } from "../policy/policy.ts";

/** The use of a request's proof of possession, which is valid only once. */
export interface ProofUse {
  /** Marks the proof as used, in the transaction that signs. Throws the guard's error if it was already used. */
  readonly consumeProof?: (tx: Db) => Promise<void>;
  /** The key of the row that marks the proof as used, if any. */
  readonly proofKey?: string | undefined;
}

/** The requester of a signature: the key's owner, a program with an API token, or a client with a grant. */
export type Requester =
  | {
    readonly kind: "owner";
    /** Throws the guard's error if the owner has signed out. Call it in the transaction that signs. */
    readonly recheck?: (tx: Db) => Promise<void>;
  }
  | ({ readonly kind: "token"; readonly token: { readonly id: string } } & ProofUse)
  | ({
    readonly kind: "application";
    readonly grantId: string;
    readonly clientId: string;
    /** The policy in the access token, if it is narrower than the grant. */
    readonly policy?: Policy | undefined;
  } & ProofUse);

export interface KeyUse {
  readonly accountId: string;
  readonly keyId: string;
  readonly action: "read" | "sign";
  readonly now: Instant;
}

/**
 * Checks a requester's authorization again, in the transaction that signs. A client can delay its request body:
 * a token revoked in the meantime must not sign.
 */
export interface AuthorizationCheck {
  /** Returns the current policy of the token or grant. Throws the guard's error if it no longer covers this key. */
  recheckAuthorization(tx: Db, requester: Requester, keyUse: KeyUse): Promise<Policy | null>;
}

/** Returns the requester with the policy of the access token that it used, if that is narrower than its grant. */
export function withPolicy(requester: Requester, policy: Policy | undefined): Requester {
  return requester.kind === "application" ? { ...requester, policy } : requester;
}

/** Returns the id of the token or grant, for the log and for counters. Undefined for the owner. */
export function holderOf(requester: Exclude<Requester, { readonly kind: "owner" }>): string;
export function holderOf(requester: Requester): string | undefined;
export function holderOf(requester: Requester): string | undefined {
  switch (requester.kind) {
    case "owner":
      return undefined;
    case "token":
      return requester.token.id;
    case "application":
      return requester.grantId;
  }
}
