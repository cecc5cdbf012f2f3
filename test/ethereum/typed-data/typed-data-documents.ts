import fc from "fast-check";
import { toChecksumAddress } from "../../../src/ethereum/address.ts";
import { toHex } from "../../../src/lib/bytes.ts";

export interface FieldJson {
  readonly name: string;
  readonly type: string;
}

/** A document as a client sends it. Its types always have EIP712Domain. */
export interface DocumentJson {
  readonly types: Readonly<Record<string, readonly FieldJson[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Recursion of structs, which null ends. Only some libraries support it. */
export type Recursion = "without-recursion" | "with-recursion";

/** A source of integers below a bound. They decide what a document contains. */
type Draw = (bound: number) => number;

const DOMAIN_FIELDS: readonly FieldJson[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
];
const FAMILIES = ["address", "bool", "string", "bytes", "uint256", "bytesN", "uintN", "intN"] as const;
const DIMENSIONS = [
  "",
  "",
  "",
  "",
  "",
  "",
  "[]",
  "[0]",
  "[1]",
  "[3]",
  "[][]",
  "[2][]",
  "[][2]",
  "[2][2][]",
] as const;
const PREFIXES = ["S", "a", "_", "Z"] as const;
const LETTERS = "abcxyzABCXYZ_$0189";
/** The first and last code points of ASCII and of two, three and four bytes of UTF-8, without surrogates. */
const ALPHABETS = [[0, 0x7f], [0x80, 0x7ff], [0x800, 0xd7ff], [0xe000, 0xffff], [0x10000, 0x10ffff]] as const;

/**
 * Returns documents with one to four structs. The first is the primary type, and each refers to later ones. A tape of
 * 60 numbers, then zeros, decides each one. That bounds its size and lets fast-check shrink a failing one.
 */
export function documents(recursion: Recursion): fc.Arbitrary<DocumentJson> {
  return fc.uint32Array({ minLength: 60, maxLength: 60 }).map((tape) => {
    let position = 0;
    return document((bound) => (tape[position++] ?? 0) % bound, recursion);
  });
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)]!;
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function document(draw: Draw, recursion: Recursion): DocumentJson {
  // The letters before the number are unsorted, so that sorting by name changes the order.
  const names = times(draw(4) + 1, (index) => pick(draw, PREFIXES) + index);
  const types: Record<string, FieldJson[]> = {};
  for (const [index, name] of names.entries()) types[name] = fields(draw, names.slice(index + 1));
  // ethers rejects unused types: each struct refers to the next.
  for (const [index, name] of names.slice(1).entries()) {
    types[names[index]!]!.push({ name: "next", type: name + pick(draw, DIMENSIONS) });
  }
  if (recursion === "with-recursion") types[names.at(-1)!]!.push({ name: "again", type: pick(draw, names) });
  const present = DOMAIN_FIELDS.filter(() => draw(2) === 1);
  return {
    types: { EIP712Domain: present, ...types },
    primaryType: names[0]!,
    domain: Object.fromEntries(present.map((field) => [field.name, value(draw, types, field.type)])),
    message: struct(draw, types, names[0]!),
  };
}

function fields(draw: Draw, later: readonly string[]): FieldJson[] {
  return times(draw(5), (index) => {
    const base = later.length > 0 && draw(4) === 0 ? pick(draw, later) : atomicType(draw);
    return { name: fieldName(draw, index), type: base + pick(draw, DIMENSIONS) };
  });
}

/** Returns a unique name that ends in its index. */
function fieldName(draw: Draw, index: number): string {
  return "f" + times(draw(6), () => pick(draw, [...LETTERS])).join("") + "$" + index;
}

function atomicType(draw: Draw): string {
  const family = pick(draw, FAMILIES);
  if (family === "bytesN") return `bytes${draw(32) + 1}`;
  return family.endsWith("N") ? family.replace("N", String(8 * (draw(32) + 1))) : family;
}

type Types = Readonly<Record<string, readonly FieldJson[]>>;

function struct(draw: Draw, types: Types, name: string): Record<string, unknown> {
  const members = types[name]!.map((field) => {
    // Zeros end the recursion after the end of the tape.
    const isEnd = field.name === "again" && draw(4) !== 1;
    return [field.name, isEnd ? null : value(draw, types, field.type)];
  });
  return Object.fromEntries(members);
}

function value(draw: Draw, types: Types, type: string): unknown {
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array !== null) {
    return times(array[2] === "" ? draw(4) : Number(array[2]), () => value(draw, types, array[1]!));
  }
  if (Object.hasOwn(types, type)) return struct(draw, types, type);
  const [, family, digits] = /^([a-z]+)(\d*)$/.exec(type)!;
  const size = Number(digits);
  switch (family) {
    case "address":
      return draw(2) === 0 ? toHex(bytes(draw, 20)) : toChecksumAddress(bytes(draw, 20));
    case "bool":
      return draw(2) === 1;
    case "string":
      return text(draw);
    case "bytes":
      return toHex(bytes(draw, size > 0 ? size : pick(draw, [0, 1, 31, 32, 33, 64, 135, 136])));
    default:
      return integer(draw, size, family === "int" ? "signed" : "unsigned");
  }
}

/** Derives bytes from one draw, because tapes are short. */
function bytes(draw: Draw, length: number): Uint8Array<ArrayBuffer> {
  let state = draw(2 ** 32);
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

function text(draw: Draw): string {
  const [first, last] = pick(draw, ALPHABETS);
  return String.fromCodePoint(...times(draw(8), () => first + draw(last - first + 1))).repeat(
    pick(draw, [1, 1, 1, 20]),
  );
}

/** Draws an integer of the type's range, often at its ends, in one of the spellings that JSON clients use. */
function integer(draw: Draw, size: number, sign: "signed" | "unsigned"): number | string {
  const bits = sign === "signed" ? size - 1 : size;
  const most = (1n << BigInt(bits)) - 1n;
  const least = sign === "signed" ? -most - 1n : 0n;
  const random = BigInt(toHex(bytes(draw, 32)));
  const chosen = pick(draw, [
    0n,
    most,
    least,
    BigInt.asUintN(bits, random),
    BigInt.asUintN(Math.min(bits, 50), random),
  ]);
  const signed = sign === "signed" && draw(2) === 1 && chosen > 0n ? -chosen : chosen;
  const isSafe = Number.isSafeInteger(Number(signed));
  if (isSafe && draw(2) === 1) return Number(signed);
  return signed >= 0n && draw(2) === 1 ? "0x" + signed.toString(16) : signed.toString();
}
