import type { Tables } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";

const OAUTH_LOOKUPS = {
  client: {
    one: { byId: ["id"] },
    list: {
      all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] },
      declared: { by: ["declared"], order: [["created_at", "asc"], ["id", "asc"]] },
    },
  },
  authorization_request: { one: { byId: ["id"] }, list: {}, spent: "changed" },
  pushed_request: { one: { byId: ["id"] }, list: {}, spent: "removed" },
  device_request: { one: { byId: ["id"], byUserCode: ["user_code"] }, list: {}, spent: "changed" },
  consent: {
    one: { byTarget: ["account_id", "client_id", "redirect_target"] },
    list: {
      latestOfAccount: {
        by: ["account_id"],
        order: [["created_at", "desc"], ["client_id", "asc"], ["redirect_target", "asc"]],
      },
      toClient: { by: ["account_id", "client_id"], order: [["redirect_target", "asc"]] },
      ofClient: { by: ["client_id"], order: [["account_id", "asc"], ["redirect_target", "asc"]] },
    },
  },
  authorization_grant: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: {
      toClient: { by: ["account_id", "client_id"], order: [["expires_at", "desc"], ["id", "asc"]] },
      toClientInState: {
        by: ["account_id", "client_id", "state"],
        order: [["expires_at", "desc"], ["id", "asc"]],
      },
      ofClient: { by: ["client_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
    },
  },
  refresh_token: { one: { byId: ["id"] }, list: {}, spent: "removed" },
  logout_request: { one: { byId: ["id"] }, list: {}, spent: "removed" },
  application_session: {
    one: { byId: ["id"], toClient: ["session_id", "client_id"] },
    list: {
      ofSession: { by: ["session_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
      ofClient: { by: ["client_id"], order: [["id", "asc"]] },
    },
    spent: "removed",
  },
  logout_notice: {
    one: { byId: ["id"] },
    list: { due: { by: [], order: [["next_attempt_at", "asc"], ["id", "asc"]] } },
    spent: "removed",
  },
  token_key: {
    one: { byId: ["id"] },
    // The number of keys is small. Sorting in SQLite would take longer than in the caller.
    list: { all: { by: [], order: [] }, ofAlgorithm: { by: ["algorithm"], order: [] } },
  },
} as const;

/** A list lookup: all rows with the given values in `by`, and with null in each column of `none`. */
export interface ListLookup<C extends string = string> {
  readonly by: readonly C[];
  readonly none?: readonly C[];
  /** Paging requires that every column ascends and that the order is unique. */
  readonly order: readonly (readonly [column: C, direction: "asc" | "desc"])[];
}

/** The lookups of a table. `read.ts` and `write.ts` offer no other access to a row. */
export interface TableLookups<C extends string = string> {
  /** Columns that are unique together. The first entry is the primary key. */
  readonly one: Readonly<Record<string, readonly C[]>>;
  readonly list: Readonly<Record<string, ListLookup<C>>>;
  /**
   * The spent rows that the process remembers (`spent-rows.ts`). `removed`: deleted rows, by key. `changed`: also
   * earlier versions, until a change restores one. Not for kinds that belong to a state, which remembers more.
   */
  readonly spent?: "removed" | "changed";
  /** For large tables read by id at each request: the row's number, if the engine has one, follows from its id. */
  readonly numbered?: true;
}

/**
 * The lookups of every authenticated table. A manipulated database can answer a query with an authentic row of another
 * query. Therefore the store compares the lookup's columns in each returned row.
 */
const LOOKUPS = {
  account: {
    one: { byId: ["id"], byEmail: ["email"] },
    list: {
      all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] },
      // Accounts with an address, from a given one on.
      byAddress: { by: [], order: [["email", "asc"]] },
    },
    numbered: true,
  },
  email_code: {
    one: { byId: ["id"], byBrowser: ["email", "purpose", "browser_hash"] },
    list: {},
    spent: "removed",
  },
  code_use: { one: { byAddress: ["address_id"] }, list: {} },
  sign_up_ticket: { one: { byId: ["id"] }, list: {}, spent: "removed" },
  identity: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"], byName: ["issuer", "subject"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  email_change: {
    one: { byId: ["id"] },
    list: {
      latestOfAccount: { by: ["account_id"], order: [["created_at", "desc"], ["id", "asc"]] },
      ofOldEmail: { by: ["old_email"], order: [["expires_at", "asc"], ["id", "asc"]] },
    },
  },
  account_deletion: {
    one: { byId: ["id"], byAccount: ["account_id"] },
    list: { due: { by: [], order: [["due_at", "asc"], ["id", "asc"]] } },
  },
  identity_request: {
    one: { byState: ["provider", "state_hash"] },
    list: {},
    spent: "removed",
  },
  sign_in_ticket: { one: { byId: ["id"] }, list: {}, spent: "removed" },
  challenge: { one: { byChallenge: ["kind", "challenge"] }, list: {}, spent: "removed" },
  passkey: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"], byCredential: ["credential_id"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
    numbered: true,
  },
  removed_passkey: {
    one: { byId: ["id"], byCredential: ["credential_id"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["created_at", "desc"], ["id", "asc"]] } },
  },
  session: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["last_seen_at", "desc"], ["id", "asc"]] } },
    numbered: true,
  },
  account_device: {
    one: { bySecret: ["account_id", "secret_hash"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["last_seen_at", "desc"], ["id", "asc"]] } },
  },
  ethereum_key: {
    one: {
      byId: ["id"],
      ofAccountById: ["account_id", "id"],
      byIndex: ["account_id", "key_index"],
      byAddress: ["account_id", "address"],
    },
    list: {
      ofAccount: { by: ["account_id"], order: [["key_index", "asc"]] },
      inUseOfAccount: { by: ["account_id"], none: ["archived_at"], order: [["key_index", "asc"]] },
      // Keys with a pending policy change.
      changing: { by: [], order: [["policy_change_at", "asc"], ["id", "asc"]] },
    },
    numbered: true,
  },
  idempotent_answer: {
    one: { byKey: ["holder", "idempotency_key"] },
    list: {},
  },
  api_token: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
    numbered: true,
  },
  policy_use: { one: { byHolder: ["holder_id"] }, list: {} },
  signing_request: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: {
      ofAccountInState: { by: ["account_id", "state"], order: [["created_at", "asc"], ["id", "asc"]] },
    },
  },
  account_recovery: {
    one: { byAccount: ["account_id"], byRecovery: ["recovery_id"] },
    list: {
      // Accounts with a pending recovery or cooldown.
      pending: { by: [], order: [["next_check_at", "asc"], ["account_id", "asc"]] },
    },
  },
  recovery_code: {
    one: { byHash: ["code_hash"] },
    list: { ofAccount: { by: ["account_id"], order: [["number", "asc"]] } },
  },
  release_challenge: {
    one: { byNonce: ["nonce"] },
    list: { all: { by: [], order: [["expires_at", "asc"], ["nonce", "asc"]] } },
    spent: "removed",
  },
  release_key: { one: { byWorkload: ["workload"] }, list: {} },
  seal_slot: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  seal_set: { one: { byId: ["id"] }, list: {} },
  owner_state: { one: { byOwner: ["owner"] }, list: {} },
  invitation: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  user_group: {
    one: { byId: ["id"], byName: ["name"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  group_member: {
    one: { byId: ["id"] },
    list: {
      ofAccount: { by: ["account_id"], order: [["group_id", "asc"], ["id", "asc"]] },
      ofGroup: { by: ["group_id"], order: [["account_id", "asc"], ["id", "asc"]] },
    },
  },
  administrator_address: { one: { byEmail: ["email"] }, list: {} },
  admin_session: { one: { byId: ["id"] }, list: {} },
  webhook: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  webhook_delivery: {
    one: { byId: ["id"] },
    list: {
      due: { by: [], order: [["next_attempt_at", "asc"], ["id", "asc"]] },
      latestOfWebhook: { by: ["webhook_id"], order: [["created_at", "desc"], ["id", "asc"]] },
      ofWebhookInState: { by: ["webhook_id", "state"], order: [["id", "asc"]] },
    },
    spent: "removed",
  },
  push_subscription: {
    one: { byId: ["id"], bySession: ["account_id", "session_id"], ofAccountById: ["account_id", "id"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  push_delivery: {
    one: { byId: ["id"] },
    list: {
      due: { by: [], order: [["next_attempt_at", "asc"], ["id", "asc"]] },
      ofSubscription: { by: ["subscription_id"], order: [["id", "asc"]] },
    },
    spent: "removed",
  },
  ...OAUTH_LOOKUPS,
} as const satisfies { readonly [K in AuthorityKind]: TableLookups<keyof Tables[K] & string> };

type LookupsOf<K extends AuthorityKind> = (typeof LOOKUPS)[K];

export type UniqueLookup<K extends AuthorityKind> = keyof LookupsOf<K>["one"] & string;

export type ListLookupName<K extends AuthorityKind> = keyof LookupsOf<K>["list"] & string;

type Values<K extends AuthorityKind, C> = { readonly [N in C & keyof Tables[K]]: NonNullable<Tables[K][N]> };

type ColumnIn<L> = L extends readonly (infer C)[] ? C : never;

export type UniqueKey<K extends AuthorityKind, W extends UniqueLookup<K>> = Values<
  K,
  ColumnIn<LookupsOf<K>["one"][W & keyof LookupsOf<K>["one"]]>
>;

type ListOf<K extends AuthorityKind, W> = LookupsOf<K>["list"][W & keyof LookupsOf<K>["list"]];

export type ListKey<K extends AuthorityKind, W extends ListLookupName<K>> = ListOf<K, W> extends
  { readonly by: infer B } ? Values<K, ColumnIn<B>> : never;

/** A position in a list: values of the columns that order it. */
export type Place<K extends AuthorityKind, W extends ListLookupName<K>> = ListOf<K, W> extends
  { readonly order: infer O } ? Values<K, O extends readonly (readonly [infer C, string])[] ? C : never>
  : never;

export function lookupsOf(kind: AuthorityKind): TableLookups {
  return LOOKUPS[kind];
}

export function primaryLookup<K extends AuthorityKind>(kind: K): UniqueLookup<K> {
  return Object.keys(LOOKUPS[kind].one)[0] as UniqueLookup<K>;
}

const KEYS = Object.fromEntries(
  Object.entries(LOOKUPS).map(([kind, { one }]) => [kind, Object.values(one)[0]!]),
) as Readonly<Record<AuthorityKind, readonly string[]>>;

export function keyOf(kind: AuthorityKind): readonly string[] {
  return KEYS[kind];
}

/** A row as the database returns it, unverified. */
export type RawRow = Readonly<Record<string, unknown>>;
