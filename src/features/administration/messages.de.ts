import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  enter: {
    title: "Zur Verwaltung",
    hint:
      "Für den Betreiber dieses Dienstes. Der Zugang endet nach einer Stunde, oder wenn Sie den Browser schließen.",
    key: "Verwaltungsschlüssel",
    keyHint: "Der ADMIN_API_KEY des Dienstes; bei der Entwicklung liegt er im Datenordner.",
    submit: "Eintreten",
    wrong: "Das ist nicht der Verwaltungsschlüssel.",
    named: (name) => html`Der Betreiber lässt ${name} mit einem Passkey eintreten.`,
    passkey: "Mit Passkey eintreten",
    signIn: "Oder als Verwalter anmelden",
  },
  people: {
    find: "Adresse oder Konto-ID",
    findHint: "Der Anfang der Adresse oder eine ganze ID.",
    none: "Es gibt noch kein Konto.",
    noneFound: "Kein Konto hat diese ID oder eine Adresse, die so beginnt.",
    withoutAddress: "Ein Konto ohne Adresse",
    since: "Erstellt",
    disabledSince: "Gesperrt",
    disable: "Sperren",
    disableMeans:
      "Seine Sitzungen enden. Bis Sie es wieder freigeben, werden seine Anmeldungen, Token und Anwendungen abgelehnt. Seine Schlüssel bleiben, wie sie sind.",
    enable: "Wieder freigeben",
    endSessions: "Seine Sitzungen beenden",
    ended: (sessions) =>
      sessions === 1 ? "1 Sitzung wurde beendet." : `${sessions} Sitzungen wurden beendet.`,
    note:
      "Der Inhaber eines Kontos sieht jede dieser Handlungen in seinem Verlauf. Sie können hier keinen Schlüssel sehen oder benutzen und keine Wiederherstellung beginnen.",
  },
  person: {
    withoutAddress: "Ein Konto ohne Adresse",
    note: "Der Besitzer erfährt von jeder Handlung, mit einer Mail und in seinen Aktivitäten.",
    since: "Seit",
    passkeys: "Passkeys",
    noPasskeys: "Dieses Konto hat keinen Passkey.",
    removePasskey: "Entfernen",
    removeMeans: "Er meldet nicht mehr an, und die Sitzungen, die er geöffnet hat, enden.",
    applications: "Anwendungen",
    noApplications: "Keine Anwendung hat Zugang zu diesem Konto.",
    endAccess: "Zugang beenden",
    endMeans:
      "Die Anwendung verliert ihren Zugang sofort. Der Besitzer wird bei der nächsten Anmeldung dort wieder gefragt.",
    groups: "Gruppen",
    noGroups: "Dieses Konto ist in keiner Gruppe.",
  },
  groups: {
    note:
      "Eine Anwendung kann nur für die Mitglieder einiger Gruppen sein und die Namen der Gruppen eines Benutzers sehen (Scope groups).",
    name: "Name einer neuen Gruppe",
    create: "Gruppe erstellen",
    none: "Es gibt noch keine Gruppe.",
    since: "Erstellt",
    account: "Adresse oder Konto-ID",
    accountHint: "Die vollständige Adresse oder Kennung des Kontos, das Sie aufnehmen wollen.",
    add: "Aufnehmen",
    noMembers: "In dieser Gruppe ist noch kein Konto.",
    remove: "Entfernen",
    deleteGroup: "Gruppe löschen",
    deleteMeans:
      "Ihre Mitglieder verlieren den Zugang zu Anwendungen, die sie nur durch diese Gruppe verwenden dürfen.",
  },
  guests: {
    none: "Es gibt noch keine Einladung.",
    rules: {
      open: "Alle können ohne Einladung ein Konto erstellen (SIGN_UP=open).",
      invite: "Um ein Konto zu erstellen, braucht man eine Einladung (SIGN_UP=invite).",
      closed: "Es lässt sich kein Konto erstellen, auch nicht mit Einladung (SIGN_UP=closed).",
    },
    make: "Einladen",
    email: "E-Mail-Adresse",
    emailHint:
      "Der Link wird an diese Adresse gesendet und gilt nur für sie. Lassen Sie das Feld leer, damit er für alle gilt, die ihn haben.",
    uses: "Anzahl der Konten",
    days: "Wie viele Tage gültig",
    made: "Kopieren Sie den Link jetzt. Er wird nur einmal gezeigt.",
    link: "Link",
    anyone: "Alle mit dem Link",
    used: (used, uses) => `${used} von ${uses} benutzt`,
    until: "Bis",
    unusable: "Nicht mehr gültig",
    withdraw: "Zurückziehen",
    wrong: "Nicht erstellt. Berichtigen Sie die markierten Felder.",
  },
};
