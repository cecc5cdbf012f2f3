import { AUTHENTICATED_TABLES } from "../../db/schema/schema.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import { keyOf, type RawRow } from "../lookups.ts";

/**
 * The owner of each kind of row. `account`, `address`, `client` and `service`: the row belongs to that owner's state,
 * which shows when it is missing, older or foreign. An address is an owner only while one of its codes was used or
 * tried lately. `none`: a MAC alone protects the row, and for the kinds with `spent` in `lookups.ts` also the memory of
 * each process. A kind with an owner has a place in `KINDS_OF` too.
 */
const OWNER_KINDS = {
  account: "account",
  identity: "account",
  passkey: "account",
  removed_passkey: "none",
  email_change: "account",
  account_deletion: "account",
  account_recovery: "account",
  recovery_code: "account",
  email_code: "none",
  code_use: "address",
  sign_up_ticket: "none",
  identity_request: "none",
  sign_in_ticket: "none",
  challenge: "none",
  session: "account",
  account_device: "account",
  ethereum_key: "account",
  signing_request: "account",
  api_token: "account",
  policy_use: "account",
  client: "client",
  authorization_request: "none",
  pushed_request: "none",
  device_request: "none",
  consent: "account",
  authorization_grant: "account",
  refresh_token: "none",
  logout_request: "none",
  application_session: "none",
  logout_notice: "none",
  token_key: "service",
  idempotent_answer: "none",
  invitation: "service",
  user_group: "service",
  group_member: "account",
  administrator_address: "service",
  admin_session: "service",
  release_challenge: "none",
  release_key: "service",
  seal_slot: "none",
  seal_set: "service",
  owner_state: "none",
  webhook: "service",
  webhook_delivery: "none",
  push_subscription: "account",
  push_delivery: "none",
} as const satisfies Record<AuthorityKind, OwnerClass | "none">;

/** A kind whose rows belong to no account. */
export type ServiceKind = {
  [K in AuthorityKind]: (typeof OWNER_KINDS)[K] extends "account" | "none" ? never : K;
}[AuthorityKind];

type OwnerClass = "account" | "address" | "client" | "service";

/** The owner of the rows that belong to no other. */
export const SERVICE = "service";

/**
 * The start of an OAuth client's name as an owner, so that a faulty row of one client refuses no other. Its id follows.
 */
export const CLIENT = "client_";

/** The start of the owner's name for an e-mail address. */
export const ADDRESS = "address_";

/**
 * The kinds of an owner's rows, in the order of the set hashes in its stored state. Only append: a moved or removed
 * kind makes every stored state wrong.
 */
const KINDS_OF: Readonly<Record<OwnerClass, readonly AuthorityKind[]>> = {
  account: [
    "account",
    "identity",
    "passkey",
    "email_change",
    "account_deletion",
    "account_recovery",
    "recovery_code",
    "session",
    "account_device",
    "ethereum_key",
    "api_token",
    "policy_use",
    "consent",
    "authorization_grant",
    "signing_request",
    "group_member",
    "push_subscription",
  ],
  address: ["code_use"],
  client: ["client"],
  service: [
    // Clients without a state of their own, which a start gives them: those of a database from before they had one.
    "client",
    "token_key",
    "invitation",
    "admin_session",
    "release_key",
    "seal_set",
    "webhook",
    "user_group",
    "administrator_address",
  ],
};

const PREFIXES: readonly (readonly [prefix: string, owner: OwnerClass])[] = [
  [ADDRESS, "address"],
  [CLIENT, "client"],
];

function classOf(owner: string): OwnerClass {
  if (owner === SERVICE) return "service";
  return PREFIXES.find(([prefix]) => owner.startsWith(prefix))?.[1] ?? "account";
}

export function kindsOf(owner: string): readonly AuthorityKind[] {
  return KINDS_OF[classOf(owner)];
}

/** Returns true for the name of an account. */
export function isOfAccount(owner: string): boolean {
  return classOf(owner) === "account";
}

export function hasState(kind: AuthorityKind): boolean {
  return OWNER_KINDS[kind] !== "none";
}

/** The column that names the owner of a row, as `idOf` returns it; undefined for the service. */
export function ownerColumnOf(kind: AuthorityKind): string | undefined {
  const owner: OwnerClass | "none" = OWNER_KINDS[kind];
  if (owner === "service") return undefined;
  if (owner === "address") return "address_id";
  return kind === "account" || kind === "client" ? "id" : "account_id";
}

/** Returns the value of the column that names the owner. */
export function idOf(owner: string): string {
  return owner.startsWith(CLIENT) ? owner.slice(CLIENT.length) : owner;
}

/** Returns true for the service's set of clients, which have states of their own since an older version. */
export function isFormerSet(owner: string, kind: AuthorityKind): boolean {
  return owner === SERVICE && kind === "client";
}

/** Returns the owner of a row of this kind, or undefined if `columns` does not say it. */
export function ownerOf(kind: AuthorityKind, columns: RawRow): string | undefined {
  const column = ownerColumnOf(kind);
  if (column === undefined) return SERVICE;
  const id = columns[column] as string | undefined;
  return kind === "client" && id !== undefined ? CLIENT + id : id;
}

/** Returns a name of the row among its owner's rows of this kind. */
export function nameOfRow(kind: AuthorityKind, row: RawRow): string {
  const key = keyOf(kind);
  return key.length === 1 ? String(row[key[0]!]) : key.map((column) => row[column]).join("\0");
}

/** The kinds whose rows have no column outside the MAC: a verified row is the whole row. */
const WHOLE: ReadonlySet<AuthorityKind> = new Set(
  (Object.keys(OWNER_KINDS) as AuthorityKind[]).filter((kind) =>
    !Object.values(AUTHENTICATED_TABLES[kind].columns).some((column) => "gain" in column)
  ),
);

export function isWhole(kind: AuthorityKind): boolean {
  return WHOLE.has(kind);
}

/** The bytes or characters of a row's columns that count as another row. */
const LENGTH_OF_ROW = 1024;

/** Returns the memory that a row takes, in usual rows. A policy has up to 32 KiB, a document to sign up to 1 MiB. */
export function weightOfRow(row: RawRow | undefined): number {
  if (row === undefined) return 0;
  let length = 0;
  for (const column in row) {
    const value = row[column];
    if (typeof value === "string" || value instanceof Uint8Array) length += value.length;
  }
  return 1 + Math.floor(length / LENGTH_OF_ROW);
}

/** Returns the memory that a set takes: that of its rows, and one. */
export function weightOfRows(rows: ReadonlyMap<string, RawRow>): number {
  let weight = 1;
  for (const row of rows.values()) weight += weightOfRow(row);
  return weight;
}
