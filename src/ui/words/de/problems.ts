import type { ProblemCode } from "../../../lib/error.ts";

const AGAIN = "Versuchen Sie es gleich noch einmal.";

/** Each problem in a title and a sentence or two: what the service says of it itself is English. */
export const PROBLEM_SENTENCES: Readonly<Record<ProblemCode, readonly [title: string, sentence: string]>> = {
  invalid_request: ["Ungültige Anfrage", "Diese Anfrage ist nicht, wie sie sein muss, oder gilt nicht mehr."],
  invalid_json: ["Ungültiges JSON", "Das ist kein gültiges JSON."],
  invalid_code: [
    "Ungültiger Code",
    "Dieser Code stimmt nicht oder gilt nicht mehr. Prüfen Sie ihn, oder fordern Sie einen neuen an.",
  ],
  invalid_passkey_registration: [
    "Passkey abgelehnt",
    "Der neue Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.",
  ],
  identity_refused: [
    "Nicht angemeldet",
    "Die Anmeldung bei dem anderen Anbieter ist nicht gelungen. Beginnen Sie noch einmal.",
  ],
  invalid_transaction: ["Ungültige Transaktion", "Das ist keine Transaktion, die signiert werden kann."],
  invalid_typed_data: ["Ungültige typisierte Daten", "Das sind keine gültigen typisierten Daten (EIP-712)."],
  looks_like_transaction: [
    "Könnte eine Transaktion sein",
    "Diese Bytes könnten eine Transaktion sein; der Schlüssel signiert sie nicht blind.",
  ],
  invalid_passkey: [
    "Passkey abgelehnt",
    "Der Passkey wurde nicht angenommen. Vielleicht gehört er zu einem anderen Konto oder wurde entfernt; versuchen Sie es noch einmal.",
  ],
  authentication_required: [
    "Anmeldung nötig",
    "Das hat zu lange gedauert, oder Sie sind nicht angemeldet. Laden Sie die Seite neu.",
  ],
  blind_signing_denied: [
    "Blindes Signieren abgelehnt",
    "Dieser Schlüssel signiert nichts, in das niemand hineinsehen kann.",
  ],
  policy_denied: ["Von einer Richtlinie abgelehnt", "Eine Richtlinie lässt diese Signatur nicht zu."],
  insufficient_scope: ["Diesem Token nicht erlaubt", "Das Token darf das nicht."],
  cross_site_request: [
    "Von einer anderen Website",
    "Der Browser sagt, dass dies von einer anderen Website kam; deshalb wurde es abgelehnt. Laden Sie die Seite neu.",
  ],
  release_refused: ["Freigabe abgelehnt", "Die Freigabe wurde abgelehnt."],
  fresh_session_required: [
    "Bestätigung nötig",
    "Dafür ist die Anmeldung zu lange her. Bestätigen Sie mit einem Passkey.",
  ],
  account_disabled: ["Konto gesperrt", "Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber."],
  invitation_required: [
    "Einladung nötig",
    "Für ein Konto braucht es hier eine Einladung, und Ihre gilt für eine andere Adresse oder ist abgelaufen. Öffnen Sie den Link, den Sie bekommen haben, noch einmal, oder bitten Sie um eine neue.",
  ],
  sign_up_closed: ["Keine neuen Konten", "Dieser Dienst nimmt keine neuen Konten an."],
  not_found: ["Nicht gefunden", "Hier gibt es nichts, oder nichts, was Ihnen gehört."],
  method_not_allowed: ["Nicht erlaubt", "So lässt sich diese Adresse nicht verwenden."],
  account_exists: ["Konto vorhanden", "Inzwischen gibt es schon ein Konto. Melden Sie sich stattdessen an."],
  key_archived: [
    "Schlüssel archiviert",
    "Dieser Schlüssel ist archiviert und signiert nichts. Nehmen Sie ihn zuerst wieder in Gebrauch.",
  ],
  last_passkey: ["Letzter Passkey", "Der letzte Passkey eines Kontos lässt sich nicht löschen."],
  public_client: ["Öffentliche Anwendung", "Eine öffentliche Anwendung hat kein Geheimnis."],
  client_declared: [
    "In einer Datei festgelegt",
    "Eine Datei des Betreibers legt diese Anwendung fest: Sie wird dort geändert.",
  ],
  policy_locked: ["Richtlinie gesperrt", "Diese Richtlinie ist gesperrt und lässt sich nicht lockern."],
  signing_request_over: ["Anfrage erledigt", "Diese Anfrage ist schon beantwortet oder abgelaufen."],
  too_many_tokens: ["Zu viele Token", "Ihr Konto hat schon so viele Token, wie es haben kann."],
  too_many_passkeys: ["Zu viele Passkeys", "Ihr Konto hat schon so viele Passkeys, wie es haben kann."],
  body_too_large: ["Zu groß", "Das ist mehr, als auf einmal angenommen wird."],
  unsupported_media_type: ["Nicht unterstützt", "Daten dieser Art werden hier nicht angenommen."],
  already_made: ["Schon geschehen", "Das ist schon geschehen. Laden Sie die Seite neu, um es zu sehen."],
  idempotency_mismatch: [
    "Schon verwendet",
    "Dieselbe Anfrage kam schon einmal, aber mit anderem Inhalt. Laden Sie die Seite neu.",
  ],
  too_many_signing_requests: [
    "Zu viele Anfragen",
    "Es warten schon so viele Anfragen nach einer Signatur, wie warten können.",
  ],
  rate_limited: ["Zu oft", "Das war zu oft. Versuchen Sie es später noch einmal."],
  recovery_refused: [
    "Wiederherstellung abgelehnt",
    "Mit diesen Codes lässt sich kein Konto wiederherstellen. Prüfen Sie den Wiederherstellungscode; ohne einen geht es nur, wenn das Konto es erlaubt.",
  ],
  recovery_waiting: [
    "Wiederherstellung wartet",
    "Eine Wiederherstellung dieses Kontos wartet schon. Die Mails darüber können sie abbrechen.",
  ],
  recovery_in_browser: [
    "Wiederherstellung in diesem Browser",
    "In diesem Browser wartet die Wiederherstellung eines anderen Kontos, und er kann nur eine abschließen. Beginnen Sie diese in einem anderen Browser.",
  ],
  recovery_not_ready: [
    "Wiederherstellung wartet noch",
    "Die Wiederherstellung wartet noch. Kommen Sie wieder, wenn ihre Zeit gekommen ist.",
  ],
  recently_recovered: [
    "Vor Kurzem wiederhergestellt",
    "Das Konto wurde vor Kurzem wiederhergestellt: Einige Tage lang lässt sich nichts daran lockern.",
  ],
  internal_error: [
    "Fehler auf dem Server",
    `Auf dem Server ist etwas schiefgegangen. Nichts wurde signiert. ${AGAIN}`,
  ],
  identity_unavailable: [
    "Anbieter nicht erreichbar",
    `Der Anbieter, bei dem Sie sich anmelden wollten, antwortet nicht. ${AGAIN}`,
  ],
  unavailable: ["Dienst nicht verfügbar", `Der Dienst kann das gerade nicht. ${AGAIN}`],
  log_cut: [
    "Protokoll verändert",
    "Das Protokoll ist nicht mehr, wie es war: Es geschieht nichts, bis ein Mensch nachgesehen hat.",
  ],
};
