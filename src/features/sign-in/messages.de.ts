import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  signIn: {
    title: "Anmelden",
    introduction: "Verwenden Sie den Passkey Ihres Kontos.",
    confirmed: (provider) =>
      `${provider} hat bestätigt, wer Sie sind. Verwenden Sie nun den Passkey Ihres Kontos.`,
    addressTaken: (provider) =>
      `Zu Ihrer E-Mail-Adresse bei ${provider} gibt es hier schon ein Konto. Die beiden sind nicht verknüpft. Melden Sie sich mit dem Passkey dieses Kontos an.`,
    notYours: "Nicht Ihr Konto?",
    otherMethod: "Auf anderem Weg anmelden",
    shared: "Dies ist ein gemeinsam genutzter Computer",
    stays: (hours) =>
      `Sie bleiben ${
        hours >= 48 && hours % 24 === 0 ? `${hours / 24} Tage` : hours === 1 ? "1 Stunde" : `${hours} Stunden`
      } angemeldet. Auf einem gemeinsam genutzten Computer, bis Sie den Browser schließen oder ihn eine Stunde nicht verwenden.`,
    lostPasskey: "Passkey verloren?",
    noAccount: "Noch kein Konto?",
    makeAccount: "Konto erstellen",
    button: "Mit Passkey anmelden",
    suggestions: "Oder wählen Sie einen Passkey, den Ihr Browser vorschlägt",
    emailAddress: "E-Mail-Adresse",
  },
  signUp: {
    title: "Konto erstellen",
    steps: "Schritte",
    email: "E-Mail",
    code: "Code",
    passkey: "Passkey",
    emailAddress: "E-Mail-Adresse",
    emailHint: "Wir senden einen Code dorthin. Er allein meldet Sie nie an.",
    sendCode: "Code senden",
    yourAddress: "Ihre Adresse",
    codeHint: (address) =>
      html`Sechs Ziffern, gesendet an ${address}. Sie gelten fünf Minuten lang und nur in diesem Browser.`,
    development: (open) =>
      html`Entwicklung: Es wird keine Mail gesendet. Der Code steht im Postausgang: ${open("öffnen")}.`,
    checkCode: "Code prüfen",
    otherAddress: "Andere Adresse verwenden",
    resend: "Neuen Code senden",
    makePasskey:
      "Erstellen Sie nun einen Passkey. Ihr Gerät fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder seiner PIN und speichert den Passkey. Zugleich entsteht Ihr erster Schlüssel.",
    make: "Passkey erstellen",
    accountExists:
      "Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich mit dem Passkey an, der dazu gehört.",
    signIn: "Anmelden",
    confirmed: (address) => html`Ihre Adresse ist bestätigt: ${address}.`,
    haveAccount: "Haben Sie schon ein Konto?",
    identity: {
      confirmedAs: (provider, email) => html`${provider} hat bestätigt, dass Sie ${email} sind.`,
      confirmed: (provider, name) =>
        html`${provider} hat bestätigt, wer Sie sind${name !== undefined && html`: ${name}`}.`,
      noAddress:
        "Der Anbieter hat keine E-Mail-Adresse bestätigt; Ihr Konto wird also keine haben. Dieser Dienst kann Ihnen keine Mails senden.",
      fromNowOn: (provider) =>
        `Von nun an melden Sie sich mit dem Passkey an. ${provider} allein öffnet Ihr Konto nie.`,
      alternative: "Auf anderem Weg neu beginnen",
    },
  },
  invited: {
    anyone: "Sie sind eingeladen, hier ein Konto zu erstellen.",
    address: (email) => html`Sie sind eingeladen, hier mit der Adresse ${email} ein Konto zu erstellen.`,
  },
  uninvited: {
    titles: {
      closed: "Keine neuen Konten",
      uninvited: "Nur auf Einladung",
      over: "Diese Einladung gilt nicht mehr",
      other_address: "Diese Einladung gilt für eine andere Adresse",
    },
    reasons: {
      closed: "Dieser Dienst nimmt keine neuen Konten an. Sein Betreiber kann das ändern.",
      uninvited:
        "Für ein Konto brauchen Sie hier eine Einladung. Wenn Sie einen Link haben, öffnen Sie ihn noch einmal in diesem Browser. Wenn nicht, bitten Sie den Betreiber dieses Dienstes um einen.",
      over:
        "Sie wurde benutzt oder zurückgezogen oder ist abgelaufen. Bitten Sie den Absender um eine neue. Hier hat sich nichts geändert.",
      other_address:
        "Sie gilt für eine andere E-Mail-Adresse als Ihre. Verwenden Sie jene Adresse, oder bitten Sie den Absender um eine andere Einladung.",
    },
    identified: (provider) =>
      html`${provider} hat bestätigt, wer Sie sind, aber hier gehört Ihnen noch kein Konto.`,
    signIn: "Anmelden",
    signInHint: "Wenn Sie schon ein Konto haben, melden Sie sich mit dessen Passkey an.",
  },
  home: {
    title: "Ethereum-Schlüssel, die Ihnen bleiben",
    lead: (service: string) =>
      `${service} erzeugt Ethereum-Schlüssel für Sie und verwahrt sie in einem Tresor auf diesem Server. Sie melden sich mit einem Passkey an: Es gibt kein Passwort und keine Merkphrase, die verloren gehen könnten. Bevor ein Schlüssel etwas signiert, sehen Sie, was die Signatur bedeutet.`,
    makeAccount: "Konto erstellen",
    signIn: "Anmelden",
  },
  signedOut: {
    title: "Abgemeldet",
    heading: "Sie sind abgemeldet",
    gone: "Die Sitzung wurde auch auf dem Server beendet. Ihre Schlüssel bleiben, wo sie sind.",
    signInAgain: "Wieder anmelden",
    home: "Startseite",
  },
  scripts: {
    "sent-code": {
      tried: {
        one: "Dieser Code wurde {count}-mal versucht und gilt nicht mehr. Senden Sie einen neuen.",
        other: "Dieser Code wurde {count}-mal versucht und gilt nicht mehr. Senden Sie einen neuen.",
      },
      tooOld: "Dieser Code ist abgelaufen. Senden Sie einen neuen.",
    },
    "sign-in": {
      removed:
        "Dieser Passkey wurde aus seinem Konto entfernt. Verwenden Sie einen anderen, und löschen Sie diesen auf Ihrem Gerät oder in Ihrem Passwortmanager.",
    },
    "sign-up": {
      askedForCode: "Schritt 2 von 3: Wir haben einen Code an {address} gesendet.",
      askedAgain: "Wir haben einen neuen Code an {address} gesendet. Der alte gilt nicht mehr.",
      sixDigits: "Der Code hat sechs Ziffern.",
      atAddress: "Schritt 1 von 3: Ihre E-Mail-Adresse.",
      atPasskey: "Schritt 3 von 3: Ihre Adresse ist bestätigt.",
      accountExists: "Zu dieser Adresse gibt es schon ein Konto.",
    },
  },
};
