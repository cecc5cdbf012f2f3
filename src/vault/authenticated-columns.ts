import type { Tables } from "../db/schema/schema.ts";
import { OAUTH_AUTHORITY } from "./oauth-columns.ts";

export interface AuthorityEntry<C extends string = string> {
  readonly version: number;
  readonly covered: readonly C[];
  readonly open: { readonly [N in C]?: string };
}

/**
 * The tables whose rows grant authority, and the columns their MAC covers: all that are immutable or would widen what
 * the row allows. `open` lists the other columns, with what an attacker gains by editing them in the database.
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
  invitation: {
    version: 1,
    covered: ["id", "secret_hash", "email", "uses", "used", "created_at", "expires_at"],
    open: {},
  },
  admin_session: {
    version: 1,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "session_id",
      "admin_key_hash",
      "created_at",
      "expires_at",
    ],
    open: {},
  },
  ...OAUTH_AUTHORITY,
  release_challenge: {
    version: 1,
    covered: ["nonce", "workload", "created_at", "expires_at"],
    open: {},
  },
  release_key: {
    version: 1,
    covered: ["workload", "sealed", "created_at"],
    open: {},
  },
  api_token: {
    version: 1,
    covered: [
      "id",
      "secret_hash",
      "account_id",
      "name",
      "keys",
      "actions",
      "networks",
      "created_at",
      "expires_at",
      "revision",
      "policy",
      "jkt",
    ],
    open: {
      last_used_at: "a wrong time in the owner's list",
      last_used_network: "a wrong network in the owner's list",
    },
  },
  policy_use: {
    version: 1,
    covered: ["holder_id", "account_id", "counts", "expires_at"],
    open: {},
  },
  signing_request: {
    version: 1,
    covered: [
      "id",
      "account_id",
      "key_id",
      "asker",
      "client_id",
      "asker_name",
      "network",
      "kind",
      "document",
      "digest",
      "reason",
      "state",
      "code",
      "word",
      "created_at",
      "expires_at",
      "ended_at",
    ],
    open: {},
  },
  account_recovery: {
    version: 1,
    covered: [
      "account_id",
      "revision",
      "delay_hours",
      "email_alone",
      "sheet",
      "codes_left",
      "codes_made_at",
      "recovery_id",
      "way",
      "secret_hash",
      "code_hash",
      "device",
      "network",
      "begun_at",
      "ready_at",
      "ends_at",
      "begun_ran",
      "settled_at",
      "settled_ran",
      "ran",
    ],
    open: {
      look_at: "a daily mail is held back, as by deleting it, or sent once more; a delay takes longer",
    },
  },
  recovery_code: {
    version: 1,
    covered: ["code_hash", "account_id", "sheet", "number", "created_at"],
    open: {},
  },
  email_change: {
    version: 1,
    covered: ["id", "secret_hash", "account_id", "old_email", "new_email", "created_at", "expires_at"],
    open: {},
  },
  account_deletion: {
    version: 1,
    covered: ["id", "account_id", "created_at", "due_at"],
    open: {},
  },
} as const satisfies { readonly [T in keyof Tables]?: AuthorityEntry<keyof Tables[T] & string> };

export type AuthorityKind = keyof typeof AUTHORITY;
