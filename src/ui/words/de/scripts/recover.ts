import type { recoverScriptWords as English } from "../../en/scripts/recover.ts";

export const recoverScriptWords: typeof English = {
  sent: "Wir haben einen Code an {email} gesendet.",
  begun: "Die Wiederherstellung wurde begonnen.",
};
