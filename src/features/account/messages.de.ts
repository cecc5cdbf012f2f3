import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  account: {
    title: "Konto",
    needsScript:
      "Passkeys hinzufügen, umbenennen und löschen und Sitzungen beenden geht nur mit den Skripten dieser Seite. Schalten Sie dafür JavaScript ein; lesen, Anwendungen den Zugang entziehen und sich abmelden können Sie auch ohne.",
    onThisPage: "Auf dieser Seite",
    you: "Sie",
    name: "Name",
    emailAddress: "E-Mail-Adresse",
    none: "Keine",
    since: "Konto seit",
    id: "Kennung des Kontos",
    theId: "die Kennung des Kontos",
    language: "Sprache",
    languageIs: "Deutsch",
    activity: {
      title: "Verlauf",
      latest: "Das Neueste, was in Ihrem Konto geschehen ist.",
      all: "Ganzer Verlauf",
      unproven:
        "Bei einigen der neuesten Einträge lässt sich nicht beweisen, dass sie so sind, wie der Dienst sie geschrieben hat. Jemand hat das Protokoll verändert: Sagen Sie es dem Betreiber.",
      none: "Keine Ereignisse.",
    },
    passkeys: {
      title: "Passkeys",
      onlyPasskey: (isMailed) =>
        `Nur mit ihnen können Sie sich anmelden. Wer einen hinzufügt oder löscht, muss das mit einem Passkey bestätigen, wenn die Anmeldung mehr als zehn Minuten her ist${
          isMailed ? "; außerdem erhalten Sie eine Mail" : ""
        }.`,
      synced: "Synchronisiert",
      notYetSynced: "Noch nicht gesichert",
      onOneDevice: "Auf einem Gerät",
      rename: "Umbenennen",
      delete: "Löschen",
      usedNow: "In dieser Sitzung verwendet",
      made: "Erstellt",
      lastUsed: "Zuletzt verwendet",
      neverUsed: "Noch nicht verwendet",
      canBeSynced:
        "Er kann auf Ihre anderen Geräte kopiert werden, ist es aber nicht. Schalten Sie die Synchronisierung in seinem Passwortmanager ein.",
      allLost: "Wenn alle verloren sind:",
      recoverySettings: "Ihr Rückweg",
      onlyOne: "Ihr einziger Passkey lässt sich nicht löschen. Fügen Sie zuerst einen weiteren hinzu.",
      addSecond: "Fügen Sie einen zweiten Passkey hinzu.",
      onlyIsSynced:
        "Dieser ist synchronisiert; wer aber den Passwortmanager oder das Konto dahinter verliert, kann sich nicht mehr anmelden.",
      onlyIsNotSynced:
        "Dieser liegt nur auf einem Gerät: Geht es verloren, können Sie sich nicht mehr anmelden.",
      secondHelps:
        "Mit einem Passkey auf einem anderen Gerät oder einem Sicherheitsschlüssel bleiben Ihr Konto und seine Schlüssel erreichbar.",
      newName: html`Name eines neuen Passkeys <span class="optional">(freiwillig)</span>`,
      exampleName: "Blauer Sicherheitsschlüssel",
      add: "Passkey hinzufügen",
      storedAt:
        "Ihr Browser fragt, wo er ihn aufbewahren soll: hier, auf einem Telefon oder auf einem Sicherheitsschlüssel.",
      passkey: "Passkey",
      name: "Name",
      save: "Speichern",
      cancel: "Abbrechen",
      renameTitle: (passkey) => html`${passkey} umbenennen`,
      deleteTitle: (passkey) => html`${passkey} löschen?`,
      deleteMeans:
        "Er meldet Sie nicht mehr an, und jede Sitzung, die mit ihm begann, endet. Anwendungen behalten ihren Zugang. Wo Ihr Browser es nicht selbst kann, löschen Sie ihn auch in Ihrem Passwortmanager oder auf dem Gerät.",
      deleteCurrent:
        "Sie haben sich hier mit diesem Passkey angemeldet; deshalb werden Sie auch hier abgemeldet.",
    },
    sessions: {
      title: "Sitzungen",
      hint:
        "Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und sehen Sie dann Ihre Passkeys durch. Das Gerät ist das, als was sich der Browser ausgibt.",
      current: "Diese Sitzung",
      from: "Von",
      with: "Mit",
      since: "Seit",
      lastSeen: "Zuletzt gesehen",
      end: "Beenden",
      theSessionOf: (device) => `die Sitzung von ${device}`,
      endOthers: "Alle anderen Sitzungen beenden",
      everywhere: "Überall abmelden …",
      everywhereTitle: "Überall abmelden?",
      everywhereMeans:
        "Alle Sitzungen enden, auch diese. Anwendungen, denen Sie Zugang gegeben haben, behalten ihn, bis Sie ihn entziehen.",
      signOutEverywhere: "Überall abmelden",
      cancel: "Abbrechen",
    },
    applications: {
      title: "Anwendungen",
      hint:
        "Mit Ihren Schlüsseln können sie nichts tun, was nicht hier steht. Was Sie entziehen, endet sofort.",
      unfinished:
        "Ihre Sitzung war zu Ende; deshalb wurde nichts entzogen. Entziehen Sie den Zugang hier noch einmal.",
      withdrawn: (name) => html`„${name}“ hat keinen Zugang mehr.`,
      none: "Sie haben keiner Anwendung Zugang gegeben.",
      eachSees: "Jede von ihnen sieht:",
      sees: (keys) => keys === 1 ? "Sieht einen Ihrer Schlüssel" : `Sieht ${keys} Ihrer Schlüssel`,
      signsWith: (keys) =>
        keys === 1 ? "Signiert mit einem Ihrer Schlüssel" : `Signiert mit ${keys} Ihrer Schlüssel`,
      until: (time) => html`Spätestens bis ${time}`,
      since: "Seit",
      withdraw: "Zugang entziehen",
      from: (name) => `für ${name}`,
      means: "Sie verliert ihren Zugang sofort und muss Sie neu fragen.",
    },
  },
  scripts: {
    "passkeys": {
      loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
      added: "„{name}“ wurde hinzugefügt.",
      renamed: "Der Passkey heißt jetzt „{name}“.",
      deleted: "„{name}“ wurde gelöscht.",
      cannotMake:
        "Dieser Browser kann keine Passkeys erstellen. Um einen hinzuzufügen, aktualisieren Sie ihn, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
    },
    "account": {
      loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
      ended: "Die Sitzung von {device} ist beendet.",
      endedOthers: { one: "{count} Sitzung ist beendet.", other: "{count} Sitzungen sind beendet." },
    },
  },
};
