import type { policyMailWords as English } from "../en/policy.ts";

const UNDO =
  "Wenn Sie das nicht waren, archivieren Sie den Schlüssel oder setzen Sie die Richtlinie neu, und sehen Sie Ihre Passkeys durch:";

export const policyMailWords: typeof English = {
  tightened: {
    subject: "Die Richtlinie eines Schlüssels wurde gesetzt",
    news: (label) => `Was der Schlüssel „${label}“ signiert, wurde eingeschränkt`,
    heading: "Von jetzt an signiert er nur noch dies:",
    next:
      "Wenn Sie das nicht waren, beenden Sie die Sitzung, aus der es kam, und sehen Sie Ihre Passkeys durch:",
  },
  loosened: {
    subject: "Die Richtlinie eines Schlüssels wurde gelockert",
    news: (label) => `Der Schlüssel „${label}“ darf von jetzt an mehr signieren`,
    heading: "Er signiert:",
    next: UNDO,
  },
  asked: {
    subject: "Die Richtlinie eines Schlüssels soll gelockert werden",
    news: (label, at) => `Der Schlüssel „${label}“ darf ab ${at} mehr signieren`,
    heading: "Von da an signiert er:",
    next:
      "Wenn Sie das nicht waren, brechen Sie es dort vorher ab, und sehen Sie Ihre Passkeys und Sitzungen durch:",
  },
  cancelled: {
    subject: "Die Richtlinie eines Schlüssels bleibt, wie sie ist",
    news: (label) =>
      `Die Änderung der Richtlinie des Schlüssels „${label}“, die noch wartete, wurde abgebrochen`,
    heading: undefined,
    next: "Auf der Seite des Schlüssels steht, was er signiert:",
  },
  took_effect: {
    subject: "Die Richtlinie eines Schlüssels ist jetzt lockerer",
    news: (label) =>
      `Der Schlüssel „${label}“ darf jetzt mehr signieren: Die Änderung, die wartete, ist in Kraft`,
    heading: "Er signiert:",
    next: UNDO,
  },
  anything: "Alles, worum sein Eigentümer oder eines von dessen Programmen oder Anwendungen bittet.",
};
