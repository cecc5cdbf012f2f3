import { en as kit } from "../../ui/messages.en.ts";
import { html, type HtmlValue } from "../../lib/html.ts";
import { LOCALES } from "../../lib/language.ts";

export const en = {
  activity: {
    title: "Activity",
    lead: "What happened in your account and to your keys, newest first.",
    show: "Show",
    kinds: {
      all: "Everything",
      signing: "Signatures",
      "sign-ins": "Sign-ins",
      applications: "Applications",
      tokens: "Tokens",
    },
    onlyKey: (key: HtmlValue) => html`Only ${key}`,
    showAll: ", show all",
    unverified: (count: number) =>
      `Entries left out because they could not be verified: ${count}. The log was changed. Notify the operator.`,
    none: "No events to show.",
    noneAmongThese: "No matching events on this page. Try “Older events”.",
    pages: "Pages",
    newest: "Newest events",
    older: "Older events",
    csv: "Save as CSV",
    head: {
      title: "The end of the log",
      changed: "The last entry was not written by this service. The log was changed. Notify the operator.",
      hint: (command: HtmlValue) =>
        html`Every entry is chained to the one before it. Entries of other accounts lie between yours, so the numbers have gaps. Save this line where the operator of this service cannot change it. Later, run ${command} with it. That shows whether the log still begins with the same entries, or was cut off or restored to an older state.`,
    },
    plot: {
      none: (days: number) => `No signatures in the last ${days} days`,
      sum: (sum: number, days: number, date: string, most: number) =>
        sum === 1
          ? `1 signature in the last ${days} days, on ${date}`
          : `${sum} signatures in the last ${days} days, most on ${date}: ${most}`,
      table: "As a table",
      day: "Day (UTC)",
      signatures: "Signatures",
      byKey: "By key",
      byProgram: "By program",
      key: "Key",
      program: "Program",
      you: "You",
      perDay: "Per day",
    },
  },
  scripts: {
    "activity": {
      today: kit.parts.today,
      yesterday: kit.parts.yesterday,
      locale: LOCALES.en,
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
