import { engineState } from "../../db/engine-state.ts";
import type { Db } from "../../db/schema/schema.ts";
import { utf8, writeUint32 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";

/**
 * The newest state of each owner, as the verified audit log tells it: the start of the MAC of its row in `owner_state`,
 * its state tag. A row with another MAC was restored, or written by another copy of the database.
 */

/** The length of a state tag in bytes. An attacker would need a state of the service's own making that begins alike. */
export const TAG_LENGTH = 12;

const WORDS = 5;
/** The share of slots in use from which the table grows. */
const LARGEST_LOAD = 0.7;
const BYTES = 4 * WORDS;

/** A table of state tags by owner. It takes 30 to 60 bytes for each owner. */
export interface StateTags {
  readonly size: number;
  find(owner: string): Uint8Array | undefined;
  set(owner: string, tag: Uint8Array): void;
  delete(owner: string): void;
  /** Returns 20 bytes for each owner: 8 of a hash of its name, then its tag. */
  encode(): Uint8Array<ArrayBuffer>;
}

/** Creates a table, filled with what `encode` returned. Ignores a last entry that is not whole. */
export function createStateTags(encoded: Uint8Array = new Uint8Array()): StateTags {
  // Open addressing with linear probing. An empty slot has a name of two zeros.
  let capacity = 1024;
  let slots = new Uint32Array(capacity * WORDS);
  let size = 0;

  function slotOf(high: number, low: number): number {
    let slot = high & (capacity - 1);
    for (;;) {
      const at = slot * WORDS;
      if (slots[at] === high && slots[at + 1] === low) return at;
      if (slots[at] === 0 && slots[at + 1] === 0) return at;
      slot = (slot + 1) & (capacity - 1);
    }
  }

  function isFree(at: number): boolean {
    return slots[at] === 0 && slots[at + 1] === 0;
  }

  // Copies by words: a view of a few costs more than the words.
  function insert(words: Uint32Array, from = 0): void {
    const at = slotOf(words[from]!, words[from + 1]!);
    if (isFree(at)) size++;
    for (let index = 0; index < WORDS; index++) slots[at + index] = words[from + index]!;
    if (size > capacity * LARGEST_LOAD) rebuild(capacity * 2);
  }

  function rebuild(wanted: number): void {
    const before = slots;
    capacity = wanted;
    slots = new Uint32Array(capacity * WORDS);
    size = 0;
    for (let at = 0; at < before.length; at += WORDS) {
      if (before[at] !== 0 || before[at + 1] !== 0) insert(before, at);
    }
  }

  /** Empties a slot, and moves entries that were stored behind it because it was taken. */
  function closeGap(at: number): void {
    size--;
    let gap = at;
    for (let next = at;;) {
      next = (next + WORDS) % slots.length;
      if (isFree(next)) break;
      const wanted = (slots[next]! & (capacity - 1)) * WORDS;
      const isBehindGap = gap <= next ? gap < wanted && wanted <= next : gap < wanted || wanted <= next;
      if (isBehindGap) continue;
      slots.copyWithin(gap, next, next + WORDS);
      gap = next;
    }
    slots.fill(0, gap, gap + WORDS);
  }

  function wordsOf(owner: string): Uint32Array {
    const words = new Uint32Array(WORDS);
    readWords(sha256(utf8(owner)), words.subarray(0, 2));
    // Never two zeros, which mark an empty slot.
    words[1]! |= 1;
    return words;
  }

  const entry = new Uint32Array(WORDS);
  while (capacity * LARGEST_LOAD < encoded.length / BYTES) capacity *= 2;
  slots = new Uint32Array(capacity * WORDS);
  for (let offset = 0; offset + BYTES <= encoded.length; offset += BYTES) {
    readWords(encoded, entry, offset);
    insert(entry);
  }

  return {
    get size() {
      return size;
    },
    find(owner) {
      const words = wordsOf(owner);
      const at = slotOf(words[0]!, words[1]!);
      return isFree(at) ? undefined : toBytes(slots.subarray(at + 2, at + WORDS));
    },
    set(owner, tag) {
      const words = wordsOf(owner);
      readWords(tag, words.subarray(2));
      insert(words);
    },
    delete(owner) {
      const words = wordsOf(owner);
      const at = slotOf(words[0]!, words[1]!);
      if (!isFree(at)) closeGap(at);
    },
    encode() {
      const encoded = new Uint8Array(size * BYTES);
      const view = new DataView(encoded.buffer);
      let offset = 0;
      for (let at = 0; at < slots.length; at += WORDS) {
        if (isFree(at)) continue;
        for (let index = 0; index < WORDS; index++) view.setUint32(offset + 4 * index, slots[at + index]!);
        offset += BYTES;
      }
      return encoded;
    },
  };
}

/** Fills the words from the bytes after an offset, each from 4, big-endian. */
function readWords(bytes: Uint8Array, words: Uint32Array, offset = 0): void {
  for (let index = 0, at = offset; index < words.length; index++, at += 4) {
    words[index] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
}

function toBytes(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  for (let index = 0; index < words.length; index++) writeUint32(bytes, 4 * index, words[index]!);
  return bytes;
}

/** The state tags of a database as far as this process has read its log. */
export interface KnownStateTags {
  table: StateTags;
  /** The number of the last entry whose states are in the table. */
  seq: number;
}

const STATE_TAGS = Symbol("state tags");

/** Returns the state tags of a database, one table per process and engine. */
export function stateTagsOf(db: Db): KnownStateTags {
  return engineState(db, STATE_TAGS, (): KnownStateTags => ({ table: createStateTags(), seq: 0 }));
}
