import type { recoverWords as English } from "../en/recover.ts";

export const recoverWords: typeof English = {
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
  codeAgain: "Lassen Sie sich noch einmal einen Code senden, zum Zeichen, dass das Postfach noch Ihres ist.",
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
};
