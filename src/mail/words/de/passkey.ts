import type { passkeyMailWords as English } from "../en/passkey.ts";

export const passkeyMailWords: typeof English = {
  added: {
    subject: "Ein Passkey wurde hinzugefügt",
    news: (name, place) => `Der Passkey „${name}“ wurde hinzugefügt: ${place}.`,
  },
  removed: {
    subject: "Ein Passkey wurde entfernt",
    news: (name, place) => `Der Passkey „${name}“ wurde entfernt: ${place}.`,
  },
  next: "Wenn Sie das nicht waren, sehen Sie Ihre Passkeys und Sitzungen durch:",
};
