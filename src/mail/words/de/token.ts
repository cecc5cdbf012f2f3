import type { tokenMailWords as English } from "../en/token.ts";

export const tokenMailWords: typeof English = {
  subject: "Ein Token für ein Programm wurde erstellt",
  news: (name, place) => `Das Token „${name}“ wurde erstellt: ${place}.`,
  allKeys: "alle Ihre Schlüssel",
  keys: (count) => count === 1 ? "einen Schlüssel" : `${count} Schlüssel`,
  actions: { read: "lesen", sign: "signieren", create: "anlegen" },
  rights: (keys, actions, end) => `Damit kann ein Programm bis ${end} ${keys} verwenden (${actions}).`,
  next: "Wenn Sie das nicht waren, widerrufen Sie es, und sehen Sie Ihre Passkeys und Sitzungen durch:",
};
