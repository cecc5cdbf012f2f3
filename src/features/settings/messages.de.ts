import type { en } from "./messages.en.ts";

export const de: typeof en = {
  settings: {
    back: "Zurück zum Konto",
    needsScript:
      "Änderungen laufen hier über die Skripte dieser Seite. Schalten Sie dafür JavaScript ein; lesen können Sie ohne.",
    onThisPage: "Auf dieser Seite",
    name: "Name",
    nameHint:
      "Anwendungen, bei denen Sie sich anmelden, sehen ihn. Lassen Sie das Feld leer, wenn Sie keinen möchten.",
    save: "Speichern",
    email: "E-Mail-Adresse",
    emailNow: (email) => `Zurzeit: ${email}.`,
    emailNone: "Dieses Konto hat keine Adresse: Niemand erfährt, was darin geschieht.",
    emailHint:
      "An die neue Adresse geht ein Code. Die alte wird benachrichtigt und kann die Änderung sieben Tage lang zurücknehmen; so lange bekommt sie niemand anders.",
    emailNoMail: "Dieser Dienst verschickt keine E-Mails, daher lässt sich hier keine Adresse bestätigen.",
    newEmail: "Neue E-Mail-Adresse",
    sendCode: "Code senden",
    code: "Code",
    codeHint: "Sechs Ziffern. Er gilt einmal, fünf Minuten lang, in dieser Sitzung.",
    changeEmail: "Adresse ändern",
    otherAddress: "Andere Adresse verwenden",
    identities: "Andere Anbieter",
    identitiesHint:
      "Sie können bei der Anmeldung sagen, wer Sie sind; nach Ihrem Passkey wird trotzdem gefragt. Allein damit meldet sich niemand an.",
    noIdentities: "Kein anderer Anbieter ist verknüpft.",
    unlinked: "nicht mehr eingerichtet",
    since: "Verknüpft",
    unlink: "Verknüpfung lösen",
    unlinkWhat: (provider) => ` mit ${provider}`,
    link: (provider) => `Mit ${provider} verknüpfen`,
    linkOutcomes: {
      linked: (provider) => `${provider} ist mit Ihrem Konto verknüpft.`,
      already: (provider) => `Dieses Konto bei ${provider} war schon mit Ihrem verknüpft.`,
      taken: (provider) =>
        `Dieses Konto bei ${provider} gehört hier zu einem anderen Konto und bleibt dort. Nichts hat sich geändert.`,
    },
    export: "Ihre Daten",
    exportHint:
      "Alles, was über Sie bekannt ist, als eine JSON-Datei: Profil, die öffentlichen Teile der Passkeys, Sitzungen, Schlüssel mit Adressen und Index, Token, Anwendungen und Ihr Verlauf mit dem, was ihn belegt. Sie enthält kein Geheimnis und keinen privaten Schlüssel, aber wer sie liest, erfährt all das: Bewahren Sie sie gut auf.",
    exportButton: "Daten herunterladen",
    deletion: "Konto löschen",
    deletionHint:
      "Das dauert sieben Tage, und alle Sitzungen enden sofort. Wer sich bis dahin anmeldet, behält das Konto.",
    deletionKeys: (count) =>
      count === 1
        ? "Sein Schlüssel geht mit. Was dessen Adresse dann noch hält, kann nie mehr bewegt werden: Leeren Sie sie vorher, auf jeder Chain."
        : `Seine ${count} Schlüssel gehen mit. Was eine ihrer Adressen dann noch hält, kann nie mehr bewegt werden: Leeren Sie sie vorher, auf jeder Chain.`,
    deletionUntil:
      "Bis dahin signieren Programme und Anwendungen, die es dürfen, wie zuvor. Widerrufen Sie Token und Zugriffe, wo das nicht sein soll.",
    deletionRestore:
      "Schlüssel entstehen aus dem Wurzelgeheimnis des Dienstes und der Kennung des Kontos und sind nirgends gespeichert. Ein Betreiber, der eine Sicherung von vor der Löschung zurückspielt, hat das Konto wieder und kann seine Schlüssel neu herstellen; Ihre Daten darin sind so sicher wie diese Sicherungen.",
    deletionLog:
      "Was aufgezeichnet wurde, bleibt im Protokoll, nur unter der Kennung des Kontos: Ihre Adresse und Ihr Name standen nie darin.",
    confirm: (name) => `Geben Sie zur Bestätigung ${name} ein`,
    deleteButton: "Konto in sieben Tagen löschen",
    deletedTitle: "Ihr Konto wird gelöscht",
    deleted: "Sie sind überall abgemeldet. Weiter ist nichts zu tun.",
    deletedAt: "Es wird gelöscht am",
    deletedKeep: "Um es zu behalten, melden Sie sich vorher mit einem Passkey an.",
    signIn: "Anmelden und behalten",
  },
  revertEmail: {
    title: "Änderung zurücknehmen?",
    asks: "Das Konto, das diese E-Mail-Adresse hatte, hat jetzt eine andere. Waren das nicht Sie?",
    does:
      "Dann nehmen Sie die Änderung zurück: Das Konto hat wieder diese Adresse, und alle seine Sitzungen enden. Sollte es gelöscht werden, so bleibt es, und eine Wiederherstellung, die wartet, wird abgebrochen. Schlüssel, Passkeys, Token und Anwendungen bleiben, wie sie sind. Angemeldet werden Sie dadurch nicht.",
    button: "Zurücknehmen",
    leave: "Waren Sie es selbst, schließen Sie diese Seite: Dann wird nichts zurückgenommen.",
    doneTitle: "Die Änderung ist zurückgenommen",
    done:
      "Das Konto hat wieder seine alte Adresse, und alle Sitzungen sind beendet. Melden Sie sich mit Ihrem Passkey an und sehen Sie Ihre Passkeys, Token und Anwendungen durch: Wer die Adresse geändert hat, kann etwas hinzugefügt haben.",
    signIn: "Anmelden",
  },
  scripts: {
    "settings": {
      saved: "Gespeichert.",
      codeSent: "Ein Code ist unterwegs an {email}.",
      sixDigits: "Der Code hat sechs Ziffern.",
      changed: "Ihre E-Mail-Adresse ist jetzt {email}. Die alte wird benachrichtigt.",
      unlinked: "Die Verknüpfung mit {provider} ist gelöst.",
      exported: "Die Datei ist fertig: Ihr Browser hat sie gespeichert.",
    },
  },
};
