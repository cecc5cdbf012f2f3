import type { en } from "./messages.en.ts";

const UNDO =
  "Wenn Sie das nicht waren, archivieren Sie den Schlüssel oder setzen Sie die Richtlinie neu, und prüfen Sie Ihre Passkeys:";

const CANCEL = "Wenn Sie das nicht waren, brechen Sie sie ab. Der Link öffnet eine Seite mit einem Knopf:";

const LOOK = "Wenn Sie das nicht waren, prüfen Sie Ihr Konto, seine Passkeys und seine Sitzungen:";

const SIGN_IN = "Wenn Sie einen Passkey haben, bricht auch eine Anmeldung damit die Wiederherstellung ab.";

export const de: typeof en = {
  account: {
    addressCode: {
      code: (service, host) =>
        `Ihr Code, um diese E-Mail-Adresse für ein Konto bei ${service} (${host}) zu verwenden, lautet`,
      once: "Er gilt einmal, fünf Minuten lang, in der Sitzung, die ihn angefordert hat.",
      place: (host) =>
        `Geben Sie ihn nur auf ${host} ein, und geben Sie ihn nicht weiter. Wer danach fragt, will Ihre Adresse für ein eigenes Konto verwenden.`,
    },
    emailChanged: {
      subject: "Die E-Mail-Adresse Ihres Kontos wurde geändert",
      event: (place) => `Die E-Mail-Adresse Ihres Kontos wurde geändert: ${place}.`,
      you: "Wenn Sie das waren, ist nichts zu tun.",
      notYou: (until) =>
        `Wenn nicht, machen Sie die Änderung vor dem ${until} rückgängig. Die Seite fragt, bevor sie etwas tut. Dann hat das Konto wieder diese Adresse, und alle seine Sitzungen enden:`,
      after:
        "Der Link meldet Sie nicht an. Melden Sie sich danach mit Ihrem Passkey an, und prüfen Sie Ihre Passkeys, Token und Anwendungen.",
      earlierLink: (until) =>
        `Es war nicht die erste Änderung der letzten Tage. Der Link in der E-Mail zur ersten macht bis zum ${until} beide rückgängig.`,
      withoutLink:
        "Wenn Sie das nicht waren, melden Sie sich mit Ihrem Passkey an, und prüfen Sie Adresse, Passkeys und Sitzungen:",
    },
    emailReverted: {
      subject: "Eine Änderung Ihrer E-Mail-Adresse wurde rückgängig gemacht",
      own: (place) =>
        `Ihr Konto hat wieder diese E-Mail-Adresse, und alle seine Sitzungen sind beendet: ${place}.`,
      other: (place) =>
        `Die Änderung, durch die Ihr Konto diese E-Mail-Adresse bekam, wurde von der alten aus rückgängig gemacht, und alle seine Sitzungen sind beendet: ${place}.`,
      next: "Melden Sie sich mit Ihrem Passkey an, und prüfen Sie Ihre Passkeys, Token und Anwendungen:",
    },
    exported: {
      subject: "Ihre Daten wurden heruntergeladen",
      event: (place) => `Alle Daten Ihres Kontos wurden als eine Datei heruntergeladen: ${place}.`,
      what:
        "Sie enthält, was der Dienst über Sie weiß: Adressen, Sitzungen, Schlüssel, Anwendungen und was im Konto geschah. Anmelden oder signieren lässt sich damit nicht.",
      notYou:
        "Wenn Sie das nicht waren, beenden Sie die Sitzungen, die Sie nicht erkennen, und prüfen Sie Ihre Passkeys:",
    },
    deletionAsked: {
      subject: "Ihr Konto wird gelöscht",
      event: (place) => `Die Löschung Ihres Kontos wurde aus einer angemeldeten Sitzung verlangt: ${place}.`,
      due: (at) => `Gelöscht wird es am ${at}.`,
      keys: (count) =>
        `${
          count === 1 ? "Sein Schlüssel wird mit gelöscht" : `Seine ${count} Schlüssel werden mit gelöscht`
        }. Was dann noch an einer Adresse des Kontos liegt, lässt sich nie mehr bewegen. Programme und Anwendungen können bis dahin signieren.`,
      keep: "Um es zu behalten, melden Sie sich vorher mit einem Passkey an.",
    },
    deletionStopped: {
      subject: "Ihr Konto wird nicht gelöscht",
      event: (at) => `Eine Anmeldung in Ihrem Konto hat seine Löschung abgebrochen: ${at}.`,
      notYou: "Wenn Sie das nicht waren, prüfen Sie Ihre Passkeys und Sitzungen:",
    },
    deleted: {
      subject: "Ihr Konto wurde gelöscht",
      event: (at) => `Ihr Konto und alles darin wurde gelöscht: ${at}.`,
      last:
        "In den sieben Tagen, nachdem die Löschung verlangt wurde, gab es keine Anmeldung. Dies ist die letzte Mail darüber.",
    },
  },
  code: {
    subject: (service) => `Ihr Code für ${service}`,
    code: (service, host) => `Ihr Code für ${service} (${host}) lautet`,
    once: "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat.",
    place: (host) =>
      `Geben Sie ihn nur auf ${host} ein, und geben Sie ihn nicht weiter. Wir fragen nie danach.`,
    notYou:
      "Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese Mail. Es hat sich nichts geändert.",
  },
  invitation: {
    subject: (service) => `Eine Einladung zu ${service}`,
    invited: (host) =>
      `Sie sind eingeladen, bei ${host} ein Konto zu erstellen, mit dieser Adresse und einem Passkey. Öffnen Sie diesen Link:`,
    until: (time) => `Er funktioniert einmal, bis ${time}.`,
    unknown:
      "Wenn Sie sie nicht erwartet haben, ignorieren Sie diese Mail. Es geschieht nichts, solange Sie den Link nicht öffnen.",
  },
  newDevice: {
    subject: "Neue Anmeldung in Ihrem Konto",
    event: (place) => `Es gab eine Anmeldung in Ihrem Konto von einem neuen Gerät: ${place}.`,
    next:
      "Wenn Sie das waren, ist nichts zu tun. Wenn nicht, beenden Sie die Sitzung, und prüfen Sie Ihre Passkeys:",
  },
  administrator: {
    subject: "Die Administration hat Ihr Konto geändert",
    acts: {
      passkey_removed: (name) =>
        `Die Administration dieses Dienstes hat den Passkey „${name}“ aus Ihrem Konto entfernt.`,
      access_ended: (name) =>
        `Die Administration dieses Dienstes hat den Zugang der Anwendung „${name}“ zu Ihrem Konto beendet.`,
      account_disabled: () =>
        "Die Administration dieses Dienstes hat Ihr Konto gesperrt. Sie können sich nicht anmelden, und Programme und Anwendungen können es nicht verwenden. Seine Schlüssel bleiben unverändert.",
      account_enabled: () =>
        "Die Administration dieses Dienstes hat Ihr Konto freigegeben. Sie können sich wieder anmelden.",
      sessions_ended: () =>
        "Die Administration dieses Dienstes hat alle Sitzungen Ihres Kontos beendet. Melden Sie sich mit einem Passkey wieder an.",
      group_joined: (name) =>
        `Die Administration dieses Dienstes hat Ihr Konto in die Gruppe „${name}“ aufgenommen.`,
      group_left: (name) =>
        `Die Administration dieses Dienstes hat Ihr Konto aus der Gruppe „${name}“ entfernt.`,
    },
    ask: "Wenn Sie das nicht erwartet haben, fragen Sie die Administration.",
    activity: "Jede solche Handlung steht in Ihren Aktivitäten:",
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
    next: "Wenn Sie das nicht waren, prüfen Sie Ihre Passkeys und Sitzungen:",
  },
  policy: {
    tightened: {
      subject: "Die Richtlinie eines Schlüssels wurde gesetzt",
      event: (label) => `Die Richtlinie des Schlüssels „${label}“ wurde gesetzt oder verschärft`,
      heading: "Von jetzt an signiert er nur:",
      next:
        "Wenn Sie das nicht waren, beenden Sie die Sitzung, aus der es kam, und prüfen Sie Ihre Passkeys:",
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
        "Wenn Sie das nicht waren, brechen Sie es dort vorher ab, und prüfen Sie Ihre Passkeys und Sitzungen:",
    },
    cancelled: {
      subject: "Die Richtlinie eines Schlüssels bleibt, wie sie ist",
      event: (label) => `Die vorgemerkte Änderung der Richtlinie des Schlüssels „${label}“ wurde abgebrochen`,
      heading: undefined,
      next: "Auf der Seite des Schlüssels steht, was er signiert:",
    },
    took_effect: {
      subject: "Eine lockerere Richtlinie eines Schlüssels trat in Kraft",
      event: (label) =>
        `Der Schlüssel „${label}“ darf jetzt mehr signieren: Die vorgemerkte Änderung ist in Kraft`,
      heading: "Er signiert:",
      next: UNDO,
    },
    anything: "Alles, worum Sie oder ein Programm oder eine Anwendung mit Zugang zum Schlüssel bitten.",
  },
  recovery: {
    begun: {
      subject: "Eine Wiederherstellung Ihres Kontos wurde begonnen",
      event: (place, readyAt) => [
        `Eine Wiederherstellung Ihres Kontos wurde begonnen: ${place}.`,
        `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto erstellen. Dann werden alle bisherigen Passkeys entfernt, und jede Sitzung, jedes Token und jede Anwendung wird abgemeldet.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    waits: {
      subject: "Eine Wiederherstellung Ihres Kontos läuft",
      event: (place, readyAt) => [
        `Eine Wiederherstellung Ihres Kontos läuft. Sie wurde begonnen von ${place}.`,
        `Ab ${readyAt} kann, wer sie begonnen hat, einen neuen Passkey für Ihr Konto erstellen.`,
        SIGN_IN,
      ],
      next: CANCEL,
    },
    ready: {
      subject: "Ihr Konto kann jetzt wiederhergestellt werden",
      event: (place, _readyAt) => [
        `Die Wartezeit der Wiederherstellung Ihres Kontos, begonnen von ${place}, ist vorbei. Wer sie begonnen hat, kann jetzt einen neuen Passkey für Ihr Konto erstellen.`,
        "Wenn Sie das waren, öffnen Sie „Passkey verloren?“ in dem Browser, in dem Sie begonnen haben.",
      ],
      next: CANCEL,
    },
    cancelled: {
      subject: "Eine Wiederherstellung Ihres Kontos wurde abgebrochen",
      event: (place, _readyAt) => [
        `Die laufende Wiederherstellung Ihres Kontos wurde abgebrochen: ${place}.`,
      ],
      next: LOOK,
    },
    lapsed: {
      subject: "Eine Wiederherstellung Ihres Kontos ist abgelaufen",
      event: (place, _readyAt) => [
        `Die Wiederherstellung Ihres Kontos, begonnen von ${place}, wurde nicht rechtzeitig abgeschlossen und ist abgelaufen.`,
      ],
      next: "Ihr Konto hat sich nicht geändert:",
    },
    finished: {
      subject: "Ihr Konto wurde wiederhergestellt",
      event: (place, _readyAt) => [
        `Ihr Konto wurde wiederhergestellt: ${place}.`,
        "Es hat einen neuen Passkey. Alle bisherigen Passkeys wurden entfernt, und jede Sitzung, jedes Token und jede Anwendung wurde abgemeldet. Was Ihre Schlüssel signieren dürfen, hat sich nicht geändert und lässt sich sieben Tage lang nicht lockern.",
      ],
      next: "Wenn Sie das nicht waren, wenden Sie sich sofort an den Betreiber des Dienstes:",
    },
    codesMade: {
      subject: "Wiederherstellungscodes wurden erstellt",
      event: (place, _readyAt) => [
        `Neue Wiederherstellungscodes wurden für Ihr Konto erstellt: ${place}.`,
        "Die bisherigen gelten nicht mehr.",
      ],
      next: LOOK,
    },
    choicesChanged: {
      subject: "Die Einstellungen zur Wiederherstellung Ihres Kontos wurden geändert",
      event: (
        place,
        _readyAt,
      ) => [`Was eine Wiederherstellung Ihres Kontos verlangt, wurde geändert: ${place}.`],
      next: LOOK,
    },
    delay: (hours) => `Die Wartezeit einer Wiederherstellung beträgt ${hours} Stunden.`,
    alone: "Ein Code aus Ihrem Postfach genügt, um eine zu beginnen.",
    notAlone:
      "Um eine zu beginnen, braucht es einen Wiederherstellungscode und einen Code aus Ihrem Postfach.",
    code: {
      subject: (service) => `Ihr Code von ${service} für einen verlorenen Passkey`,
      code: (service, host) =>
        `Für diese Adresse wurde ein Code für einen verlorenen Passkey bei ${service} (${host}) angefordert. Der Code lautet`,
      once:
        "Er gilt einmal, fünf Minuten lang, in dem Browser, der ihn angefordert hat. Allein gibt er keinen Zugang zu einem Konto.",
      place: (host) =>
        `Geben Sie ihn nur auf ${host} ein, und geben Sie ihn nicht weiter. Wir fragen nie danach.`,
      notYou:
        "Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese Mail. Es hat sich nichts geändert.",
    },
  },
  signature: {
    subject: "Eine Signatur braucht Ihre Freigabe",
    event: (requester, key, place) =>
      `„${requester}“ bittet um eine Signatur mit Ihrem Schlüssel „${key}“: ${place}.`,
    approve: "Nichts wird signiert, wenn Sie es nicht innerhalb einer Stunde mit einem Passkey freigeben:",
    all: "Alle offenen Anfragen, auch neue der nächsten Minuten:",
  },
  refusals: {
    subject: "Einem Programm wurden viele Signaturen verweigert",
    event:
      "Innerhalb einer Stunde haben Ihre Richtlinien Programmen oder Anwendungen 100 oder mehr Signaturen verweigert. Nichts davon wurde signiert. Ihr Verlauf nennt das Programm und die Regel:",
    revoke:
      "Wenn Sie das nicht erwartet haben, widerrufen Sie hier das Token des Programms oder halten Sie alle Programme an:",
  },
  token: {
    subject: "Ein Token für ein Programm wurde erstellt",
    event: (name, place) => `Das Token „${name}“ wurde erstellt: ${place}.`,
    allKeys: "alle Ihre Schlüssel",
    keys: (count) => count === 1 ? "einen Schlüssel" : `${count} Schlüssel`,
    actions: { read: "lesen", sign: "signieren", create: "erstellen" },
    rights: (keys, actions, end) => `Damit kann ein Programm bis ${end} ${keys} verwenden (${actions}).`,
    next: "Wenn Sie das nicht waren, widerrufen Sie es, und prüfen Sie Ihre Passkeys und Sitzungen:",
  },
};
