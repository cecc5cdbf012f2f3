import { html } from "../../../lib/html.ts";
import type { signUpWords as English } from "../en/sign-up.ts";

export const signUpWords: typeof English = {
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
    "Erstellen Sie nun einen Passkey: Ihr Gerät fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder seiner PIN und bewahrt den Passkey auf. Zugleich entsteht Ihr erster Schlüssel.",
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
      "Für eine E-Mail-Adresse bürgt der Anbieter nicht; Ihr Konto wird also keine haben, und niemand kann Ihnen etwas senden.",
    fromNowOn: (provider) =>
      `Von nun an melden Sie sich mit dem Passkey an. ${provider} allein öffnet Ihr Konto nie.`,
    otherWay: "Auf anderem Weg neu beginnen",
  },
};
