import type { Tables } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";

/** What the rows of the authorization server are asked by; `ways.ts` says what that means. */
export const OAUTH_WAYS = {
  client: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  authorization_request: { one: { byId: ["id"] }, list: {}, over: "changed" },
  consent: {
    one: { byTarget: ["account_id", "client_id", "redirect_target"] },
    list: {
      latestOfAccount: {
        by: ["account_id"],
        order: [["created_at", "desc"], ["client_id", "asc"], ["redirect_target", "asc"]],
      },
      toClient: { by: ["account_id", "client_id"], order: [["redirect_target", "asc"]] },
    },
    over: "version",
  },
  authorization_grant: {
    one: { byId: ["id"] },
    list: {
      toClient: { by: ["account_id", "client_id"], order: [["expires_at", "desc"], ["id", "asc"]] },
      toClientInState: {
        by: ["account_id", "client_id", "state"],
        order: [["expires_at", "desc"], ["id", "asc"]],
      },
      ofClient: { by: ["client_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
    },
    over: "removed",
  },
  authorization_code: { one: { byId: ["id"] }, list: {}, over: "changed" },
  refresh_token: { one: { byId: ["id"] }, list: {}, over: "changed" },
  logout_request: { one: { byId: ["id"] }, list: {}, over: "removed" },
  application_session: {
    one: { byId: ["id"], toClient: ["session_id", "client_id"] },
    list: {
      ofSession: { by: ["session_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
    },
    over: "removed",
  },
  logout_notice: {
    one: { byId: ["id"] },
    list: { due: { by: [], order: [["next_attempt_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  token_key: {
    one: { byId: ["id"] },
    // Few: SQLite takes longer to sort them than whoever asks.
    list: { all: { by: [], order: [] }, ofAlgorithm: { by: ["algorithm"], order: [] } },
    over: "removed",
  },
} as const;

/** Rows of a table in an order: all with these values in `by`, and with null in each column of `none`. */
export interface ListWay<C extends string = string> {
  readonly by: readonly C[];
  readonly none?: readonly C[];
  /** A page of it is read from behind a place, where every column ascends and no two rows stand at one place. */
  readonly order: readonly (readonly [column: C, direction: "asc" | "desc"])[];
}

/** What the rows of a kind are asked by. There is no other way to a row: see `read.ts` and `write.ts`. */
export interface Ways<C extends string = string> {
  /** Columns that at most one row has the values of. The first way is the primary key. */
  readonly one: Readonly<Record<string, readonly C[]>>;
  readonly list: Readonly<Record<string, ListWay<C>>>;
  /**
   * What the process remembers of rows that are over (`over.ts`): those that were `removed`, by their key; or what they
   * were before a change as well (`changed`), until a change makes them that again; or, of rows whose key says what
   * they are for and may come again, the removed `version`.
   */
  readonly over?: "removed" | "changed" | "version";
  /**
   * Looked for by id at each request, among any number of them: each row's
   * number, where the engine has any, follows from its id (`row-number.ts`).
   */
  readonly numbered?: true;
}

/**
 * The rows that grant authority, and what they are asked by. A database that was edited can answer a question with a
 * row of ours that is the answer to another one: whatever stands here is compared in each row that comes back.
 */
export const WAYS = {
  account: {
    one: { byId: ["id"], byEmail: ["email"] },
    list: {
      all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] },
      // Those with an address, from one on.
      byAddress: { by: [], order: [["email", "asc"]] },
    },
    over: "changed",
    numbered: true,
  },
  email_code: {
    one: { byId: ["id"], byBrowser: ["email", "purpose", "browser_hash"] },
    list: {},
    over: "removed",
  },
  sign_up_ticket: { one: { byId: ["id"] }, list: {}, over: "removed" },
  identity: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"], byName: ["issuer", "subject"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  email_change: {
    one: { byId: ["id"] },
    list: {
      latestOfAccount: { by: ["account_id"], order: [["created_at", "desc"], ["id", "asc"]] },
      ofOldEmail: { by: ["old_email"], order: [["expires_at", "asc"], ["id", "asc"]] },
    },
    over: "removed",
  },
  account_deletion: {
    one: { byId: ["id"], byAccount: ["account_id"] },
    list: { due: { by: [], order: [["due_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  identity_request: {
    one: { byState: ["provider", "state_hash"] },
    list: {},
    over: "removed",
  },
  sign_in_ticket: { one: { byId: ["id"] }, list: {}, over: "removed" },
  challenge: { one: { byChallenge: ["kind", "challenge"] }, list: {}, over: "removed" },
  passkey: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"], byCredential: ["credential_id"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "removed",
    numbered: true,
  },
  removed_passkey: {
    one: { byId: ["id"], byCredential: ["credential_id"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["created_at", "desc"], ["id", "asc"]] } },
  },
  session: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["last_seen_at", "desc"], ["id", "asc"]] } },
    over: "changed",
    numbered: true,
  },
  account_device: {
    one: { bySecret: ["account_id", "secret_hash"] },
    list: { latestOfAccount: { by: ["account_id"], order: [["last_seen_at", "desc"], ["id", "asc"]] } },
    over: "version",
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
      // Those whose policy is to change.
      changing: { by: [], order: [["policy_change_at", "asc"], ["id", "asc"]] },
    },
    over: "changed",
    numbered: true,
  },
  idempotent_answer: {
    one: { byKey: ["holder", "idempotency_key"] },
    list: {},
  },
  api_token: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: { ofAccount: { by: ["account_id"], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "changed",
    numbered: true,
  },
  policy_use: { one: { byHolder: ["holder_id"] }, list: {}, over: "changed" },
  signing_request: {
    one: { byId: ["id"], ofAccountById: ["account_id", "id"] },
    list: {
      ofAccountInState: { by: ["account_id", "state"], order: [["created_at", "asc"], ["id", "asc"]] },
    },
    over: "changed",
  },
  account_recovery: {
    one: { byAccount: ["account_id"], byRecovery: ["recovery_id"] },
    list: {
      // Those in which something waits.
      waiting: { by: [], order: [["look_at", "asc"], ["account_id", "asc"]] },
    },
    over: "changed",
  },
  recovery_code: {
    one: { byHash: ["code_hash"] },
    list: { ofAccount: { by: ["account_id"], order: [["number", "asc"]] } },
    over: "removed",
  },
  release_challenge: {
    one: { byNonce: ["nonce"] },
    list: { all: { by: [], order: [["expires_at", "asc"], ["nonce", "asc"]] } },
    over: "removed",
  },
  release_key: { one: { byWorkload: ["workload"] }, list: {} },
  invitation: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "changed",
  },
  admin_session: { one: { byId: ["id"] }, list: {}, over: "removed" },
  ...OAUTH_WAYS,
} as const satisfies { readonly [K in AuthorityKind]: Ways<keyof Tables[K] & string> };

type WaysOf<K extends AuthorityKind> = (typeof WAYS)[K];

/** Names of the ways to one row of a kind. */
export type OneWay<K extends AuthorityKind> = keyof WaysOf<K>["one"] & string;

/** Names of the ways to several rows of a kind. */
export type ManyWay<K extends AuthorityKind> = keyof WaysOf<K>["list"] & string;

type Values<K extends AuthorityKind, C> = { readonly [N in C & keyof Tables[K]]: NonNullable<Tables[K][N]> };

type ColumnIn<L> = L extends readonly (infer C)[] ? C : never;

/** What stands in the columns that one row is asked by. */
export type AskedOne<K extends AuthorityKind, W extends OneWay<K>> = Values<
  K,
  ColumnIn<WaysOf<K>["one"][W & keyof WaysOf<K>["one"]]>
>;

type ListOf<K extends AuthorityKind, W> = WaysOf<K>["list"][W & keyof WaysOf<K>["list"]];

/** What stands in the columns that a list is asked by. */
export type AskedMany<K extends AuthorityKind, W extends ManyWay<K>> = ListOf<K, W> extends
  { readonly by: infer B } ? Values<K, ColumnIn<B>> : never;

/** A place in the order of a list: the values of the columns that order it. */
export type Place<K extends AuthorityKind, W extends ManyWay<K>> = ListOf<K, W> extends
  { readonly order: infer O } ? Values<K, O extends readonly (readonly [infer C, string])[] ? C : never>
  : never;

/** The ways of a kind, for code that is the same for all kinds. */
export function waysOf(kind: AuthorityKind): Ways {
  return WAYS[kind];
}

/** The way to one row that is its primary key. */
export function keyWay<K extends AuthorityKind>(kind: K): OneWay<K> {
  return Object.keys(WAYS[kind].one)[0] as OneWay<K>;
}

const KEYS = Object.fromEntries(
  Object.entries(WAYS).map(([kind, { one }]) => [kind, Object.values(one)[0]!]),
) as Readonly<Record<AuthorityKind, readonly string[]>>;

/** The columns of the primary key. */
export function keyOf(kind: AuthorityKind): readonly string[] {
  return KEYS[kind];
}

/** A row as the database gives it. */
export type RawRow = Readonly<Record<string, unknown>>;
