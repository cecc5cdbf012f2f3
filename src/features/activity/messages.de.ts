import { de as kit } from "../../ui/messages.de.ts";
import { html } from "../../lib/html.ts";
import { LOCALES } from "../../lib/language.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  activity: {
    title: "Verlauf",
    lead: "Was in Ihrem Konto und mit Ihren Schlüsseln geschehen ist, das Neueste zuerst.",
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
    unproven: (count) =>
      `Hier weggelassen, weil nichts beweist, dass dieser Dienst sie so geschrieben hat: ${count}. Jemand hat das Protokoll verändert. Sagen Sie es dem Betreiber.`,
    none: "Es ist nichts geschehen, das hier stünde.",
    noneAmongThese: "Unter diesen ist keines: Sehen Sie weiter zurück.",
    pages: "Seiten",
    newest: "Neueste Ereignisse",
    older: "Ältere Ereignisse",
    csv: "Als CSV speichern",
    head: {
      title: "Das Ende des Protokolls",
      changed:
        "Den letzten Eintrag hat nicht dieser Dienst geschrieben: Jemand hat das Protokoll verändert. Sagen Sie es dem Betreiber.",
      hint: (command) =>
        html`Jeder Eintrag ist an den vorigen gebunden; die anderer Konten stehen zwischen Ihren, daher haben die Nummern Lücken. Bewahren Sie diese Zeile dort auf, wo der Betreiber dieses Dienstes sie nicht ändern kann. Wer später ${command} damit aufruft, sieht, ob das Protokoll noch mit denselben Einträgen beginnt oder ob es abgeschnitten oder auf einen älteren Stand zurückgesetzt wurde.`,
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
