import type { sentCodeWords as EnglishCode, signUpScriptWords as English } from "../../en/scripts/sign-up.ts";

export const signUpScriptWords: typeof English = {
  askedForCode: "Schritt 2 von 3: Wir haben einen Code an {address} gesendet.",
  askedAgain: "Wir haben einen neuen Code an {address} gesendet. Der alte gilt nicht mehr.",
  sixDigits: "Der Code hat sechs Ziffern.",
  atAddress: "Schritt 1 von 3: Ihre E-Mail-Adresse.",
  atPasskey: "Schritt 3 von 3: Ihre Adresse ist bestätigt.",
  accountExists: "Zu dieser Adresse gibt es schon ein Konto.",
};

export const sentCodeWords: typeof EnglishCode = {
  tried: {
    one: "Dieser Code wurde {count}-mal versucht und gilt nicht mehr. Senden Sie einen neuen.",
    other: "Dieser Code wurde {count}-mal versucht und gilt nicht mehr. Senden Sie einen neuen.",
  },
  tooOld: "Dieser Code ist zu alt und gilt nicht mehr. Senden Sie einen neuen.",
};
