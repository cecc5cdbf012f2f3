import { de as kit } from "../../ui/messages.de.ts";
import { html } from "../../lib/html.ts";
import { LOCALES } from "../../lib/language.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  activity: {
    title: "Verlauf",
    lead: "Was in Ihrem Konto und mit Ihren Schlüsseln geschehen ist. Das Neueste steht oben.",
    show: "Zeigen",
    kinds: {
      all: "Alles",
      signing: "Signaturen",
      "sign-ins": "Anmeldungen",
      applications: "Anwendungen",
      tokens: "Token",
    },
    onlyKey: (key) => html`Nur ${key}`,
    showAll: ", alle zeigen",
    unverified: (count) =>
      `Einträge, die fehlen, weil sie sich nicht prüfen ließen: ${count}. Das Protokoll wurde verändert. Benachrichtigen Sie den Betreiber.`,
    none: "Keine Ereignisse.",
    noneAmongThese: "Keine passenden Ereignisse auf dieser Seite. Versuchen Sie „Ältere Ereignisse“.",
    pages: "Seiten",
    newest: "Neueste Ereignisse",
    older: "Ältere Ereignisse",
    csv: "Als CSV speichern",
    head: {
      title: "Das Ende des Protokolls",
      changed:
        "Den letzten Eintrag hat nicht dieser Dienst geschrieben. Das Protokoll wurde verändert. Benachrichtigen Sie den Betreiber.",
      hint: (command) =>
        html`Jeder Eintrag ist mit dem vorigen verkettet. Zwischen Ihren Einträgen stehen die anderer Konten, daher haben die Nummern Lücken. Speichern Sie diese Zeile dort, wo der Betreiber dieses Dienstes sie nicht ändern kann. Rufen Sie später ${command} damit auf. Das zeigt, ob das Protokoll noch mit denselben Einträgen beginnt oder abgeschnitten oder auf einen älteren Stand zurückgesetzt wurde.`,
    },
    plot: {
      none: (days) => `Keine Signaturen in den letzten ${days} Tagen`,
      sum: (sum, days, date, most) =>
        sum === 1
          ? `1 Signatur in den letzten ${days} Tagen, am ${date}`
          : `${sum} Signaturen in den letzten ${days} Tagen, die meisten am ${date}: ${most}`,
      table: "Als Tabelle",
      day: "Tag (UTC)",
      signatures: "Signaturen",
      byKey: "Nach Schlüssel",
      byProgram: "Nach Programm",
      key: "Schlüssel",
      program: "Programm",
      you: "Sie selbst",
      perDay: "Je Tag",
    },
  },
  scripts: {
    "activity": {
      today: kit.parts.today,
      yesterday: kit.parts.yesterday,
      locale: LOCALES.de,
    },
  },
};
