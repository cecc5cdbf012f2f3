import type { en } from "./messages.en.ts";

export const de: typeof en = {
  settings: {
    back: "Zurück zum Konto",
    needsScript:
      "Änderungen brauchen hier JavaScript. Schalten Sie es dafür ein. Lesen können Sie auch ohne.",
    onThisPage: "Auf dieser Seite",
    name: "Name",
    nameHint:
      "Anwendungen, bei denen Sie sich anmelden, sehen ihn. Lassen Sie das Feld leer, wenn Sie keinen möchten.",
    save: "Speichern",
    email: "E-Mail-Adresse",
    emailNow: (email) => `Zurzeit: ${email}.`,
    emailNone:
      "Dieses Konto hat keine E-Mail-Adresse; deshalb werden Sie über Ereignisse darin nicht benachrichtigt.",
    emailHint:
      "Wir senden einen Code an die neue Adresse. Die alte wird benachrichtigt und kann die Änderung sieben Tage lang rückgängig machen. So lange kann kein anderes Konto sie verwenden. Haben Sie die Adresse in den letzten sieben Tagen schon geändert, macht stattdessen der Link in der früheren E-Mail beide Änderungen rückgängig.",
    emailNoMail: "Dieser Dienst sendet keine Mails und kann deshalb keine Adresse bestätigen.",
    newEmail: "Neue E-Mail-Adresse",
    sendCode: "Code senden",
    code: "Code",
    codeHint: "Sechs Ziffern. Er gilt einmal, fünf Minuten lang, in dieser Sitzung.",
    changeEmail: "Adresse ändern",
    otherAddress: "Andere Adresse verwenden",
    identities: "Andere Anbieter",
    identitiesHint:
      "Sie können bei der Anmeldung bestätigen, wer Sie sind. Ihren Passkey brauchen Sie immer auch.",
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
      "Alles, was der Dienst über Sie weiß, als eine JSON-Datei: Profil, die öffentlichen Teile der Passkeys, Sitzungen, Schlüssel mit Adressen und Index, Token, Anwendungen und Ihr Verlauf mit seinem Nachweis. Sie enthält kein Geheimnis und keinen privaten Schlüssel. Wer sie liest, erfährt all das; bewahren Sie sie also sicher auf.",
    exportButton: "Daten herunterladen",
    deletion: "Konto löschen",
    deletionHint:
      "Alle Sitzungen enden sofort, und das Konto wird nach sieben Tagen gelöscht. Um es zu behalten, melden Sie sich vorher an.",
    deletionKeys: (count) =>
      count === 1
        ? "Sein Schlüssel wird mit gelöscht. Was dann noch an dessen Adresse liegt, lässt sich nie mehr bewegen. Leeren Sie sie vorher, auf jeder Chain."
        : `Seine ${count} Schlüssel werden mit gelöscht. Was dann noch an ihren Adressen liegt, lässt sich nie mehr bewegen. Leeren Sie sie vorher, auf jeder Chain.`,
    deletionUntil:
      "Bis dahin können Programme und Anwendungen wie zuvor signieren. Sollen sie das nicht, widerrufen Sie ihre Token und entziehen Sie ihnen den Zugang.",
    deletionRestore:
      "Schlüssel werden aus dem Wurzelgeheimnis des Dienstes und der Kennung des Kontos abgeleitet und nicht gespeichert. Spielt der Betreiber eine Sicherung von vor der Löschung zurück, stellt er auch das Konto und seine Schlüssel wieder her. Ihre Daten in solchen Sicherungen sind so sicher wie diese selbst.",
    deletionLog:
      "Das Protokoll behält seine Einträge, nur unter der Kennung des Kontos. Ihre Adresse und Ihr Name standen nie darin.",
    confirm: (name) => `Geben Sie zur Bestätigung ${name} ein`,
    deleteButton: "Konto in sieben Tagen löschen",
    deletedTitle: "Ihr Konto wird gelöscht",
    deleted: "Sie sind überall abgemeldet. Weiter ist nichts zu tun.",
    deletedAt: "Es wird gelöscht am",
    deletedKeep: "Um es zu behalten, melden Sie sich vorher mit einem Passkey an.",
    signIn: "Anmelden und behalten",
  },
  revertEmail: {
    title: "Änderung rückgängig machen?",
    asks: "Das Konto mit dieser E-Mail-Adresse hat eine andere Adresse bekommen. Waren Sie das nicht?",
    does:
      "Dann machen Sie die Änderung rückgängig. Das Konto hat wieder diese Adresse, und alle seine Sitzungen enden. Eine ausstehende Löschung oder eine laufende Wiederherstellung des Kontos wird abgebrochen. Schlüssel, Passkeys, Token und Anwendungen bleiben, wie sie sind. Angemeldet werden Sie dadurch nicht.",
    button: "Änderung rückgängig machen",
    leave: "Waren Sie es selbst, schließen Sie diese Seite. Dann ändert sich nichts.",
    doneTitle: "Die Änderung wurde rückgängig gemacht",
    done:
      "Das Konto hat wieder seine alte Adresse, und alle Sitzungen sind beendet. Melden Sie sich mit Ihrem Passkey an, und prüfen Sie Ihre Passkeys, Token und Anwendungen. Wer die Adresse geändert hat, kann etwas hinzugefügt haben.",
    signIn: "Anmelden",
  },
  scripts: {
    "settings": {
      saved: "Gespeichert.",
      codeSent: "Wir haben einen Code an {email} gesendet.",
      sixDigits: "Der Code hat sechs Ziffern.",
      changed: "Ihre E-Mail-Adresse ist jetzt {email}. Die alte wird benachrichtigt.",
      unlinked: "Die Verknüpfung mit {provider} ist gelöst.",
      exported: "Ihr Browser hat die Datei gespeichert.",
    },
  },
};
