import { quote } from "../json-reading.ts";
import { type Json, type Member } from "./member.ts";
import { type Reading, readObject, type RefusalReason, refuse, within } from "./transaction-reading.ts";
import { itemsOf, nextItem, type RlpCursor, type RlpInput } from "./rlp.ts";

/** The members of a T by name in JSON, in the order of their standard in RLP. */
export type Members<T> = { readonly [N in keyof T]-?: Member<T[N]> };

type Row = readonly [name: string, member: Member<unknown>];

/** The members of a T, with the lists that every reading needs. */
export interface Table<T> {
  readonly members: Members<T>;
  /** The members in their order. Each takes only values of its own readers; the type of `members` ensures it. */
  readonly rows: readonly Row[];
  /** Every name that JSON may use, including second names. */
  readonly names: readonly string[];
}

export function tableOf<T>(members: Members<T>): Table<T> {
  const rows = Object.entries(members) as unknown as readonly Row[];
  const names = rows.flatMap(([name, { alias }]) => alias === undefined ? [name] : [name, alias]);
  return { members, rows, names };
}

/** Reads an object with these members. Refuses any other. */
export function readMembers<T>(
  reading: Reading,
  value: unknown,
  { rows, names }: Table<T>,
  refusalReason?: RefusalReason,
): T {
  const object = readObject(reading, value, names, refusalReason);
  const members: Record<string, unknown> = {};
  for (const row of rows) members[row[0]] = readNamed(reading, object, row);
  return members as T;
}

function readNamed(
  reading: Reading,
  object: Readonly<Record<string, unknown>>,
  [name, member]: Row,
): unknown {
  const { alias } = member;
  const read = (spelling: string): unknown =>
    within(reading, spelling, () => member.fromJson(reading, object[spelling]));
  if (alias === undefined || !Object.hasOwn(object, alias)) {
    if (Object.hasOwn(object, name)) return read(name);
    if (member.absent !== undefined) return member.absent;
    const other = alias === undefined ? "" : ` (or ${quote(alias)})`;
    refuse(reading, `Missing member ${quote(name)}${other}${reasonFor(member)}`, name);
  }
  const value = read(alias);
  if (!Object.hasOwn(object, name)) return value;
  // Only scalars have two names, and equal scalars have equal JSON.
  if (member.toJson(read(name)) === member.toJson(value)) return value;
  refuse(
    reading,
    `${quote(name)} and ${quote(alias)} are two names of one member, and differ`,
    alias,
  );
}

function reasonFor({ whenMissing }: Member<unknown>): string {
  return whenMissing === undefined ? "" : `: ${whenMissing}`;
}

/** Reads the items after the cursor in the order of the members, and leaves the cursor after the last of them. */
export function readItems<T>(reading: Reading, cursor: RlpCursor, { rows }: Table<T>): T {
  const members: Record<string, unknown> = {};
  for (const [name, member] of rows) {
    const item = nextItem(cursor);
    if (item === undefined) refuse(reading, `The list ends before ${name}${reasonFor(member)}`);
    members[name] = within(reading, name, () => member.fromRlp(reading, item));
  }
  return members as T;
}

export function writeItems<T>(value: T, { rows }: Table<T>): RlpInput[] {
  return rows.map(([name, member]) => member.toRlp(value[name as keyof T]));
}

export function showMembers<T>(value: T, { rows }: Table<T>): Readonly<Record<string, Json>> {
  return Object.fromEntries(rows.map(([name, member]) => [name, member.toJson(value[name as keyof T])]));
}

/** Returns a member that has members: an object in JSON, a list of exactly these items in RLP. */
export function structOf<T>(members: Members<T>): Member<T> {
  const table = tableOf(members);
  return {
    fromJson: (reading, value) => readMembers(reading, value, table),
    fromRlp: (reading, item) => {
      if (item.kind !== "list") refuse(reading, "Expected a list, not bytes");
      const cursor = itemsOf(item);
      const value = readItems(reading, cursor, table);
      if (cursor.offset === cursor.bytes.length) return value;
      refuse(reading, `Too many items: expected ${table.rows.length}`);
    },
    toRlp: (value) => writeItems(value, table),
    toJson: (value) => showMembers(value, table),
  };
}
