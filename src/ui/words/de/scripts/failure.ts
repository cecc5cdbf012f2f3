import type { failureWords as English } from "../../en/scripts/failure.ts";

export const failureWords: typeof English = {
  problems: {
    invalid_code:
      "Dieser Code stimmt nicht oder gilt nicht mehr. Prüfen Sie ihn, oder fordern Sie einen neuen an.",
    invalid_passkey:
      "Der Passkey wurde nicht angenommen. Vielleicht gehört er zu einem anderen Konto oder wurde entfernt; versuchen Sie es noch einmal.",
    invalid_passkey_registration: "Der neue Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.",
    authentication_required: "Das hat zu lange gedauert und muss neu beginnen. Laden Sie die Seite neu.",
    account_disabled: "Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.",
    invitation_required:
      "Für ein Konto braucht es hier eine Einladung, und Ihre gilt für eine andere Adresse oder ist abgelaufen. Öffnen Sie den Link, den Sie bekommen haben, noch einmal, oder bitten Sie um eine neue.",
    sign_up_closed: "Dieser Dienst nimmt keine neuen Konten an.",
    account_exists: "Inzwischen gibt es schon ein Konto. Melden Sie sich stattdessen an.",
    cross_site_request:
      "Der Browser sagt, dass dies von einer anderen Website kam; deshalb wurde es abgelehnt. Laden Sie die Seite neu.",
    recovery_refused:
      "Mit diesen Codes lässt sich kein Konto wiederherstellen. Prüfen Sie den Wiederherstellungscode; ohne einen geht es nur, wenn das Konto es erlaubt.",
    recovery_waiting:
      "Eine Wiederherstellung dieses Kontos wartet schon. Die Mails darüber können sie abbrechen.",
    recovery_not_ready: "Die Wiederherstellung wartet noch. Kommen Sie wieder, wenn ihre Zeit gekommen ist.",
    recently_recovered:
      "Das Konto wurde vor Kurzem wiederhergestellt: Einige Tage lang lässt sich nichts daran lockern.",
    internal_error:
      "Auf dem Server ist etwas schiefgegangen. Nichts wurde signiert. Versuchen Sie es gleich noch einmal.",
  },
  tooOftenSeconds: {
    one: "Das war zu oft. Versuchen Sie es in {count} Sekunde noch einmal.",
    other: "Das war zu oft. Versuchen Sie es in {count} Sekunden noch einmal.",
  },
  tooOftenMinutes: {
    one: "Das war zu oft. Versuchen Sie es in {count} Minute noch einmal.",
    other: "Das war zu oft. Versuchen Sie es in {count} Minuten noch einmal.",
  },
  noAnswer: "Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.",
  notReached:
    "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.",
  ours: "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.",
  at: "Bei",
  request: "Anfrage",
  details: "Einzelheiten",
};
