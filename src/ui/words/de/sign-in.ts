import type { signInWords as English } from "../en/sign-in.ts";

export const signInWords: typeof English = {
  title: "Anmelden",
  introduction: "Verwenden Sie den Passkey, den Sie mit Ihrem Konto erstellt haben.",
  confirmed: (provider) =>
    `${provider} hat bestätigt, wer Sie sind. Verwenden Sie nun den Passkey Ihres Kontos.`,
  addressTaken: (provider) =>
    `Zu Ihrer E-Mail-Adresse bei ${provider} gibt es hier schon ein Konto. Die beiden werden nicht verbunden: Melden Sie sich mit dem Passkey dieses Kontos an.`,
  notYours: "Nicht Ihr Konto?",
  anotherWay: "Auf anderem Weg anmelden",
  lostPasskey: "Passkey verloren?",
  noAccount: "Noch kein Konto?",
  makeAccount: "Konto erstellen",
  button: "Mit Passkey anmelden",
  suggestions: "Oder wählen Sie einen Passkey, den Ihr Browser vorschlägt",
  emailAddress: "E-Mail-Adresse",
};
