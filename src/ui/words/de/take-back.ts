import type { takeBackWords as English } from "../en/take-back.ts";

export const takeBackWords: typeof English = {
  title: "Änderung zurücknehmen?",
  asks: "Das Konto, das diese E-Mail-Adresse hatte, hat jetzt eine andere. Waren das nicht Sie?",
  does:
    "Dann nehmen Sie die Änderung zurück: Das Konto hat wieder diese Adresse, und alle seine Sitzungen enden. Sollte es gelöscht werden, so bleibt es, und eine Wiederherstellung, die wartet, wird abgebrochen. Schlüssel, Passkeys, Token und Anwendungen bleiben, wie sie sind. Angemeldet werden Sie dadurch nicht.",
  button: "Zurücknehmen",
  leave: "Waren Sie es selbst, schließen Sie diese Seite: Dann wird nichts zurückgenommen.",
  doneTitle: "Die Änderung ist zurückgenommen",
  done:
    "Das Konto hat wieder seine alte Adresse, und alle Sitzungen sind beendet. Melden Sie sich mit Ihrem Passkey an und sehen Sie Ihre Passkeys, Token und Anwendungen durch: Wer die Adresse geändert hat, kann etwas hinzugefügt haben.",
  signIn: "Anmelden",
};
