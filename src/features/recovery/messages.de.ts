import type { en } from "./messages.en.ts";

export const de: typeof en = {
  recover: {
    title: "Passkey verloren?",
    otherDevice:
      "Wenn ein anderes Ihrer Geräte noch einen Passkey des Kontos hat, melden Sie sich stattdessen dort an.",
    signIn: "Anmelden",
    what:
      "Beginnen Sie sonst eine Wiederherstellung. Nach einer Wartezeit können Sie einen neuen Passkey erstellen, nur in diesem Browser.",
    emailAddress: "E-Mail-Adresse",
    emailHint: "Wir senden einen Code dorthin, ob sie hier ein Konto hat oder nicht.",
    sendCode: "Code senden",
    code: "Code aus der Mail",
    codeHint: "Acht Zeichen. Sie gelten fünf Minuten, nur in diesem Browser.",
    recoveryCode: "Wiederherstellungscode",
    recoveryCodeHint:
      "Einer Ihrer acht Wiederherstellungscodes. Lassen Sie das Feld nur leer, wenn Ihr Konto eine Wiederherstellung allein per E-Mail erlaubt.",
    begin: "Wiederherstellung beginnen",
    newCode: "Neuen Code senden",
    outbox: "Entwicklung: Es wird keine Mail gesendet.",
    openOutbox: "Postausgang öffnen",
    withoutAddress: "Mein Konto hat keine E-Mail-Adresse",
    withoutAddressHint:
      "Dann genügt einer Ihrer Wiederherstellungscodes. Am Ende brauchen Sie denselben noch einmal.",
    waitsTitle: "Ihre Wiederherstellung läuft",
    readyTitle: "Neuen Passkey erstellen",
    begun: "Begonnen",
    readyFrom: "Neuer Passkey ab",
    until: "Und bis",
    waits:
      "Kommen Sie zu dieser Zeit in diesem Browser wieder. Behalten Sie seine Cookies, denn kein anderer Browser kann die Wiederherstellung abschließen. Täglich geht eine Mail an die Adresse des Kontos, mit einem Link, der die Wiederherstellung abbricht. Auch jede Verwendung eines Passkeys bricht sie ab.",
    oneAlone:
      "Dieser Browser kann nur eine Wiederherstellung auf einmal abschließen. Beginnen Sie die eines anderen Kontos in einem anderen Browser.",
    ready:
      "Die Wartezeit ist vorbei. Wenn Sie den neuen Passkey erstellen, werden alle alten entfernt, und jede Sitzung, jedes Token und jede Anwendung wird abgemeldet. Sieben Tage lang lässt sich der Schutz des Kontos nicht verringern.",
    codeAgain: "Senden Sie noch einmal einen Code an das Postfach, um zu bestätigen, dass es noch Ihres ist.",
    recoveryCodeAgain: "Geben Sie den Wiederherstellungscode, mit dem Sie begonnen haben, noch einmal ein.",
    makePasskey: "Neuen Passkey erstellen",
    cancelTitle: "Wiederherstellung abbrechen?",
    cancelWhat: "Eine Wiederherstellung Ihres Kontos wurde ohne Passkey begonnen.",
    from: "Von",
    cancelIfNot: "Wenn Sie das nicht waren, brechen Sie sie ab. Waren Sie es, lassen Sie sie, wie sie ist.",
    cancel: "Wiederherstellung abbrechen",
    cancelledTitle: "Die Wiederherstellung ist abgebrochen",
    cancelled:
      "Sie kann keinen Zugang zu Ihrem Konto mehr geben. Wer sie begonnen hat, kann Ihr Postfach lesen oder hat einen Ihrer Wiederherstellungscodes oder beides. Sichern Sie Ihr Postfach, und erstellen Sie neue Wiederherstellungscodes.",
    afterwards: "Anmelden und die Wiederherstellung prüfen",
    nothingTitle: "Keine laufende Wiederherstellung",
    nothing:
      "Diese Wiederherstellung wurde abgeschlossen oder abgebrochen oder ist abgelaufen, oder der Link ist ungültig.",
  },
  recoverySettings: {
    title: "Wiederherstellung des Kontos",
    titleAfterSignUp: "Wiederherstellung einrichten",
    introduction:
      "Nur Ihr Passkey öffnet Ihr Konto. Wenn Sie ihn verlieren, kommen Sie mit einem von diesen wieder hinein.",
    needsScript:
      "Passkeys hinzufügen, Codes erstellen und Einstellungen ändern geht nur mit JavaScript. Schalten Sie es dafür ein.",
    later: "Später",
    goOn: "Weiter",
    account: "Zurück zum Konto",
    waitsTitle: "Eine Wiederherstellung Ihres Kontos läuft",
    waits:
      "Wer sie begonnen hat, kann ab dieser Zeit einen neuen Passkey für Ihr Konto erstellen. Alle alten werden dann entfernt.",
    begun: "Begonnen",
    from: "Von",
    readyFrom: "Neuer Passkey ab",
    waitsIfNot:
      "Sie haben einen Passkey und brauchen keine Wiederherstellung. Brechen Sie sie ab, wenn Sie sie nicht selbst begonnen haben.",
    cancel: "Wiederherstellung abbrechen",
    inCooldown:
      "Ihr Konto wurde vor Kurzem wiederhergestellt. Sein Schutz lässt sich nicht verringern, und diese Einstellungen lassen sich nicht ändern, vor dem",
    second: "Ein zweiter Passkey",
    secondWhat:
      "Der beste Weg: Nur Sie können ihn verwenden, und es gibt keine Wartezeit. Erstellen Sie ihn auf einem anderen Gerät oder einem Sicherheitsschlüssel.",
    passkeys: (count: number) => (count === 1 ? "Sie haben 1 Passkey." : `Sie haben ${count} Passkeys.`),
    addPasskey: "Passkey hinzufügen",
    codes: "Wiederherstellungscodes",
    codesWhat: (hours: number) =>
      `Mit einem davon und einem Code aus Ihrem Postfach können Sie eine Wiederherstellung beginnen. Sie dauert ${hours} Stunden, und Mails benachrichtigen Sie. Bewahren Sie die Codes auf Papier oder an einem sicheren Ort auf, getrennt von Ihrem Postfach.`,
    codesWhatAlone: (hours: number) =>
      `Ihr Konto hat keine Adresse; deshalb genügt einer davon, um eine Wiederherstellung zu beginnen. Sie dauert ${hours} Stunden, und keine Mail benachrichtigt Sie. Bewahren Sie die Codes auf Papier oder an einem sicheren Ort auf.`,
    codesNone: "Sie haben keine Wiederherstellungscodes.",
    codesLeft: (left: number) => `${left} von 8 Codes sind übrig`,
    codesMade: "erstellt",
    makeCodes: "Wiederherstellungscodes erstellen",
    makeNewCodes: "Neue Wiederherstellungscodes erstellen",
    newCodesHint: "Die bisherigen gelten dann nicht mehr.",
    codesShown:
      "Das sind Ihre Wiederherstellungscodes. Sie werden nur einmal gezeigt. Speichern Sie sie jetzt.",
    codesCopied: "die Wiederherstellungscodes",
    choices: "Was eine Wiederherstellung braucht",
    emailAlone: "Ein Code aus meinem Postfach genügt",
    emailAloneHint:
      "Dann kann jeder, der Ihr Postfach lesen kann, eine Wiederherstellung ohne Wiederherstellungscode beginnen. Nur die Wartezeit und die Mails schützen Sie.",
    delay: "Wartezeit einer Wiederherstellung",
    delayHint:
      "Während der Wartezeit können Sie die Wiederherstellung abbrechen. Auch jede Verwendung Ihres Passkeys bricht sie ab. Die Wartezeit vergeht nur, solange der Dienst läuft. Für eine laufende Wiederherstellung ändert sie sich nicht.",
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
      made: "Die Codes wurden erstellt.",
      saved: "Gespeichert.",
    },
  },
};
