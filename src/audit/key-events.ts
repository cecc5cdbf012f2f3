import type { BlindSigning } from "../db/schema/key.ts";
import { formatDateTime } from "../lib/date-time.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { defineEvent, type Translations } from "./event-row.ts";

const BLIND_SIGNING: Readonly<Record<BlindSigning, Translations>> = {
  allow: {
    en: "A key was set to sign raw bytes, digests and messages of bytes",
    de: "Ein Schlüssel signiert nun rohe Bytes, Digests und Nachrichten aus Bytes",
  },
  guard: {
    en: "A key was set to refuse digests, bytes that could be a transaction, and messages of 32 bytes",
    de:
      "Ein Schlüssel lehnt nun Digests ab, Bytes, die eine Transaktion sein könnten, und Nachrichten von 32 Bytes",
  },
  deny: {
    en: "A key was set to refuse raw bytes, digests and messages of bytes",
    de: "Ein Schlüssel lehnt nun rohe Bytes, Digests und Nachrichten aus Bytes ab",
  },
};

const POLICY_ACTS = {
  tightened: {
    en: () => "A key’s policy was set or tightened",
    de: () => "Die Richtlinie eines Schlüssels wurde gesetzt oder verschärft",
  },
  /** Loosened at once. */
  loosened: {
    en: () => "A key’s policy was loosened or removed",
    de: () => "Die Richtlinie eines Schlüssels wurde gelockert oder entfernt",
  },
  /** Loosening requested with a delay. */
  asked: {
    en: (until: string) => `You requested a looser policy for a key, effective from ${until}`,
    de: (until: string) =>
      `Sie haben eine lockerere Richtlinie für einen Schlüssel verlangt, gültig ab ${until}`,
  },
  cancelled: {
    en: () => "A pending looser policy of a key was cancelled",
    de: () => "Eine vorgemerkte lockerere Richtlinie eines Schlüssels wurde abgebrochen",
  },
  took_effect: {
    en: () => "A pending looser policy of a key took effect",
    de: () => "Eine vorgemerkte lockerere Richtlinie eines Schlüssels trat in Kraft",
  },
};

/** A change of a key's policy. */
export type KeyPolicyAct = keyof typeof POLICY_ACTS;

export const KEY_EVENTS = {
  key_generated: defineEvent<{ readonly keyIndex: number }>({
    en: ({ keyIndex }) => `A key was created, with index ${keyIndex}`,
    de: ({ keyIndex }) => `Ein Schlüssel wurde erstellt, mit dem Index ${keyIndex}`,
  }),
  key_labelled: defineEvent({
    en: "A key’s label was changed",
    de: "Die Bezeichnung eines Schlüssels wurde geändert",
  }),
  key_archived: defineEvent({ en: "A key was archived", de: "Ein Schlüssel wurde archiviert" }),
  key_unarchived: defineEvent({ en: "A key was unarchived", de: "Ein Schlüssel wurde zurückgeholt" }),
  blind_signing_changed: defineEvent<{ readonly to: BlindSigning }>({
    en: ({ to }) => BLIND_SIGNING[to].en,
    de: ({ to }) => BLIND_SIGNING[to].de,
  }),
  /** The full policy state of the key after the event. It exposes a restored old row. */
  key_policy_changed: defineEvent<{
    readonly keyIndex: number;
    readonly revision: number;
    readonly act: KeyPolicyAct;
    /** Canonical JSON; null allows everything. */
    readonly policy: string | null;
    /** The pending policy, canonical JSON, `null` in JSON for none. Both are null without a pending change. */
    readonly change: string | null;
    readonly changeAt: Instant | null;
  }>({
    en: ({ act, changeAt }) => POLICY_ACTS[act].en(changeAt === null ? "now" : toIso(changeAt)),
    de: ({ act, changeAt }) =>
      POLICY_ACTS[act].de(changeAt === null ? "jetzt" : formatDateTime("de", changeAt)),
  }),
};
