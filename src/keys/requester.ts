import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Policy } from "../policy/policy.ts";

/** What proved a request, where it counts once. */
interface Proven {
  /** Uses it up in the transaction that signs. Throws as the guard does when it was used already. */
  readonly spend?: (tx: Db) => Promise<void>;
  /** The name of the row that it is used up by; undefined where there is nothing to use up. */
  readonly spentAt?: string | undefined;
}

/**
 * Who asks for a signature: the owner of the key, a program with a token of the owner's, or an application with a
 * grant.
 */
export type Asker =
  | {
    readonly kind: "owner";
    /** Throws as the guard does where the owner has signed out since it looked, in the transaction that signs. */
    readonly lookAgain?: (tx: Db) => Promise<void>;
  }
  | ({ readonly kind: "token"; readonly token: { readonly id: string } } & Proven)
  | ({
    readonly kind: "application";
    readonly grantId: string;
    readonly clientId: string;
    /** What its access token says that it may sign, where that is less than was granted. */
    readonly policy?: Policy | undefined;
  } & Proven);

/** What is asked of a mandate: whose key, which, what for, and when. */
export interface Mandated {
  readonly accountId: string;
  readonly keyId: string;
  readonly action: "read" | "sign";
  readonly now: Instant;
}

/**
 * Looks again at what an asker may do, in the transaction that signs: a body can come long after the guard has looked,
 * and whoever revokes a token must not wait for requests that were held back.
 */
export interface Mandates {
  /**
   * The policy that what the asker holds has now; null where it has none. Throws as the guard does when it does not
   * count any more, or not for this key.
   */
  policyNow(tx: Db, asker: Asker, mandated: Mandated): Promise<Policy | null>;
}

/** The id of what the asker holds, for the log and for what is counted; undefined for the owner. */
export function holderOf(asker: Exclude<Asker, { readonly kind: "owner" }>): string;
export function holderOf(asker: Asker): string | undefined;
export function holderOf(asker: Asker): string | undefined {
  switch (asker.kind) {
    case "owner":
      return undefined;
    case "token":
      return asker.token.id;
    case "application":
      return asker.grantId;
  }
}
