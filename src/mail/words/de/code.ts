import type { codeMailWords as English } from "../en/code.ts";

export const codeMailWords: typeof English = {
  subject: (service) => `Ihr Code für ${service}`,
  code: (service, host) => `Ihr Code für ${service} (${host}) lautet`,
  once: "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat.",
  place: (host) => `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wir fragen nie danach.`,
  notYou:
    "Wenn Sie diesen Code nicht angefordert haben, beachten Sie diese Mail nicht: Es hat sich nichts geändert.",
};
