import type { wayBackWords as English } from "../en/way-back.ts";

export const wayBackWords: typeof English = {
  title: "Rückweg",
  titleAfterSignUp: "Behalten Sie Ihren Rückweg",
  introduction: "Ihr Passkey allein öffnet Ihr Konto. Geht er verloren, bringt eines davon Sie zurück.",
  needsScript:
    "Passkeys hinzufügen, Codes anlegen und die Auswahl ändern geht über die Skripte dieser Seite. Schalten Sie JavaScript dafür ein.",
  later: "Später",
  goOn: "Weiter",
  account: "Zurück zum Konto",
  waitsTitle: "Eine Wiederherstellung Ihres Kontos wartet",
  waits:
    "Wer sie begonnen hat, kann ab dann einen neuen Passkey für Ihr Konto anlegen, und alle alten enden.",
  begun: "Begonnen",
  from: "Von",
  readyFrom: "Neuer Passkey ab",
  waitsIfNot:
    "Sie haben einen Passkey und brauchen keine Wiederherstellung: Brechen Sie sie ab, wenn Sie es nicht besser wissen.",
  cancel: "Wiederherstellung abbrechen",
  settling:
    "Ihr Konto wurde vor Kurzem wiederhergestellt. Nichts daran wird gelockert und nichts hier geändert, vor dem",
  second: "Ein zweiter Passkey",
  secondWhat:
    "Der beste Weg: Niemand sonst kann ihn verwenden, und nichts wartet. Auf einem anderen Gerät oder einem Sicherheitsschlüssel.",
  passkeys: (count: number) => (count === 1 ? "Sie haben 1 Passkey." : `Sie haben ${count} Passkeys.`),
  addPasskey: "Passkey hinzufügen",
  codes: "Wiederherstellungscodes",
  codesWhat: (hours: number) =>
    `Einer davon und ein Code aus Ihrem Postfach beginnen eine Wiederherstellung. Sie wartet ${hours} Stunden, und Mails sagen es Ihnen. Bewahren Sie sie auf Papier oder an einem sicheren Ort auf, getrennt von Ihrem Postfach.`,
  codesWhatAlone: (hours: number) =>
    `Ihr Konto hat keine Adresse: Einer davon allein beginnt eine Wiederherstellung. Sie wartet ${hours} Stunden, und niemand kann es Ihnen per Mail sagen. Bewahren Sie sie auf Papier oder an einem sicheren Ort auf.`,
  codesNone: "Sie haben keine Wiederherstellungscodes.",
  codesLeft: (left: number) => `${left} von 8 Codes sind übrig`,
  codesMade: "angelegt",
  makeCodes: "Wiederherstellungscodes anlegen",
  makeNewCodes: "Neue Wiederherstellungscodes anlegen",
  newCodesHint: "Die bisherigen gelten dann nicht mehr.",
  codesShown:
    "Das sind Ihre Wiederherstellungscodes. Sie werden nur dieses eine Mal gezeigt: Bewahren Sie sie jetzt auf.",
  codesCopied: "die Wiederherstellungscodes",
  choices: "Was eine Wiederherstellung braucht",
  emailAlone: "Ein Code aus meinem Postfach genügt",
  emailAloneHint:
    "Dann kann, wer Ihr Postfach liest, ohne Wiederherstellungscode eine Wiederherstellung beginnen. Nur die Wartezeit und die Mails stehen dazwischen.",
  delay: "Eine Wiederherstellung wartet",
  delayHint:
    "Die Zeit, in der Sie sie abbrechen können, und jede Verwendung Ihres Passkeys tut das. Sie vergeht nur, solange der Dienst läuft. Für eine, die schon wartet, bleibt sie, wie sie ist.",
  hours: (hours: number) => (hours % 24 === 0 && hours > 72 ? `${hours / 24} Tage` : `${hours} Stunden`),
  save: "Speichern",
};
