import type { signatureMailWords as English } from "../en/signature.ts";

export const signatureMailWords: typeof English = {
  subject: "Eine Signatur wartet auf Sie",
  news: (asker, key, place) => `„${asker}“ bittet um eine Signatur mit Ihrem Schlüssel „${key}“: ${place}.`,
  approve: "Nichts wird signiert, wenn Sie es nicht innerhalb einer Stunde mit einem Passkey freigeben:",
  all: "Alles, was auf Sie wartet, auch weitere Anfragen der nächsten Minuten:",
};
