import type { TokenAlgorithm } from "../db/schema/oauth.ts";
import type { Instant } from "../lib/time.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import { defineEvent } from "./event-row.ts";
import type { LogFaultReason } from "./log-head.ts";

/** The id of a slot of the sealed seed, and the source of its key. */
interface SealSlotChange {
  readonly slot: string;
  readonly source: string;
}

export type ReleaseRefusalReason =
  | "unknown_workload"
  | "too_many_challenges"
  | "malformed_claims"
  | "other_broker"
  | "challenge_absent"
  | "challenge_expired"
  | "challenge_of_other_workload"
  | "malformed_quote"
  | "weak_key"
  | "not_allowed"
  | "verification_failed"
  | "key_lost";

const ROLLBACKS = {
  person: {
    en:
      "This service lost part of its records and its operator let it continue; events may be missing from this list",
    de:
      "Dieser Dienst verlor einen Teil seiner Aufzeichnungen, und sein Betreiber ließ ihn weiterlaufen; in dieser Liste können Ereignisse fehlen",
  },
  restore: {
    en: "This service was restored from a backup; events after that backup are not in this list",
    de:
      "Dieser Dienst wurde aus einer Sicherung wiederhergestellt; Ereignisse nach dieser Sicherung stehen nicht in dieser Liste",
  },
};

