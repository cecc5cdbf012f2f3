import type { en } from "./messages.en.ts";

export const de: typeof en = {
  notifications: {
    back: "Zurück zu Ihrem Konto",
    lead:
      "Ein Browser kann Sie benachrichtigen, wenn ein Programm um eine Signatur bittet, wenn eine Richtlinie eine verweigert und wenn sich jemand bei Ihrem Konto anmeldet.",
    content:
      "Eine Benachrichtigung nennt das Programm und die Art des Ereignisses, nie was signiert wird. Sie erreicht den Browser verschlüsselt, über den Push-Dienst seines Herstellers.",
    needsScript: "Benachrichtigungen brauchen JavaScript. Schalten Sie es dafür ein.",
    browsers: "Benachrichtigte Browser",
    off: "Dieser Dienst sendet keine Benachrichtigungen an Browser.",
    none: "Kein Browser wird benachrichtigt.",
    current: "Dieser Browser",
    since: "Seit",
    stop: "Beenden",
    inBrowser: (device) => `: Benachrichtigungen in ${device}`,
    notify: "Diesen Browser benachrichtigen",
  },
  scripts: {
    "notifications": {
      loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
      started: "Dieser Browser wird benachrichtigt, bis Sie sich hier abmelden.",
      stopped: "{device} wird nicht mehr benachrichtigt.",
      notSupported:
        "Dieser Browser kann keine Benachrichtigungen dieser Seite zeigen. Legen Sie die Seite auf einem iPhone oder iPad zuerst auf den Home-Bildschirm, und öffnen Sie sie dort.",
      notAllowed:
        "Dieser Browser lässt keine Benachrichtigungen dieser Seite zu. Erlauben Sie sie in den Einstellungen des Browsers.",
      noPushService:
        "Dieser Browser hat seinen Push-Dienst nicht erreicht. Versuchen Sie es später oder mit einem anderen Browser.",
    },
  },
};
