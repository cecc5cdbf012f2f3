import { html } from "../../../lib/html.ts";
import type { policyWords as English } from "../en/policy.ts";

export const policyWords: typeof English = {
  title: "Richtlinie",
  locked: "Gesperrt",
  hint:
    "Was dieser Schlüssel signieren darf, wer auch bittet. Sie steht in seinen Zeugnissen, damit andere sie prüfen können.",
  anything: "Alles, worum Sie bitten oder ein Programm oder eine Anwendung, die ihn verwenden darf.",
  templates: {
    nothing: "Überhaupt nichts",
    signIn: "Anmeldung bei einer Website",
    ether: "Ether an eine Adresse senden",
  },
  looserWaits: "Eine lockerere Richtlinie wartet",
  from: (time) => html`Ab ${time}:`,
  notYou:
    "Wenn Sie nicht darum gebeten haben, brechen Sie es ab, und sehen Sie Ihre Passkeys und Sitzungen durch.",
  cancelChange: "Änderung abbrechen",
  asDocument: "Als Dokument, mit Hash",
  hash: "Hash",
  theHash: "den Hash",
  policy: "Richtlinie",
  thePolicy: "die Richtlinie",
  set: "Richtlinie setzen",
  change: "Richtlinie ändern",
  beginWith: "Beginnen mit",
  empty: "Einem leeren Dokument",
  present: "Der jetzigen Richtlinie",
  asJson: "Richtlinie, als JSON",
  formHint:
    html`Was keine Regel erlaubt, wird abgelehnt, auch für Sie. Eine strengere Richtlinie gilt sofort. Eine lockerere verlangt einen Passkey und wartet so viele Stunden, wie <code>delayHours</code> der jetzigen Richtlinie sagt. <code>"locked": true</code> gilt für immer. Das Vokabular steht in docs/policies.md.`,
  save: "Richtlinie speichern",
  remove: "Entfernen",
  lockTitle: "Diese Richtlinie für immer sperren?",
  lockMeans:
    "Von da an kann sie nur noch strenger werden. Niemand kann sie lockern oder entfernen, auch Sie und der Betreiber nicht: Was sie nicht erlaubt, signiert dieser Schlüssel nie wieder. Was die Adresse hält, kann für immer unerreichbar sein.",
  lock: "Für immer sperren",
  cancel: "Abbrechen",
};
