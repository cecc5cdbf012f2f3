import { AUTHENTICATED_TABLES } from "../db/schema/schema.ts";

export type AuthorityKind = keyof typeof AUTHENTICATED_TABLES;

export interface AuthorityEntry {
  readonly version: number;
  /** The columns that the MAC covers, in its order. */
  readonly authenticated: readonly string[];
  /** Those of them that the MAC leaves out where they are null. */
  readonly added: ReadonlySet<string>;
  /** The other columns, except the MAC. */
  readonly unauthenticated: readonly string[];
}

function entryOf(kind: AuthorityKind): AuthorityEntry {
  const { version, columns } = AUTHENTICATED_TABLES[kind];
  const entries: readonly (readonly [string, object])[] = Object.entries(columns);
  const names = (isUnauthenticated: boolean): string[] =>
    entries.filter(([, column]) => "gain" in column === isUnauthenticated).map(([name]) => name);
  const added = entries.filter(([, column]) => "added" in column).map(([name]) => name);
  return { version, authenticated: names(false), added: new Set(added), unauthenticated: names(true) };
}

/** The tables whose rows grant authority, and the columns their MAC covers. */
export const AUTHORITY = Object.fromEntries(
  Object.keys(AUTHENTICATED_TABLES).map((kind) => [kind, entryOf(kind as AuthorityKind)]),
) as Readonly<Record<AuthorityKind, AuthorityEntry>>;
