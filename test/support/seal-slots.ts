import type { Tables } from "../../src/db/schema/schema.ts";

/** Returns a slot as it is stored. Nothing authenticates it, and it does not open. */
export function storedSlot(sealKeyId: string): Tables["seal_slot"] {
  return {
    id: "slot_first",
    source: "file",
    api: null,
    seal_key_id: sealKeyId,
    version: 1,
    sealed: new Uint8Array(1),
    threshold: null,
    shares: null,
    share_hashes: null,
    created_at: 0,
    opened_at: null,
    mac: new Uint8Array(32),
  };
}
