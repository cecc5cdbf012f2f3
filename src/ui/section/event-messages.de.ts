import type { DoneByAdministrator } from "../../audit/event.ts";
import { findChain } from "../../clear-signing/registry/chains.ts";
import type { TypedDataStandard } from "../../clear-signing/match-standard.ts";
import { html } from "../../lib/html.ts";
import { formatDateTime } from "../../lib/date-time.ts";
import { nativeAmount, shortAddress } from "../amounts.ts";
import type { en } from "./event-messages.en.ts";

const POLICY_ACTS = {
  tightened: () => "Die Richtlinie eines Schlüssels wurde gesetzt oder verschärft",
  loosened: () => "Die Richtlinie eines Schlüssels wurde gelockert oder entfernt",
  asked: (until: string) =>
    `Sie haben eine lockerere Richtlinie für einen Schlüssel verlangt, gültig ab ${until}`,
  cancelled: () => "Eine vorgemerkte lockerere Richtlinie eines Schlüssels wurde abgebrochen",
  took_effect: () => "Eine vorgemerkte lockerere Richtlinie eines Schlüssels trat in Kraft",
};

const RECOVERY_ACTS = {
  codes_made: () => "Wiederherstellungscodes wurden erstellt; die früheren gelten nicht mehr",
  choices_changed: () => "Was eine Wiederherstellung Ihres Kontos verlangt, wurde geändert",
  begun: (until: string) =>
    `Eine Wiederherstellung Ihres Kontos wurde begonnen: Ab ${until} lässt sich ein neuer Passkey erstellen`,
  cancelled_by_link: () => "Eine Wiederherstellung Ihres Kontos wurde über den Link einer Mail abgebrochen",
  cancelled_by_sign_in: () =>
    "Eine Wiederherstellung Ihres Kontos wurde durch eine Anmeldung mit einem Passkey abgebrochen",
  cancelled_by_passkey: () =>
    "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil ein Passkey verwendet wurde",
  cancelled_by_owner: () => "Sie haben eine Wiederherstellung Ihres Kontos abgebrochen",
  cancelled_by_new_address: () =>
    "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil seine E-Mail-Adresse geändert wurde",
  cancelled_by_old_address: () =>
    "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil eine Änderung seiner E-Mail-Adresse rückgängig gemacht wurde",
  waits_anew: (until: string) =>
    `Die Wartezeit einer Wiederherstellung begann noch einmal, weil Ihr Konto wieder freigegeben wurde: Ab ${until} lässt sich ein neuer Passkey erstellen`,
  lapsed: () => "Eine Wiederherstellung Ihres Kontos ist abgelaufen",
  finished: () =>
    "Ihr Konto wurde wiederhergestellt: Es hat einen neuen Passkey, und alles andere wurde abgemeldet",
  restored: () =>
    "Die Einstellungen zur Wiederherstellung Ihres Kontos fehlten in der Datenbank und wurden neu geschrieben",
};

const GRANT_ENDS = {
  withdrawn: "Eine Anwendung verlor ihren Zugang, weil er ihr entzogen wurde",
  code_replayed: "Eine Anwendung verlor ihren Zugang, weil ihr Code zweimal verwendet wurde",
  refresh_token_reused:
    "Eine Anwendung verlor ihren Zugang, weil ein altes Refresh-Token noch einmal verwendet wurde",
  revoked: "Eine Anwendung gab ihren Zugang auf",
  recovered: "Eine Anwendung verlor ihren Zugang, weil das Konto wiederhergestellt wurde",
  too_many: "Eine Anwendung verlor ihren ältesten Zugang, weil sie zu viele hatte",
};

const REQUEST_ENDS = {
  declined: "von Ihnen abgelehnt",
  refused: "verweigert, als Sie sie freigaben",
  withdrawn: "zurückgezogen",
};

const DELETION_STOPS = {
  sign_in: "Sie haben sich angemeldet; deshalb wird Ihr Konto nicht gelöscht",
  recovery: "Ihr Konto wurde wiederhergestellt; deshalb wird es nicht gelöscht",
  old_address:
    "Die Änderung Ihrer E-Mail-Adresse wurde rückgängig gemacht; deshalb wird Ihr Konto nicht gelöscht",
};

