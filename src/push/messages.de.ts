import type { en } from "./messages.en.ts";

export const de: typeof en = {
  aProgram: "Ein Programm",
  signature_asked: {
    title: "Signatur angefragt",
    text: (program) => `${program} bittet um eine Signatur.`,
  },
  signed_in: {
    title: "Neue Anmeldung",
    text: () => "In einem anderen Browser hat sich jemand bei Ihrem Konto angemeldet.",
  },
  signing_refused: {
    title: "Signatur verweigert",
    text: (program) => `Eine Richtlinie hat eine Signatur verweigert. Programm: ${program}.`,
  },
};
