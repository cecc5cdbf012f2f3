import type { en } from "./messages.en.ts";

export const de: typeof en = {
  webhooks: {
    title: "Webhooks",
    lead: "Server, die Ereignisse Ihres Kontos erhalten, signiert nach Standard Webhooks.",
    adminLead: "Server, die Ereignisse aller Konten erhalten, signiert nach Standard Webhooks.",
    add: "Webhook hinzufügen",
    url: "Adresse Ihres Servers",
    which: "Ereignisse",
    signature: "Signatur",
    signatures: {
      hmac: "HMAC, mit einem gemeinsamen Geheimnis",
      ed25519: "Ed25519, mit einem öffentlichen Schlüssel",
    },
    names: "Namen von Ereignissen des Audit-Logs, durch Leerzeichen getrennt.",
    faults: {
      url: "Diese Adresse ist hier nicht erlaubt, oder ihr Server wird nicht gefunden.",
      events: "Nennen Sie Ereignisse des Audit-Logs, jedes einmal.",
    },
    addedNow: "Der Webhook wurde hinzugefügt.",
    theSecret: "das Geheimnis",
    shownOnce: "Mit diesem Geheimnis werden Zustellungen geprüft. Es wird nur jetzt gezeigt.",
    none: "Es gibt keinen Webhook.",
    noDeliveries: "Noch wurde nichts gesendet.",
    deliveries: "Letzte Zustellungen",
    events: "Ereignisse:",
    since: "Hinzugefügt",
    remove: "Löschen",
    removal: "Auch seine Zustellungen werden gelöscht, und er erhält nichts mehr.",
    sendAgain: "Noch einmal senden",
    states: { waiting: "wartet", delivered: "zugestellt", failed: "gescheitert" },
    attempts: (count: number) => count === 1 ? "1 Versuch" : `${count} Versuche`,
    next: "nächster",
    publicKey: "Öffentlicher Schlüssel:",
    status: (code) => `Status ${code}`,
    results: {
      "too slow": "zu langsam",
      unreachable: "nicht erreichbar",
      "its host is not allowed": "der Server ist nicht erlaubt",
      "its account is disabled": "das Konto ist gesperrt",
    },
  },
  scripts: {
    "webhooks": {
      added: "Der Webhook wurde hinzugefügt.",
      loadAgain: "Laden Sie die Seite neu, um ihn zu sehen.",
    },
  },
};
