import type { Tables } from "../db/schema.ts";
import { ADMINISTRATION_AUTHORITY } from "./administration-authority.ts";
import { ACCOUNT_CHANGE_AUTHORITY } from "./account-change-authority.ts";
import { BROKER_AUTHORITY } from "./broker-authority.ts";
import { OAUTH_AUTHORITY } from "./oauth-authority.ts";
import { RECOVERY_AUTHORITY } from "./recovery-authority.ts";
import { SIGNING_REQUEST_AUTHORITY } from "./signing-request-authority.ts";
import { TOKEN_AUTHORITY } from "./token-authority.ts";

/** What is said of a kind of rows. */
export interface AuthorityEntry<C extends string = string> {
  readonly version: number;
  readonly covered: readonly C[];
  readonly open: { readonly [N in C]?: string };
}

/**
 * Rows that grant authority, and the columns their MAC covers: everything that is immutable or would widen what the
 * row allows. The other columns are listed with what an editor of the database would gain by changing them.
 */
export const AUTHORITY = {
  account: {
    version: 1,
    covered: ["id", "email", "name", "created_at", "disabled_at", "revision"],
    open: { language: "pages and mails in the other language" },
  },
  email_code: {
    version: 1,
    covered: ["id", "email", "purpose", "browser_hash", "code_mac", "created_at", "expires_at"],
    open: {
      attempts: "more guesses at a code that proves an address for a new account; it never signs anybody in",
    },
  },
  sign_up_ticket: {
    version: 2,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "email",
      "name",
      "issuer",
      "subject",
      "created_at",
      "expires_at",
      "invitation_id",
    ],
    open: {},
  },
  identity: {
    version: 1,
    covered: ["id", "issuer", "subject", "account_id", "created_at"],
    open: {},
  },
  identity_request: {
    version: 1,
    covered: ["provider", "state_hash", "browser_hash", "onward", "created_at", "expires_at", "session_id"],
    open: {},
  },
  sign_in_ticket: {
    version: 1,
    covered: ["id", "secret_hash", "account_id", "created_at", "expires_at"],
    open: {},
  },
  challenge: {
    version: 1,
    covered: ["kind", "challenge", "bound_to", "created_at", "expires_at"],
    open: {},
  },
  passkey: {
    version: 1,
    covered: [
      "id",
      "account_id",
      "credential_id",
      "public_key",
      "algorithm",
      "aaguid",
      "backup_eligible",
      "created_at",
    ],
    open: {
      backed_up: "a wrong hint to the owner",
      sign_count: "a copied authenticator goes unnoticed, or the owner is refused",
      name: "a misleading name in the owner's list",
      transports: "a worse hint to the browser",
      last_used_at: "a wrong time in the owner's list",
    },
  },
  removed_passkey: {
    version: 1,
    covered: [
      "id",
      "account_id",
      "credential_id",
      "public_key",
      "algorithm",
      "backup_eligible",
      "sign_count",
      "created_at",
    ],
    open: {},
  },
  session: {
    version: 2,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "passkey_id",
      "device_id",
      "device",
      "network",
      "created_at",
      "authenticated_at",
      "step_up_action",
      "stepped_up_at",
      "expires_at",
    ],
    open: {
      last_seen_at: "a session idle for 7 days lives on, for the holder of its token, to its absolute end",
    },
  },
  account_device: {
    version: 1,
    covered: ["id", "account_id", "secret_hash", "created_at"],
    open: {
      last_seen_at: "a browser is known for longer, to the holder of its secret, or a mail more is sent",
    },
  },
  ethereum_key: {
    version: 1,
    covered: [
      "id",
      "account_id",
      "key_index",
      "address",
      "public_key",
      "label",
      "blind_signing",
      "created_at",
      "archived_at",
      "revision",
      "policy",
      "policy_change",
      "policy_change_at",
    ],
    open: {},
  },
  idempotent_answer: {
    version: 2,
    covered: [
      "holder",
      "idempotency_key",
      "account_id",
      "request_hash",
      "answer",
      "sealed",
      "created_at",
      "expires_at",
    ],
    open: {},
  },
  ...ADMINISTRATION_AUTHORITY,
  ...OAUTH_AUTHORITY,
  ...BROKER_AUTHORITY,
  ...TOKEN_AUTHORITY,
  ...SIGNING_REQUEST_AUTHORITY,
  ...RECOVERY_AUTHORITY,
  ...ACCOUNT_CHANGE_AUTHORITY,
} as const satisfies { readonly [T in keyof Tables]?: AuthorityEntry<keyof Tables[T] & string> };

export type AuthorityKind = keyof typeof AUTHORITY;

/** Every column of a kind: what its MAC covers, what it leaves open, and the MAC. */
export function columnsOf(kind: AuthorityKind): readonly string[] {
  const { covered, open }: AuthorityEntry = AUTHORITY[kind];
  return [...covered, ...Object.keys(open), "mac"];
}

type Covered<K extends AuthorityKind> = (typeof AUTHORITY)[K]["covered"][number];

/** The columns of a row that its MAC covers. */
export type AuthorityRow<K extends AuthorityKind> = {
  readonly [C in Covered<K> & keyof Tables[K]]: Tables[K][C];
};

/** A row as it comes from the database, with its MAC. */
export type SealedRow<K extends AuthorityKind> = AuthorityRow<K> & { readonly mac: Uint8Array };

/** What makes and checks the MACs of rows. Handed to whoever writes or reads such rows. */
export interface RowAuthority {
  /** The MAC of a row about to be written: 32 bytes. */
  mac<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array;
  /**
   * This very row, where the service wrote it: often the object that stood for it before. A row that it did not write is
   * reported, and undefined: it must be treated as absent. The object may be frozen, and its bytes must not be changed.
   */
  proveRow<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Reports a row that the service wrote and that must be treated as absent all the same: it is over. */
  reject<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
}
