import type { wayBackScriptWords as English } from "../../en/scripts/way-back.ts";

export const wayBackScriptWords: typeof English = {
  added: "„{name}“ wurde hinzugefügt.",
  made: "Die Codes wurden angelegt.",
  saved: "Gespeichert.",
};
