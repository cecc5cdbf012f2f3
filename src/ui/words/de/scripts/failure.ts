import type { failureWords as English } from "../../en/scripts/failure.ts";
import { FIELD_FAULTS } from "../faults.ts";
import { PROBLEM_SENTENCES } from "../problems.ts";

export const failureWords: typeof English = {
  problems: {
    ...Object.fromEntries(
      Object.entries(PROBLEM_SENTENCES).map(([code, [, sentence]]) => [code, sentence]),
    ),
    unknown: "Der Dienst hat mit einem Fehler geantwortet. Versuchen Sie es gleich noch einmal.",
  },
  faults: FIELD_FAULTS,
  said: "Der Dienst sagt dazu, auf Englisch:",
  tooOftenSeconds: {
    one: "Das war zu oft. Versuchen Sie es in {count} Sekunde noch einmal.",
    other: "Das war zu oft. Versuchen Sie es in {count} Sekunden noch einmal.",
  },
  tooOftenMinutes: {
    one: "Das war zu oft. Versuchen Sie es in {count} Minute noch einmal.",
    other: "Das war zu oft. Versuchen Sie es in {count} Minuten noch einmal.",
  },
  noAnswer: "Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.",
  notReached:
    "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.",
  ours: "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.",
  at: "Bei",
  request: "Anfrage",
  details: "Einzelheiten",
};
