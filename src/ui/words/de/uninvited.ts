import { html } from "../../../lib/html.ts";
import type { invitedWords as EnglishInvited, uninvitedWords as English } from "../en/uninvited.ts";

export const uninvitedWords: typeof English = {
  titles: {
    closed: "Keine neuen Konten",
    uninvited: "Nur auf Einladung",
    over: "Diese Einladung ist abgelaufen",
    other_address: "Diese Einladung ist für jemand anderen",
  },
  reasons: {
    closed: "Dieser Dienst nimmt keine neuen Konten an. Wer ihn betreibt, kann das ändern.",
    uninvited:
      "Konten entstehen hier auf Einladung. Wenn Sie einen Link bekommen haben, öffnen Sie ihn noch einmal in diesem Browser; wenn nicht, bitten Sie den Betreiber dieses Dienstes darum.",
    over:
      "Sie wurde benutzt, zurückgezogen oder ist abgelaufen. Bitten Sie den Absender um eine neue. Hier hat sich nichts geändert.",
    other_address:
      "Sie gilt für eine andere E-Mail-Adresse als die, mit der Sie gekommen sind. Verwenden Sie jene Adresse, oder bitten Sie den Absender um eine andere Einladung.",
  },
  identified: (provider) =>
    html`${provider} hat bestätigt, wer Sie sind, aber hier gehört Ihnen noch kein Konto.`,
  signIn: "Anmelden",
  signInHint: "Wer schon ein Konto hat, meldet sich wie immer mit dessen Passkey an.",
};

export const invitedWords: typeof EnglishInvited = {
  anybody: "Sie sind eingeladen, hier ein Konto zu erstellen.",
  address: (email) => html`Sie sind eingeladen, hier mit der Adresse ${email} ein Konto zu erstellen.`,
};
