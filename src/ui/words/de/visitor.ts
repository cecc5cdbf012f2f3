import type { visitorWords as English } from "../en/visitor.ts";

export const visitorWords: typeof English = {
  home: {
    title: "Ethereum-Schlüssel, die Ihnen bleiben",
    lead:
      "Holdfast erzeugt Ethereum-Schlüssel für Sie und verwahrt sie auf diesem Server, in seinem Tresor. Sie melden sich mit einem Passkey an: Es gibt kein Passwort und keine Merkphrase, die verloren gehen könnten. Bevor ein Schlüssel etwas signiert, sehen Sie, was die Signatur bedeutet.",
    makeAccount: "Konto erstellen",
    signIn: "Anmelden",
  },
  signedOut: {
    title: "Abgemeldet",
    heading: "Sie sind abgemeldet",
    gone: "Die Sitzung ist auch auf dem Server beendet. Ihre Schlüssel bleiben, wo sie sind.",
    signInAgain: "Wieder anmelden",
    home: "Startseite",
  },
  outbox: {
    title: "Postausgang der Entwicklung",
    lead:
      "In der Entwicklung wird keine Mail gesendet: Was gesendet worden wäre, steht hier, das Neueste zuerst. Laden Sie die Seite neu, um zu sehen, was seither kam.",
    to: "An",
    none: "Noch keine Mail.",
  },
};
