import type { developerScriptWords as English } from "../../en/scripts/developer.ts";

export const developerScriptWords: typeof English = {
  loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
  made: "„{name}“ wurde erstellt.",
  revoked: "„{name}“ wurde widerrufen.",
};