function ended(sessions: number): string {
  return sessions === 1 ? "1 Sitzung endete" : `${sessions} Sitzungen endeten`;
}

function forWhom(
  { by, client }: { readonly by?: string | undefined; readonly client?: string | undefined },
): string {
  if (by === undefined) return "";
  return client === undefined ? `, für das Programm mit ${by}` : `, für die Anwendung ${client} (${by})`;
}

function chainOf(chainId: string): string {
  return findChain(chainId)?.name ?? `Chain ${chainId}`;
}

const MESSAGES: Readonly<Record<string, string>> = {
  personal_sign: "eine Nachricht",
  raw: "rohe Bytes, blind",
  digest: "einen Digest, blind",
};

const STANDARDS: Readonly<Record<string, string>> = {
  erc20_permit: "eine Token-Erlaubnis (Permit)",
  dai_permit: "eine Dai-Erlaubnis (Permit)",
  permit2_allowance: "eine Permit2-Erlaubnis",
  permit2_transfer: "eine Permit2-Überweisung",
  transfer_authorization: "eine Token-Überweisung, die ein anderes Konto senden kann",
  authorization_cancellation: "den Widerruf einer Token-Überweisung",
  seaport_order: "einen Seaport-Auftrag",
  safe_transaction: "eine Transaktion eines Safe",
  user_operation: "eine User Operation",
} satisfies Readonly<Record<TypedDataStandard, string>>;

function withWhat({ by }: Partial<DoneByAdministrator>): string {
  if (by === undefined) return "";
  return by === "account" ? " mit einem eigenen Konto" : " mit dem Admin-Schlüssel";
}

