import type { en } from "./messages.en.ts";

export const de: typeof en = {
  recover: {
    title: "Passkey verloren?",
    otherDevice:
      "Wenn ein anderes Ihrer Geräte noch einen Passkey des Kontos hat, melden Sie sich stattdessen dort an.",
    signIn: "Anmelden",
    what:
      "Sonst lässt eine Wiederherstellung Sie nach einer Wartezeit einen neuen Passkey anlegen, nur in diesem Browser.",
    emailAddress: "E-Mail-Adresse",
    emailHint: "Wir senden einen Code dorthin, ob sie hier ein Konto hat oder nicht.",
    sendCode: "Code senden",
    code: "Code aus der Mail",
    codeHint: "Acht Zeichen. Sie gelten fünf Minuten, nur in diesem Browser.",
    recoveryCode: "Wiederherstellungscode",
    recoveryCodeHint:
      "Einer der acht, die Sie aufbewahrt haben. Lassen Sie ihn nur weg, wenn Ihr Konto eine Wiederherstellung allein per E-Mail erlaubt.",
    begin: "Wiederherstellung beginnen",
    newCode: "Neuen Code senden",
    outbox: "Entwicklung: Es wird keine Mail gesendet.",
    openOutbox: "Postausgang öffnen",
    withoutAddress: "Mein Konto hat keine E-Mail-Adresse",
    withoutAddressHint:
      "Dann genügt einer Ihrer Wiederherstellungscodes. Am Ende brauchen Sie denselben noch einmal.",
    waitsTitle: "Ihre Wiederherstellung wartet",
    readyTitle: "Neuen Passkey anlegen",
    begun: "Begonnen",
    readyFrom: "Neuer Passkey ab",
    until: "Und bis",
    waits:
      "Kommen Sie dann in diesem Browser wieder: Kein anderer kann sie abschließen, behalten Sie also seine Cookies. Täglich geht eine Mail an die Adresse des Kontos, und jede kann sie abbrechen. Jede Verwendung eines Passkeys bricht sie auch ab.",
    oneAlone:
      "Dieser Browser kann jeweils eine Wiederherstellung abschließen: Beginnen Sie die eines anderen Kontos in einem anderen Browser.",
    ready:
      "Ihre Wiederherstellung hat lange genug gewartet. Mit dem neuen Passkey enden alle alten, und jede Sitzung, jedes Token und jede Anwendung wird abgemeldet. Sieben Tage lang lässt sich nichts am Konto lockern.",
    codeAgain:
      "Lassen Sie sich noch einmal einen Code senden, zum Zeichen, dass das Postfach noch Ihres ist.",
    recoveryCodeAgain: "Geben Sie den Wiederherstellungscode, mit dem Sie begonnen haben, noch einmal ein.",
    makePasskey: "Neuen Passkey anlegen",
    cancelTitle: "Wiederherstellung abbrechen?",
    cancelWhat: "Jemand ohne Passkey Ihres Kontos hat begonnen, es wiederherzustellen.",
    from: "Von",
    cancelIfNot: "Wenn Sie das nicht waren, brechen Sie sie ab. Waren Sie es, lassen Sie sie, wie sie ist.",
    cancel: "Wiederherstellung abbrechen",
    cancelledTitle: "Die Wiederherstellung ist abgebrochen",
    cancelled:
      "Niemand bekommt dadurch Ihr Konto. Wer sie begonnen hat, kann Ihr Postfach lesen, hat einen Ihrer Wiederherstellungscodes oder beides: Sehen Sie nach beidem, und legen Sie neue Wiederherstellungscodes an.",
    afterwards: "Anmelden und den Rückweg ansehen",
    nothingTitle: "Nichts wartet",
    nothing: "Diese Wiederherstellung ist vorbei oder abgebrochen, oder der Link ist keiner von uns.",
  },
  recoverySettings: {
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
    inCooldown:
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
  },
  scripts: {
    "recover": {
      sent: "Wir haben einen Code an {email} gesendet.",
      begun: "Die Wiederherstellung wurde begonnen.",
    },
    "recovery-settings": {
      added: "„{name}“ wurde hinzugefügt.",
      made: "Die Codes wurden angelegt.",
      saved: "Gespeichert.",
    },
  },
};
