import type { settingsScriptWords as English } from "../../en/scripts/settings.ts";

export const settingsScriptWords: typeof English = {
  saved: "Gespeichert.",
  codeSent: "Ein Code ist unterwegs an {email}.",
  sixDigits: "Der Code hat sechs Ziffern.",
  changed: "Ihre E-Mail-Adresse ist jetzt {email}. Die alte wird benachrichtigt.",
  unlinked: "Die Verknüpfung mit {provider} ist gelöst.",
  exported: "Die Datei ist fertig: Ihr Browser hat sie gespeichert.",
};
