import type { accountMailWords as English } from "../en/account.ts";

export const accountMailWords: typeof English = {
  addressCode: {
    code: (service, host) =>
      `Ihr Code, mit dem diese zur E-Mail-Adresse eines Kontos bei ${service} (${host}) wird, lautet`,
    once: "Er gilt einmal, fünf Minuten lang, in der Sitzung, die ihn angefordert hat.",
    place: (host) =>
      `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wer danach fragt, will Ihre Adresse für ein eigenes Konto.`,
  },
  emailChanged: {
    subject: "Ihr Konto hat eine andere E-Mail-Adresse",
    news: (place) => `Ihr Konto hat ab jetzt eine andere E-Mail-Adresse: ${place}.`,
    you: "Wenn Sie das waren, ist nichts zu tun.",
    notYou: (until) =>
      `Wenn nicht, nehmen Sie es bis ${until} zurück. Die Seite fragt, bevor sie etwas tut; dann hat das Konto wieder diese Adresse, und alle seine Sitzungen enden:`,
    after:
      "Der Link meldet niemanden an. Melden Sie sich danach mit Ihrem Passkey an, und sehen Sie Ihre Passkeys, Token und Anwendungen durch.",
  },
  takenBack: {
    subject: "Eine Änderung Ihrer E-Mail-Adresse wurde zurückgenommen",
    own: (place) =>
      `Ihr Konto hat wieder diese E-Mail-Adresse, und alle seine Sitzungen sind beendet: ${place}.`,
    other: (place) =>
      `Die Änderung, durch die Ihr Konto diese E-Mail-Adresse bekam, wurde von der alten aus zurückgenommen, und alle seine Sitzungen sind beendet: ${place}.`,
    next: "Melden Sie sich mit Ihrem Passkey an, und sehen Sie Ihre Passkeys, Token und Anwendungen durch:",
  },
  exported: {
    subject: "Ihre Daten wurden heruntergeladen",
    news: (place) => `Alle Daten Ihres Kontos wurden als eine Datei heruntergeladen: ${place}.`,
    what:
      "Darin steht, was der Dienst von Ihnen weiß: Adressen, Sitzungen, Schlüssel, Anwendungen und was im Konto geschah. Anmelden oder signieren kann damit niemand.",
    notYou:
      "Wenn Sie das nicht waren, beenden Sie die Sitzungen, die Sie nicht kennen, und sehen Sie Ihre Passkeys durch:",
  },
  deletionAsked: {
    subject: "Ihr Konto wird gelöscht",
    news: (place) =>
      `Jemand, der in Ihrem Konto angemeldet ist, hat verlangt, dass es gelöscht wird: ${place}.`,
    due: (at) => `Gelöscht wird es am ${at}.`,
    keys: (count) =>
      `${
        count === 1 ? "Sein Schlüssel geht mit" : `Seine ${count} Schlüssel gehen mit`
      }: Was eine Adresse davon dann noch hält, kann nie mehr bewegt werden. Programme und Anwendungen können bis dahin signieren.`,
    keep: "Um es zu behalten, melden Sie sich vorher mit einem Passkey an: Das allein hält es auf.",
  },
  deletionStopped: {
    subject: "Ihr Konto wird nicht gelöscht",
    news: (at) => `Jemand hat sich in Ihrem Konto angemeldet, das gelöscht werden sollte. Es bleibt: ${at}.`,
    notYou: "Wenn Sie das nicht waren, sehen Sie Ihre Passkeys und Sitzungen durch:",
  },
  deleted: {
    subject: "Ihr Konto wurde gelöscht",
    news: (at) => `Ihr Konto und alles, was dazugehörte, wurde gelöscht: ${at}.`,
    last:
      "In den sieben Tagen, seit das verlangt wurde, hat sich niemand darin angemeldet. Dies ist die letzte Mail darüber.",
  },
};