export const de: typeof en = {
  sentences: {
    account_created: "Ihr Konto wurde erstellt",
    invitation_used: "Sie haben Ihr Konto mit einer Einladung erstellt",
    invitation_made: "Eine Einladung wurde erstellt",
    invitation_withdrawn: "Eine Einladung wurde zurückgezogen",
    account_disabled: ({ sessions, ...done }) =>
      `Der Administrator hat Ihr Konto${withWhat(done)} gesperrt; ${ended(sessions)} damit`,
    account_enabled: (done) => `Der Administrator hat Ihr Konto${withWhat(done)} wieder freigegeben`,
    sessions_ended_for: ({ sessions, ...done }) =>
      `Der Administrator hat Ihre Sitzungen${withWhat(done)} beendet (${sessions})`,
    administration_entered: "Sie haben die Seiten des Administrators betreten",
    identity_linked: ({ issuer }) => `Ihre Anmeldung bei ${issuer} wurde mit Ihrem Konto verbunden`,
    identity_unlinked: ({ issuer }) => `Ihre Anmeldung bei ${issuer} wurde von Ihrem Konto gelöst`,
    account_renamed: "Ihr Konto wurde umbenannt",
    account_exported: "Sie haben alle Ihre Daten heruntergeladen",
    email_changed: "Ihre E-Mail-Adresse wurde geändert",
    email_change_taken_back: ({ sessions }) =>
      `Eine Änderung Ihrer E-Mail-Adresse wurde von der alten Adresse aus rückgängig gemacht; ${
        ended(sessions)
      }`,
    deletion_asked: ({ dueAt, sessions }) =>
      `Sie haben um die Löschung Ihres Kontos am ${formatDateTime("de", dueAt)} gebeten; ${ended(sessions)}`,
    deletion_stopped: ({ by }) => DELETION_STOPS[by],
    account_deleted: "Ihr Konto wurde gelöscht",
    passkey_added: "Ein Passkey wurde hinzugefügt",
    passkey_renamed: "Ein Passkey wurde umbenannt",
    passkey_removed: ({ sessions }) => `Ein Passkey wurde entfernt; ${ended(sessions)} damit`,
    signed_in: "Sie haben sich mit einem Passkey angemeldet",
    sign_in_refused: ({ reason }) => `Eine Anmeldung mit Ihrem Passkey wurde abgelehnt (${reason})`,
    signed_out: "Sie haben sich abgemeldet",
    stepped_up: "Sie haben mit einem Passkey bestätigt",
    recovery_changed: ({ act, readyAt }) =>
      RECOVERY_ACTS[act](readyAt === null ? "jetzt" : formatDateTime("de", readyAt)),
    recovery_refused: ({ reason }) =>
      reason === "no_code"
        ? "Eine Wiederherstellung mit einem Code aus Ihrem Postfach wurde abgelehnt, weil der Wiederherstellungscode fehlte"
        : "Eine Wiederherstellung mit einem Code aus Ihrem Postfach wurde abgelehnt, weil der Wiederherstellungscode falsch war",
    step_up_refused: ({ reason }) => `Eine Bestätigung mit einem Passkey wurde abgelehnt (${reason})`,
    session_ended: "Sie haben eine Sitzung beendet",
    sessions_ended: ({ which, sessions }) =>
      `Sie haben ${which === "all" ? "alle Sitzungen" : "alle anderen Sitzungen"} beendet (${sessions})`,
    key_generated: ({ keyIndex }) => `Ein Schlüssel wurde erstellt, mit dem Index ${keyIndex}`,
    key_labelled: "Die Bezeichnung eines Schlüssels wurde geändert",
    key_archived: "Ein Schlüssel wurde archiviert",
    key_unarchived: "Ein Schlüssel wurde zurückgeholt",
    blind_signing_changed: ({ to }) =>
      ({
        allow: "Ein Schlüssel signiert nun rohe Bytes, Digests und Nachrichten aus Bytes",
        guard:
          "Ein Schlüssel lehnt nun Digests ab, Bytes, die eine Transaktion sein könnten, und Nachrichten von 32 Bytes",
        deny: "Ein Schlüssel lehnt nun rohe Bytes, Digests und Nachrichten aus Bytes ab",
      })[to],
    key_policy_changed: ({ act, changeAt }) =>
      POLICY_ACTS[act](changeAt === null ? "jetzt" : formatDateTime("de", changeAt)),
    message_signed: ({ format, digest, ...who }) =>
      `Ein Schlüssel signierte eine Nachricht (${format}) mit dem Digest ${digest}${forWhom(who)}`,
    typed_data_signed: ({ digest, ...who }) =>
      `Ein Schlüssel signierte typisierte Daten mit dem Digest ${digest}${forWhom(who)}`,
    transaction_signed: ({ digest, chainId, recipient, value, ...who }) =>
      `Ein Schlüssel signierte eine Transaktion auf Chain ${chainId}, ${
        recipient === null ? "die einen Vertrag erzeugt" : `an ${recipient}`
      }, mit einem Wert von ${value} Wei und dem Digest ${digest}${forWhom(who)}`,
    authorization_signed: ({ digest, chainId, delegate, ...who }) =>
      `Ein Schlüssel signierte eine Ermächtigung, auf Chain ${chainId} den Code von ${delegate} auszuführen, mit dem Digest ${digest}${
        forWhom(who)
      }`,
    signature_asked: (who) => `Sie wurden um eine Signatur gebeten${forWhom(who)}`,
    signing_request_ended: ({ how, reason, by }) =>
      `Eine angefragte Signatur${forWhom({ by })} wurde ${REQUEST_ENDS[how]}${
        reason === null ? "" : ` (${reason})`
      }`,
    approval_refused: ({ reason }) => `Die Freigabe einer Signatur wurde abgelehnt (${reason})`,
    token_created: ({ actions }) => `Sie haben ein Token für ein Programm erstellt (${actions})`,
    token_changed: ({ members }) => `Sie haben ein Token geändert (${members})`,
    token_revoked: "Sie haben ein Token widerrufen",
    client_registered: "Eine Anwendung wurde eingetragen",
    client_changed: ({ members }) => `Die Angaben zu einer Anwendung wurden geändert (${members})`,
    client_disabled: "Eine Anwendung wurde gesperrt",
    client_enabled: "Eine Anwendung wurde freigegeben",
    client_secret_rotated: "Eine Anwendung bekam ein anderes Geheimnis",
    client_secret_ended: "Das frühere Geheimnis einer Anwendung gilt nicht mehr",
    client_deleted: "Eine Anwendung wurde gelöscht",
    consent_given: ({ scope, keys }) =>
      `Sie haben einer Anwendung Zugang gegeben (${scope})${
        keys === undefined ? "" : `, mit ${keys.split(" ").length} Ihrer Schlüssel`
      }`,
    consent_withdrawn: "Sie haben einer Anwendung den Zugang entzogen",
    authorization_denied: "Sie haben einer Anwendung den Zugang verweigert",
    grant_started: "Eine Anwendung bekam Zugang",
    code_redeemed: "Eine Anwendung holte ihre ersten Token ab",
    grant_refreshed: "Eine Anwendung erneuerte ihre Token",
    grant_ended: ({ reason }) => GRANT_ENDS[reason],
    token_key_made: ({ algorithm }) => `Ein Schlüssel zum Signieren von Token wurde erstellt (${algorithm})`,
    seed_resealed: "Das Wurzelgeheimnis wurde neu versiegelt",
    release_challenge_refused: ({ reason }) =>
      `Eine Aufgabe für einen Siegelschlüssel wurde abgelehnt (${reason})`,
    release_key_made: "Ein Siegelschlüssel für ein Programm wurde erstellt",
    sealing_key_released: "Ein Siegelschlüssel wurde an ein Programm herausgegeben",
    release_refused: ({ reason }) => `Die Herausgabe eines Siegelschlüssels wurde abgelehnt (${reason})`,
    log_fault_noticed: ({ entry }) => `Das Protokoll wurde verändert vorgefunden (Eintrag ${entry})`,
    rollback_acknowledged: ({ cause }) =>
      cause === "restore"
        ? "Dieser Dienst wurde aus einer Sicherung wiederhergestellt; Ereignisse nach dieser Sicherung stehen nicht in dieser Liste"
        : "Dieser Dienst verlor einen Teil seiner Aufzeichnungen, und sein Betreiber ließ ihn weiterlaufen; in dieser Liste können Ereignisse fehlen",
    row_rejected: ({ kind }) =>
      `Eine Zeile der Datenbank wurde abgelehnt, weil der Dienst sie nicht geschrieben hatte oder weil sie verbraucht oder gelöscht war (${kind})`,
  },
  named: {
    message_signed: (it, { format }) => html`${it} signierte ${MESSAGES[format] ?? "eine Nachricht"}`,
    typed_data_signed: (it, { standard }) =>
      html`${it} signierte ${
        standard === undefined ? "typisierte Daten" : STANDARDS[standard] ?? "typisierte Daten"
      }`,
    transaction_signed: (it, { chainId, recipient, value, selector }) =>
      recipient === null
        ? html`${it} signierte eine Transaktion auf ${chainOf(chainId)}, die einen Vertrag erzeugt`
        : html`${it} signierte eine Transaktion auf ${chainOf(chainId)}: ${
          nativeAmount(value, chainId, "ihrer Währung")
        } an ${shortAddress(recipient)}${selector !== null && ", mit einem Aufruf"}`,
    authorization_signed: (it, { chainId, delegate }) =>
      html`${it} signierte eine Ermächtigung, den Code von ${shortAddress(delegate)} auszuführen, auf ${
        chainId === "0" ? "jeder Chain" : chainOf(chainId)
      }`,
    signature_asked: (it) => html`Sie wurden um eine Signatur von ${it} gebeten`,
    signing_request_ended: (it, { how, reason }) =>
      html`Eine angefragte Signatur von ${it} wurde ${REQUEST_ENDS[how]}${reason !== null && ` (${reason})`}`,
    approval_refused: (it, { reason }) =>
      html`Die Freigabe einer Signatur von ${it} wurde abgelehnt (${reason})`,
    token_created: (it) => html`Sie haben das Token ${it} erstellt`,
    token_changed: (it) => html`Sie haben das Token ${it} geändert`,
    token_revoked: (it) => html`Sie haben das Token ${it} widerrufen`,
    consent_given: (it) => html`Sie haben ${it} Zugang gegeben`,
    consent_withdrawn: (it) => html`Sie haben ${it} den Zugang entzogen`,
    authorization_denied: (it) => html`Sie haben ${it} den Zugang verweigert`,
  },
  unnamed: ["Ein Schlüssel", "Eine Anwendung", "Ein Token"],
  entry: "Eintrag",
  event: "Ereignis",
  subject: "Worum es geht",
  askedForBy: "für",
  approved: "mit einem Passkey freigegeben",
  details: "Einzelheiten",
};
