import type { en } from "./messages.en.ts";

const UNDO =
  "Wenn Sie das nicht waren, archivieren Sie den Schlüssel oder setzen Sie die Richtlinie neu, und sehen Sie Ihre Passkeys durch:";

const CANCEL = "Wenn Sie das nicht sind, brechen Sie sie ab. Der Link öffnet eine Seite mit einem Knopf:";

const LOOK = "Wenn Sie das nicht waren, sehen Sie Ihr Konto durch, seine Passkeys und seine Sitzungen:";

const SIGN_IN = "Wenn Sie einen Passkey haben, bricht auch eine Anmeldung damit die Wiederherstellung ab.";

export const de: typeof en = {
  account: {
    addressCode: {
      code: (service, host) =>
        `Ihr Code, mit dem diese zur E-Mail-Adresse eines Kontos bei ${service} (${host}) wird, lautet`,
      once: "Er gilt einmal, fünf Minuten lang, in der Sitzung, die ihn angefordert hat.",
      place: (host) =>
        `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wer danach fragt, will Ihre Adresse für ein eigenes Konto.`,
    },
    emailChanged: {
      subject: "Ihr Konto hat eine andere E-Mail-Adresse",
      event: (place) => `Ihr Konto hat ab jetzt eine andere E-Mail-Adresse: ${place}.`,
      you: "Wenn Sie das waren, ist nichts zu tun.",
      notYou: (until) =>
        `Wenn nicht, nehmen Sie es bis ${until} zurück. Die Seite fragt, bevor sie etwas tut; dann hat das Konto wieder diese Adresse, und alle seine Sitzungen enden:`,
      after:
        "Der Link meldet niemanden an. Melden Sie sich danach mit Ihrem Passkey an, und sehen Sie Ihre Passkeys, Token und Anwendungen durch.",
    },
    emailReverted: {
      subject: "Eine Änderung Ihrer E-Mail-Adresse wurde zurückgenommen",
      own: (place) =>
        `Ihr Konto hat wieder diese E-Mail-Adresse, und alle seine Sitzungen sind beendet: ${place}.`,
      other: (place) =>
        `Die Änderung, durch die Ihr Konto diese E-Mail-Adresse bekam, wurde von der alten aus zurückgenommen, und alle seine Sitzungen sind beendet: ${place}.`,
      next: "Melden Sie sich mit Ihrem Passkey an, und sehen Sie Ihre Passkeys, Token und Anwendungen durch:",
    },
    exported: {
      subject: "Ihre Daten wurden heruntergeladen",
      event: (place) => `Alle Daten Ihres Kontos wurden als eine Datei heruntergeladen: ${place}.`,
      what:
        "Darin steht, was der Dienst von Ihnen weiß: Adressen, Sitzungen, Schlüssel, Anwendungen und was im Konto geschah. Anmelden oder signieren kann damit niemand.",
      notYou:
        "Wenn Sie das nicht waren, beenden Sie die Sitzungen, die Sie nicht kennen, und sehen Sie Ihre Passkeys durch:",
    },
    deletionAsked: {
      subject: "Ihr Konto wird gelöscht",
      event: (place) =>
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
      event: (at) =>
        `Jemand hat sich in Ihrem Konto angemeldet, das gelöscht werden sollte. Es bleibt: ${at}.`,
      notYou: "Wenn Sie das nicht waren, sehen Sie Ihre Passkeys und Sitzungen durch:",
    },
    deleted: {
      subject: "Ihr Konto wurde gelöscht",
      event: (at) => `Ihr Konto und alles, was dazugehörte, wurde gelöscht: ${at}.`,
      last:
        "In den sieben Tagen, seit das verlangt wurde, hat sich niemand darin angemeldet. Dies ist die letzte Mail darüber.",
    },
  },
  code: {
    subject: (service) => `Ihr Code für ${service}`,
    code: (service, host) => `Ihr Code für ${service} (${host}) lautet`,
    once: "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat.",
    place: (host) => `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wir fragen nie danach.`,
    notYou:
      "Wenn Sie diesen Code nicht angefordert haben, beachten Sie diese Mail nicht: Es hat sich nichts geändert.",
  },
  invitation: {
    subject: (service) => `Eine Einladung zu ${service}`,
    invited: (host) =>
      `Sie sind eingeladen, bei ${host} ein Konto zu erstellen, mit dieser Adresse und einem Passkey. Öffnen Sie diesen Link:`,
    until: (time) => `Er funktioniert einmal, bis ${time}.`,
    unknown: "Wenn Sie davon nichts wissen, ignorieren Sie diese E-Mail: Ohne Sie geschieht nichts.",
  },
  newDevice: {
    subject: "Neue Anmeldung in Ihrem Konto",
    event: (place) => `Jemand hat sich von einem Gerät, das Ihr Konto nicht kannte, angemeldet: ${place}.`,
    next:
      "Wenn Sie das waren, ist nichts zu tun. Wenn nicht, beenden Sie die Sitzung, und sehen Sie Ihre Passkeys durch:",
  },
  passkey: {
    added: {
      subject: "Ein Passkey wurde hinzugefügt",
      event: (name, place) => `Der Passkey „${name}“ wurde hinzugefügt: ${place}.`,
    },
    removed: {
      subject: "Ein Passkey wurde entfernt",
      event: (name, place) => `Der Passkey „${name}“ wurde entfernt: ${place}.`,
    },
    next: "Wenn Sie das nicht waren, sehen Sie Ihre Passkeys und Sitzungen durch:",
  },
  policy: {
    tightened: {
      subject: "Die Richtlinie eines Schlüssels wurde gesetzt",
      event: (label) => `Was der Schlüssel „${label}“ signiert, wurde eingeschränkt`,
      heading: "Von jetzt an signiert er nur noch dies:",
      next:
        "Wenn Sie das nicht waren, beenden Sie die Sitzung, aus der es kam, und sehen Sie Ihre Passkeys durch:",
    },
    loosened: {
      subject: "Die Richtlinie eines Schlüssels wurde gelockert",
      event: (label) => `Der Schlüssel „${label}“ darf von jetzt an mehr signieren`,
      heading: "Er signiert:",
      next: UNDO,
    },
    asked: {
      subject: "Die Richtlinie eines Schlüssels soll gelockert werden",
      event: (label, at) => `Der Schlüssel „${label}“ darf ab ${at} mehr signieren`,
      heading: "Von da an signiert er:",
      next:
        "Wenn Sie das nicht waren, brechen Sie es dort vorher ab, und sehen Sie Ihre Passkeys und Sitzungen durch:",
    },
    cancelled: {
      subject: "Die Richtlinie eines Schlüssels bleibt, wie sie ist",
      event: (label) =>
        `Die Änderung der Richtlinie des Schlüssels „${label}“, die noch wartete, wurde abgebrochen`,
      heading: undefined,
      next: "Auf der Seite des Schlüssels steht, was er signiert:",
    },
    took_effect: {
      subject: "Die Richtlinie eines Schlüssels ist jetzt lockerer",
      event: (label) =>
        `Der Schlüssel „${label}“ darf jetzt mehr signieren: Die Änderung, die wartete, ist in Kraft`,
      heading: "Er signiert:",
      next: UNDO,
    },
    anything: "Alles, worum sein Eigentümer oder eines von dessen Programmen oder Anwendungen bittet.",
  },
  recovery: {
    begun: {
      subject: "Jemand hat begonnen, Ihr Konto wiederherzustellen",
      event: (place, readyAt) => [
        `Eine Wiederherstellung Ihres Kontos wurde begonnen: ${place}.`,
        `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto anlegen. Dann enden alle bisherigen Passkeys, und jede Sitzung, jedes Token und jede Anwendung wird abgemeldet.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    waits: {
      subject: "Eine Wiederherstellung Ihres Kontos wartet",
      event: (place, readyAt) => [
        `Eine Wiederherstellung Ihres Kontos wartet. Sie wurde begonnen von ${place}.`,
        `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto anlegen.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    ready: {
      subject: "Ihr Konto kann jetzt wiederhergestellt werden",
      event: (place, _readyAt) => [
        `Eine Wiederherstellung Ihres Kontos, begonnen von ${place}, hat lange genug gewartet: Wer sie begonnen hat, kann jetzt einen neuen Passkey für Ihr Konto anlegen.`,
        "Wenn Sie das sind, öffnen Sie „Passkey verloren?“ in dem Browser, in dem Sie begonnen haben.",
      ],
      next: CANCEL,
    },
    cancelled: {
      subject: "Eine Wiederherstellung Ihres Kontos wurde abgebrochen",
      event: (place, _readyAt) => [
        `Die Wiederherstellung Ihres Kontos, die wartete, wurde abgebrochen: ${place}.`,
      ],
      next: LOOK,
    },
    lapsed: {
      subject: "Eine Wiederherstellung Ihres Kontos ist abgelaufen",
      event: (place, _readyAt) => [
        `Die Wiederherstellung Ihres Kontos, begonnen von ${place}, wurde nicht rechtzeitig abgeschlossen und ist vorbei.`,
      ],
      next: "Ihr Konto ist, wie es war:",
    },
    finished: {
      subject: "Ihr Konto wurde wiederhergestellt",
      event: (place, _readyAt) => [
        `Ihr Konto wurde wiederhergestellt: ${place}.`,
        "Es hat einen neuen Passkey. Alle bisherigen Passkeys sind entfernt, und jede Sitzung, jedes Token und jede Anwendung wurde abgemeldet. Was Ihre Schlüssel signieren dürfen, ist wie zuvor, und nichts davon lässt sich sieben Tage lang lockern.",
      ],
      next: "Wenn Sie das nicht waren, sagen Sie es sofort dem Betreiber des Dienstes:",
    },
    codesMade: {
      subject: "Wiederherstellungscodes wurden angelegt",
      event: (place, _readyAt) => [
        `Neue Wiederherstellungscodes wurden für Ihr Konto angelegt: ${place}.`,
        "Die bisherigen gelten nicht mehr.",
      ],
      next: LOOK,
    },
    choicesChanged: {
      subject: "Was eine Wiederherstellung Ihres Kontos braucht, wurde geändert",
      event: (
        place,
        _readyAt,
      ) => [`Was eine Wiederherstellung Ihres Kontos braucht, wurde geändert: ${place}.`],
      next: LOOK,
    },
    delay: (hours) => `Eine Wiederherstellung wartet ${hours} Stunden.`,
    alone: "Ein Code aus Ihrem Postfach genügt, um eine zu beginnen.",
    notAlone:
      "Um eine zu beginnen, braucht es einen Wiederherstellungscode und einen Code aus Ihrem Postfach.",
    code: {
      subject: (service) => `Ihr Code von ${service} für einen verlorenen Passkey`,
      code: (service, host) =>
        `Jemand, der einen Passkey für ${service} (${host}) verloren hat, hat diese Adresse genannt. Der Code ist`,
      once:
        "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat. Allein gibt er niemandem ein Konto.",
      place: (host) =>
        `Geben Sie ihn nur auf ${host} ein, und sagen Sie ihn niemandem: Wir fragen nie danach.`,
      notYou:
        "Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese Mail: Es hat sich nichts geändert.",
    },
  },
  signature: {
    subject: "Eine Signatur wartet auf Sie",
    event: (asker, key, place) =>
      `„${asker}“ bittet um eine Signatur mit Ihrem Schlüssel „${key}“: ${place}.`,
    approve: "Nichts wird signiert, wenn Sie es nicht innerhalb einer Stunde mit einem Passkey freigeben:",
    all: "Alles, was auf Sie wartet, auch weitere Anfragen der nächsten Minuten:",
  },
  token: {
    subject: "Ein Token für ein Programm wurde erstellt",
    event: (name, place) => `Das Token „${name}“ wurde erstellt: ${place}.`,
    allKeys: "alle Ihre Schlüssel",
    keys: (count) => count === 1 ? "einen Schlüssel" : `${count} Schlüssel`,
    actions: { read: "lesen", sign: "signieren", create: "anlegen" },
    rights: (keys, actions, end) => `Damit kann ein Programm bis ${end} ${keys} verwenden (${actions}).`,
    next: "Wenn Sie das nicht waren, widerrufen Sie es, und sehen Sie Ihre Passkeys und Sitzungen durch:",
  },
};
