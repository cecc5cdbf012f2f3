import { concat, utf8 } from "../../src/lib/bytes.ts";
import { ORIGIN } from "./ceremony.ts";

/** A source of random integers from 0 up to, but not including, the limit. */
export type Random = (limit: number) => number;

/** Creates a reproducible random number generator from a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random(list.length)]!;
}

const MUTATIONS: readonly ((bytes: Uint8Array, random: Random) => Uint8Array)[] = [
  flipBit,
  flipBit,
  (bytes, random) => bytes.with(random(bytes.length), random(256)),
  (bytes, random) =>
    bytes.with(random(bytes.length), pick(random, [0x00, 0x7f, 0x80, 0xff, 0x5a, 0x9f, 0xa0, 0xbf])),
  (bytes, random) => bytes.slice(0, random(bytes.length)),
  (bytes, random) => concat(bytes, Uint8Array.from({ length: 1 + random(4) }, () => random(256))),
  (bytes, random) => {
    const at = random(bytes.length);
    return concat(bytes.slice(0, at), bytes.slice(at + 1));
  },
  (bytes, random) => {
    const at = random(bytes.length + 1);
    return concat(bytes.slice(0, at), Uint8Array.of(random(256)), bytes.slice(at));
  },
  (bytes, random) => {
    const from = random(bytes.length);
    const part = bytes.slice(from, from + 1 + random(16));
    const at = random(bytes.length);
    return concat(bytes.slice(0, at), part, bytes.slice(at));
  },
  (bytes, random) => {
    const from = random(bytes.length);
    return concat(bytes.slice(0, from), bytes.slice(from + 1 + random(16)));
  },
];

function flipBit(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(bytes.length);
  return bytes.with(at, bytes[at]! ^ (1 << random(8)));
}

/** Returns the bytes after one to three random edits. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array {
  for (;;) {
    let mutated = bytes;
    for (let edits = 1 + random(3); edits > 0; edits--) {
      mutated = pick(random, MUTATIONS)(mutated.length === 0 ? bytes : mutated, random);
    }
    if (mutated.toHex() !== bytes.toHex()) return mutated;
  }
}

const VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  "",
  [],
  {},
  ORIGIN,
  ORIGIN + "/",
  "https://evil.example",
  "webauthn.get",
  "webauthn.create",
  ["webauthn.get"],
];
const MEMBERS = ["type", "challenge", "origin", "crossOrigin", "topOrigin", "tokenBinding", "__proto__", "x"];

/** Returns client data with one member changed or added, or with mutated bytes. */
export function mutateClientData(members: Readonly<Record<string, unknown>>, random: Random): Uint8Array {
  const honest = utf8(JSON.stringify(members));
  if (random(3) === 0) return mutate(honest, random);
  return utf8(JSON.stringify({ ...members, [pick(random, MEMBERS)]: pick(random, VALUES) }));
}
