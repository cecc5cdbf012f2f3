import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  enter: {
    title: "Zur Verwaltung",
    hint:
      "Für den Betreiber dieses Dienstes. Sie endet nach einer Stunde, oder wenn der Browser geschlossen wird.",
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
    noneFound: "Keine Adresse beginnt so, und kein Konto hat diese ID.",
    nobody: "Ein Konto ohne Adresse",
    since: "Erstellt",
    disabledSince: "Gesperrt",
    disable: "Sperren",
    disableMeans:
      "Seine Sitzungen enden, niemand meldet sich daran an, und seine Token und die zugelassenen Anwendungen werden abgelehnt, bis es wieder freigegeben wird. Seine Schlüssel bleiben, wie sie sind.",
    enable: "Wieder freigeben",
    endSessions: "Seine Sitzungen beenden",
    ended: (sessions) =>
      sessions === 1 ? "1 Sitzung wurde beendet." : `${sessions} Sitzungen wurden beendet.`,
    note:
      "Der Inhaber eines Kontos findet jede Handlung in seinem Verlauf. Hier wird kein Schlüssel gezeigt oder benutzt, und keine Wiederherstellung beginnt hier.",
  },
  guests: {
    none: "Noch niemand wurde eingeladen.",
    rules: {
      open: "Alle dürfen ein Konto erstellen (SIGN_UP=open): niemand braucht eine Einladung.",
      invite: "Ein Konto braucht eine Einladung (SIGN_UP=invite).",
      closed: "Es werden keine Konten erstellt (SIGN_UP=closed): Einladungen helfen nicht.",
    },
    make: "Einladen",
    email: "E-Mail-Adresse",
    emailHint: "Der Link wird dorthin geschickt und gilt nur für sie. Leer gilt er für alle, die ihn haben.",
    uses: "Wie viele Konten",
    days: "Wie viele Tage gültig",
    made: "Kopieren Sie den Link jetzt: Er wird nur dieses eine Mal gezeigt.",
    link: "Link",
    anybody: "Alle mit dem Link",
    used: (used, uses) => `${used} von ${uses} benutzt`,
    until: "Bis",
    unusable: "Vorbei",
    withdraw: "Zurückziehen",
    wrong: "Nicht erstellt: Berichtigen Sie, was markiert ist.",
  },
};
