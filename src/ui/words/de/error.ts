import type { errorWords as English } from "../en/error.ts";
import { PROBLEM_SENTENCES } from "./problems.ts";
import { failureWords } from "./scripts/failure.ts";

export const errorWords: typeof English = {
  error: "Fehler",
  problem: (code) => {
    const [title, detail] = PROBLEM_SENTENCES[code];
    return { title, detail };
  },
  details: "Einzelheiten",
  said: failureWords.said,
  requestNumber: "Wenn Sie um Hilfe bitten, nennen Sie die Nummer dieser Anfrage:",
  waysBack: {
    home: "Startseite",
    consent: "Noch einmal wählen",
    sign_in: "Zurück zur Anmeldung",
    account: "Zurück zu Ihrem Konto",
  },
};
