import type {
  accountPasskeysWords as EnglishPasskeys,
  accountSessionsWords as EnglishSessions,
} from "../../en/scripts/account.ts";

export const accountPasskeysWords: typeof EnglishPasskeys = {
  loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
  added: "„{name}“ wurde hinzugefügt.",
  renamed: "Der Passkey heißt jetzt „{name}“.",
  deleted: "„{name}“ wurde gelöscht.",
  cannotMake:
    "Dieser Browser kann keine Passkeys erstellen. Um einen hinzuzufügen, aktualisieren Sie ihn, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
};

export const accountSessionsWords: typeof EnglishSessions = {
  loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
  ended: "Die Sitzung von {device} ist beendet.",
  endedOthers: { one: "{count} Sitzung ist beendet.", other: "{count} Sitzungen sind beendet." },
};
