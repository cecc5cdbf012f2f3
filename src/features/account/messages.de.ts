import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  account: {
    title: "Konto",
    needsScript:
      "Passkeys verwalten und Sitzungen beenden geht nur mit JavaScript. Schalten Sie es dafür ein. Lesen, Zugänge entziehen und sich abmelden können Sie auch ohne.",
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
      latest: "Die neuesten Ereignisse in Ihrem Konto.",
      all: "Ganzer Verlauf",
      unverified:
        "Einige der neuesten Einträge ließen sich nicht prüfen. Das Protokoll wurde verändert. Benachrichtigen Sie den Betreiber.",
      none: "Keine Ereignisse.",
    },
    passkeys: {
      title: "Passkeys",
      onlyPasskey: (isMailed) =>
        `Nur mit Passkeys können Sie sich anmelden. Ist Ihre Anmeldung mehr als zehn Minuten her, bestätigen Sie das Hinzufügen und Löschen mit einem Passkey.${
          isMailed ? " Sie werden per Mail benachrichtigt." : ""
        }`,
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
        "Er ist noch nicht mit Ihren anderen Geräten synchronisiert. Schalten Sie die Synchronisierung in Ihrem Passwortmanager ein.",
      allLost: "Wenn Sie alle verlieren:",
      recoverySettings: "Wiederherstellung des Kontos",
      onlyOne: "Ihr einziger Passkey lässt sich nicht löschen. Fügen Sie zuerst einen weiteren hinzu.",
      addSecond: "Fügen Sie einen zweiten Passkey hinzu.",
      onlyIsSynced:
        "Dieser ist synchronisiert. Verlieren Sie den Passwortmanager oder dessen Konto, können Sie sich nicht mehr anmelden.",
      onlyIsNotSynced:
        "Dieser liegt nur auf einem Gerät. Verlieren Sie es, können Sie sich nicht mehr anmelden.",
      secondHelps:
        "Mit einem Passkey auf einem anderen Gerät oder einem Sicherheitsschlüssel bleiben Ihr Konto und seine Schlüssel erreichbar.",
      newName: html`Name eines neuen Passkeys <span class="optional">(freiwillig)</span>`,
      exampleName: "Blauer Sicherheitsschlüssel",
      add: "Passkey hinzufügen",
      storedAt:
        "Ihr Browser fragt, wo er ihn speichern soll: auf diesem Gerät, auf einem Telefon oder auf einem Sicherheitsschlüssel.",
      passkey: "Passkey",
      name: "Name",
      save: "Speichern",
      cancel: "Abbrechen",
      renameTitle: (passkey) => html`${passkey} umbenennen`,
      deleteTitle: (passkey) => html`${passkey} löschen?`,
      deleteMeans:
        "Sie können sich nicht mehr mit ihm anmelden, und jede Sitzung, die mit ihm begann, endet. Anwendungen behalten ihren Zugang. Löscht Ihr Browser ihn nicht auch in Ihrem Passwortmanager oder auf dem Gerät, tun Sie es selbst.",
      deleteCurrent:
        "Sie haben sich hier mit diesem Passkey angemeldet; deshalb werden Sie auch hier abgemeldet.",
    },
    sessions: {
      title: "Sitzungen",
      hint:
        "Wo Sie angemeldet sind. Erkennen Sie eine Sitzung nicht, beenden Sie sie, und prüfen Sie Ihre Passkeys. Das Gerät ist eine Angabe des Browsers.",
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
        "Alle Sitzungen enden, auch diese. Anwendungen behalten ihren Zugang, bis Sie ihn entziehen.",
      signOutEverywhere: "Überall abmelden",
      cancel: "Abbrechen",
    },
    applications: {
      title: "Anwendungen",
      hint:
        "Hier steht alles, was sie mit Ihren Schlüsseln tun können. Entziehen Sie einen Zugang, endet er sofort.",
      unfinished:
        "Ihre Sitzung war zu Ende; deshalb wurde nichts entzogen. Entziehen Sie den Zugang noch einmal.",
      withdrawn: (name) => html`„${name}“ hat keinen Zugang mehr.`,
      none: "Keine Anwendung hat Zugang zu Ihrem Konto.",
      itSees: "Sie sieht:",
      sees: (keys) => keys === 1 ? "Sieht einen Ihrer Schlüssel" : `Sieht ${keys} Ihrer Schlüssel`,
      signsWith: (keys) =>
        keys === 1 ? "Signiert mit einem Ihrer Schlüssel" : `Signiert mit ${keys} Ihrer Schlüssel`,
      until: (time) => html`Spätestens bis ${time}`,
      since: "Seit",
      stop: "Alles anhalten",
      withdraw: "Zugang entziehen",
      from: (name) => `für ${name}`,
      means: "Sie verliert ihren Zugang sofort und muss Sie noch einmal fragen.",
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
