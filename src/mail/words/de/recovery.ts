import type { recoveryMailWords as English } from "../en/recovery.ts";

const CANCEL = "Wenn Sie das nicht sind, brechen Sie sie ab. Der Link öffnet eine Seite mit einem Knopf:";
const LOOK = "Wenn Sie das nicht waren, sehen Sie Ihr Konto durch, seine Passkeys und seine Sitzungen:";
const SIGN_IN = "Wenn Sie einen Passkey haben, bricht auch eine Anmeldung damit die Wiederherstellung ab.";

export const recoveryMailWords: typeof English = {
  begun: {
    subject: "Jemand hat begonnen, Ihr Konto wiederherzustellen",
    news: (place, readyAt) => [
      `Eine Wiederherstellung Ihres Kontos wurde begonnen: ${place}.`,
      `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto anlegen. Dann enden alle bisherigen Passkeys, und jede Sitzung, jedes Token und jede Anwendung wird abgemeldet.`,
      SIGN_IN,
    ],
    next: CANCEL,
  },
  waits: {
    subject: "Eine Wiederherstellung Ihres Kontos wartet",
    news: (place, readyAt) => [
      `Eine Wiederherstellung Ihres Kontos wartet. Sie wurde begonnen von ${place}.`,
      `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto anlegen.`,
      SIGN_IN,
    ],
    next: CANCEL,
  },
  ready: {
    subject: "Ihr Konto kann jetzt wiederhergestellt werden",
    news: (place, _readyAt) => [
      `Eine Wiederherstellung Ihres Kontos, begonnen von ${place}, hat lange genug gewartet: Wer sie begonnen hat, kann jetzt einen neuen Passkey für Ihr Konto anlegen.`,
      "Wenn Sie das sind, öffnen Sie „Passkey verloren?“ in dem Browser, in dem Sie begonnen haben.",
    ],
    next: CANCEL,
  },
  cancelled: {
    subject: "Eine Wiederherstellung Ihres Kontos wurde abgebrochen",
    news: (place, _readyAt) => [
      `Die Wiederherstellung Ihres Kontos, die wartete, wurde abgebrochen: ${place}.`,
    ],
    next: LOOK,
  },
  lapsed: {
    subject: "Eine Wiederherstellung Ihres Kontos ist abgelaufen",
    news: (place, _readyAt) => [
      `Die Wiederherstellung Ihres Kontos, begonnen von ${place}, wurde nicht rechtzeitig abgeschlossen und ist vorbei.`,
    ],
    next: "Ihr Konto ist, wie es war:",
  },
  finished: {
    subject: "Ihr Konto wurde wiederhergestellt",
    news: (place, _readyAt) => [
      `Ihr Konto wurde wiederhergestellt: ${place}.`,
      "Es hat einen neuen Passkey. Alle bisherigen Passkeys sind entfernt, und jede Sitzung, jedes Token und jede Anwendung wurde abgemeldet. Was Ihre Schlüssel signieren dürfen, ist wie zuvor, und nichts davon lässt sich sieben Tage lang lockern.",
    ],
    next: "Wenn Sie das nicht waren, sagen Sie es sofort dem Betreiber des Dienstes:",
  },
  codesMade: {
    subject: "Wiederherstellungscodes wurden angelegt",
    news: (place, _readyAt) => [
      `Neue Wiederherstellungscodes wurden für Ihr Konto angelegt: ${place}.`,
      "Die bisherigen gelten nicht mehr.",
    ],
    next: LOOK,
  },
  choicesChanged: {
    subject: "Was eine Wiederherstellung Ihres Kontos braucht, wurde geändert",
    news: (place, _readyAt) => [`Was eine Wiederherstellung Ihres Kontos braucht, wurde geändert: ${place}.`],
    next: LOOK,
  },
  delay: (hours) => `Eine Wiederherstellung wartet ${hours} Stunden.`,
  alone: "Ein Code aus Ihrem Postfach genügt, um eine zu beginnen.",
  notAlone: "Um eine zu beginnen, braucht es einen Wiederherstellungscode und einen Code aus Ihrem Postfach.",
  code: {
    subject: (service) => `Ihr Code von ${service} für einen verlorenen Passkey`,
    code: (service, host) =>
      `Jemand, der einen Passkey für ${service} (${host}) verloren hat, hat diese Adresse genannt. Der Code ist`,
    once:
      "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat. Allein gibt er niemandem ein Konto.",
    place: (host) => `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wir fragen nie danach.`,
    notYou:
      "Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese Mail: Es hat sich nichts geändert.",
  },
};