export const SERVICE_EVENTS = {
  token_key_made: defineEvent<{ readonly algorithm: TokenAlgorithm }>({
    en: ({ algorithm }) => `A key for signing tokens was created (${algorithm})`,
    de: ({ algorithm }) => `Ein Schlüssel zum Signieren von Token wurde erstellt (${algorithm})`,
  }),
  /** A further key can open the seed from now on, or can no longer. Shown to all accounts. */
  seal_slot_added: defineEvent<SealSlotChange>({
    en: ({ source }) => `A key that opens this service's root secret was added (${source})`,
    de: ({ source }) =>
      `Ein Schlüssel, der das Wurzelgeheimnis dieses Dienstes öffnet, kam hinzu (${source})`,
  }),
  seal_slot_removed: defineEvent<SealSlotChange>({
    en: ({ source }) => `A key that opens this service's root secret was removed (${source})`,
    de: ({ source }) =>
      `Ein Schlüssel, der das Wurzelgeheimnis dieses Dienstes öffnet, wurde entfernt (${source})`,
  }),
  /** A broker issued no nonce. The subject is the workload, if it is known. */
  release_challenge_refused: defineEvent<{ readonly reason: ReleaseRefusalReason }>({
    en: ({ reason }) => `A challenge for a sealing key was refused (${reason})`,
    de: ({ reason }) => `Eine Aufgabe für einen Siegelschlüssel wurde abgelehnt (${reason})`,
  }),
  /** A broker created a workload's sealing key: once per workload. */
  release_key_made: defineEvent({
    en: "A sealing key was created for a workload",
    de: "Ein Siegelschlüssel für ein Programm wurde erstellt",
  }),
  /** A broker released a workload's sealing key to a quote with these measurements. */
  sealing_key_released: defineEvent<
    { readonly mrTd: string; readonly rtmr3: string; readonly tcbStatus: string }
  >({
    en: "A sealing key was released to a workload",
    de: "Ein Siegelschlüssel wurde an ein Programm herausgegeben",
  }),
  /** `check` is the quote check that failed. */
  release_refused: defineEvent<{ readonly reason: ReleaseRefusalReason; readonly check: string | null }>({
    en: ({ reason }) => `The release of a sealing key was refused (${reason})`,
    de: ({ reason }) => `Die Herausgabe eines Siegelschlüssels wurde abgelehnt (${reason})`,
  }),
  /** A row of an authenticated table that the service did not write. */
  row_rejected: defineEvent<{ readonly kind: AuthorityKind }>({
    en: ({ kind }) =>
      `A database row was rejected because the service had not written it, or because it was used or deleted (${kind})`,
    de: ({ kind }) =>
      `Eine Zeile der Datenbank wurde abgelehnt, weil der Dienst sie nicht geschrieben hatte oder weil sie verbraucht oder gelöscht war (${kind})`,
  }),
  /** Rows of the owner that is the subject are missing, older, or another copy's. It is refused until they add up. */
  rows_inconsistent: defineEvent<{ readonly kind: AuthorityKind }>({
    en: ({ kind }) => `Database rows were refused because some are missing or are not the newest (${kind})`,
    de: ({ kind }) =>
      `Zeilen der Datenbank wurden abgelehnt, weil welche fehlen oder nicht die neuesten sind (${kind})`,
  }),
  /** Names a new state of the account, or of the service, if the transaction has no other entry of that owner. */
  state_changed: defineEvent({
    en: "Expired data was deleted",
    de: "Abgelaufene Daten wurden gelöscht",
  }),
  /** The operator accepted a broken log. The state of the account, as stored, counts as the newest. */
  state_accepted: defineEvent({
    en: "The operator accepted the stored data of this account, whose records were damaged",
    de: "Der Betreiber hat die gespeicherten Daten dieses Kontos angenommen, deren Protokoll beschädigt war",
  }),
  /** The operator had the account's rows made again, because they did not add up (`recovery/repair-account.ts`). */
  account_repaired: defineEvent<
    { readonly passkeys: number; readonly keys: number; readonly keepsAddress: boolean }
  >({
    en: ({ passkeys, keepsAddress }) =>
      `The operator repaired the stored data of your account: all sessions, tokens, recovery codes and applications ended${
        keepsAddress ? "" : ", its e-mail address was removed"
      }, and it has ${passkeys === 1 ? "1 passkey" : `${passkeys} passkeys`}`,
    de: ({ passkeys, keepsAddress }) =>
      `Der Betreiber hat die gespeicherten Daten Ihres Kontos repariert: Alle Sitzungen, Token, Wiederherstellungscodes und Anwendungen endeten${
        keepsAddress ? "" : ", die E-Mail-Adresse wurde entfernt"
      }, und es hat ${passkeys === 1 ? "1 Passkey" : `${passkeys} Passkeys`}`,
  }),
  /** The operator had the service's rows made again, because those of these kinds did not add up. */
  service_repaired: defineEvent<{ readonly kinds: string }>({
    en: ({ kinds }) => `The operator repaired the stored data of this service (${kinds})`,
    de: ({ kinds }) => `Der Betreiber hat die gespeicherten Daten dieses Dienstes repariert (${kinds})`,
  }),
  /** The log has a fault, and recording stopped. `entry` is the number of the faulty entry. */
  log_fault_noticed: defineEvent<{
    readonly reason: LogFaultReason;
    readonly entry: number;
    /** The issue time of the log receipt, if one revealed the fault. */
    readonly issuedAt: Instant | null;
  }>({
    en: ({ entry }) => `The log was found to have been changed (entry ${entry})`,
    de: ({ entry }) => `Das Protokoll wurde verändert vorgefunden (Eintrag ${entry})`,
  }),
  /**
   * An operator acknowledged that the database was rolled back, or that a part of the log was lost. Shown to all
   * accounts. `until` is the time before which receipts for lost entries are expected. `faults` are the hashes, in
   * hexadecimal separated by spaces, of the fault entries acknowledged. `brokenAt` is the first broken entry, if any,
   * and `broken` the digest from there to this entry.
   */
  rollback_acknowledged: defineEvent<{
    readonly cause: keyof typeof ROLLBACKS;
    readonly until: Instant;
    readonly faults: string;
    readonly brokenAt: number | null;
    readonly broken: string | null;
  }>({
    en: ({ cause }) => ROLLBACKS[cause].en,
    de: ({ cause }) => ROLLBACKS[cause].de,
  }),
};
