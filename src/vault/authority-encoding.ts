import { lengthPrefixed, utf8, writeUint32 } from "../lib/bytes.ts";
import { AUTHORITY, type AuthorityKind } from "./authenticated-columns.ts";
import type { AuthorityRow } from "./authority.ts";

const TAGS = { null: 0, integer: 1, text: 2, blob: 3 } as const;

/** Length of the longest safe integer in decimal, with its sign. */
const LONGEST_INTEGER = 17;

interface Column {
  readonly name: string;
  /** True if the MAC leaves the column out where it is null. */
  readonly added: boolean;
  /** The bytes before the value: the length-prefixed name, and for the first column kind and version too. */
  readonly prefix: Uint8Array;
}

function columnsOf(kind: AuthorityKind): readonly Column[] {
  const { version, authenticated, added } = AUTHORITY[kind];
  return authenticated.map((name, index) => {
    const head = index === 0 ? [utf8(kind), utf8(String(version))] : [];
    return { name, added: added.has(name), prefix: lengthPrefixed(...head, utf8(name)) };
  });
}

/** Computed once: each request verifies the MACs of two or three rows. */
const COLUMNS = Object.fromEntries(
  Object.keys(AUTHORITY).map((kind) => [kind, columnsOf(kind as AuthorityKind)]),
) as Readonly<Record<AuthorityKind, readonly Column[]>>;

function largestSize(value: unknown): number {
  if (typeof value === "string") return 1 + 3 * value.length;
  return 1 + (value instanceof Uint8Array ? value.length : LONGEST_INTEGER);
}

/** Writes a tag and a value, and returns the number of bytes. */
function writeValue(value: unknown, whole: Uint8Array, offset: number): number {
  if (value === null) {
    whole[offset] = TAGS.null;
    return 1;
  }
  if (value instanceof Uint8Array) {
    whole[offset] = TAGS.blob;
    whole.set(value, offset + 1);
    return 1 + value.length;
  }
  if (typeof value !== "string" && typeof value !== "number") {
    throw new TypeError("Cannot encode column for its MAC: not null, text, bytes or an integer");
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new RangeError("Cannot encode column for its MAC: not a safe integer");
  }
  whole[offset] = typeof value === "string" ? TAGS.text : TAGS.integer;
  return 1 + writeText(String(value), whole, offset + 1);
}

/** Writes UTF-8 and returns the number of bytes. For ASCII this loop is faster than the platform's encoder. */
function writeText(text: string, whole: Uint8Array, offset: number): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      const bytes = utf8(text);
      whole.set(bytes, offset);
      return bytes.length;
    }
    whole[offset + index] = code;
  }
  return text.length;
}

/** The buffer that rows are encoded in. Its content is not secret: it is in the database too. */
let workspace = new Uint8Array(4096);

/** Returns the bytes that a MAC covers: kind, version, authenticated columns; named, typed, length-prefixed. */
export function encodeAuthorityRow<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array {
  // Uses one shared array without views: on one or the other runtime, each allocation or view costs more than the MAC.
  const values = row as Record<string, unknown>;
  const columns = COLUMNS[kind];
  let size = 0;
  for (const { name, prefix } of columns) size += prefix.length + 4 + largestSize(values[name]);
  if (size > workspace.length) workspace = new Uint8Array(2 * size);
  const whole = workspace;
  let offset = 0;
  for (const { name, added, prefix } of columns) {
    if (added && values[name] === null) continue;
    whole.set(prefix, offset);
    offset += prefix.length;
    const length = writeValue(values[name], whole, offset + 4);
    writeUint32(whole, offset, length);
    offset += 4 + length;
  }
  return whole.slice(0, offset);
}
