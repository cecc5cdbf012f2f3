import { quote } from "../reading.ts";
import { type Json, type Member } from "./member.ts";
import { type Reading, readObject, type ReasonAgainst, refuse, within } from "./reading.ts";
import { itemsOf, nextItem, type RlpCursor, type RlpInput } from "./rlp.ts";

/** The members of a T in the order of their standard: a name in JSON, a place in RLP. */
export type Members<T> = { readonly [N in keyof T]-?: Member<T[N]> };

type Row = readonly [name: string, member: Member<unknown>];

/** The rows of the table. A member takes only what its own readers gave, which the type of the table has checked. */
export function rowsOf<T>(members: Members<T>): readonly Row[] {
  return Object.entries(members) as unknown as readonly Row[];
}

/** Reads an object that has these members and no other. */
export function readMembers<T>(
  reading: Reading,
  value: unknown,
  members: Members<T>,
  reasonAgainst?: ReasonAgainst,
): T {
  const rows = rowsOf(members);
  const names = rows.flatMap(([name, { alsoCalled }]) =>
    alsoCalled === undefined ? [name] : [name, alsoCalled]
  );
  const object = readObject(reading, value, names, reasonAgainst);
  return Object.fromEntries(rows.map((row) => [row[0], readNamed(reading, object, row)])) as T;
}

function readNamed(
  reading: Reading,
  object: Readonly<Record<string, unknown>>,
  [name, member]: Row,
): unknown {
  const { alsoCalled } = member;
  const read = (spelling: string): unknown =>
    within(reading, spelling, () => member.fromJson(reading, object[spelling]));
  if (alsoCalled === undefined || !Object.hasOwn(object, alsoCalled)) {
    if (Object.hasOwn(object, name)) return read(name);
    if (member.absent !== undefined) return member.absent;
    const other = alsoCalled === undefined ? "" : ` (or ${quote(alsoCalled)})`;
    refuse(reading, `Missing member ${quote(name)}${other}${reasonFor(member)}`, name);
  }
  const value = read(alsoCalled);
  if (!Object.hasOwn(object, name)) return value;
  // Both names of a member are for scalars, which are alike when they are shown alike.
  if (member.toJson(read(name)) === member.toJson(value)) return value;
  refuse(
    reading,
    `${quote(name)} and ${quote(alsoCalled)} are two names of one member, and differ`,
    alsoCalled,
  );
}

/** The end of the sentence about a member that is missing. */
function reasonFor({ whenMissing }: Member<unknown>): string {
  return whenMissing === undefined ? "" : `: ${whenMissing}`;
}

/** Reads the items behind the cursor in the order of the members, and leaves it behind the last of them. */
export function readItems<T>(reading: Reading, cursor: RlpCursor, members: Members<T>): T {
  return Object.fromEntries(
    rowsOf(members).map(([name, member]) => {
      const item = nextItem(cursor);
      if (item !== undefined) return [name, within(reading, name, () => member.fromRlp(reading, item))];
      refuse(reading, `The list ends before ${name}${reasonFor(member)}`);
    }),
  ) as T;
}

/** The members' encodings in their order. */
export function writeItems<T>(value: T, members: Members<T>): RlpInput[] {
  return rowsOf(members).map(([name, member]) => member.toRlp(value[name as keyof T]));
}

/** The members as plain JSON, under their names. */
export function showMembers<T>(value: T, members: Members<T>): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    rowsOf(members).map(([name, member]) => [name, member.toJson(value[name as keyof T])]),
  );
}

/** A member that has members itself: an object in JSON, a list of exactly these items in RLP. */
export function structOf<T>(members: Members<T>): Member<T> {
  return {
    fromJson: (reading, value) => readMembers(reading, value, members),
    fromRlp: (reading, item) => {
      if (item.kind !== "list") refuse(reading, "Expected a list, not bytes");
      const cursor = itemsOf(item);
      const value = readItems(reading, cursor, members);
      if (cursor.offset === cursor.bytes.length) return value;
      refuse(reading, `Too many items: expected ${rowsOf(members).length}`);
    },
    toRlp: (value) => writeItems(value, members),
    toJson: (value) => showMembers(value, members),
  };
}
