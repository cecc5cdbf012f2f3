import type { passkeyWords as English } from "../../en/scripts/passkey.ts";

const UNUSABLE =
  "Dieser Passkey lässt sich gerade nicht verwenden. Laden Sie die Seite neu, und versuchen Sie es noch einmal.";
const NOT_HERE =
  "Der Browser lässt unter dieser Adresse keinen Passkey zu. Öffnen Sie die Seite unter ihrem eigenen Namen, über https.";
const CANNOT_USE =
  "Dieses Gerät kann keine Passkeys verwenden. Versuchen Sie es mit einem anderen Gerät oder einem Sicherheitsschlüssel.";
const CANNOT_CHECK =
  "Dieses Gerät kann nicht prüfen, dass Sie es sind. Richten Sie eine Bildschirmsperre ein, oder verwenden Sie ein anderes Gerät.";

export const passkeyWords: typeof English = {
  refusals: {
    NotAllowedError: {
      create:
        "Es wurde kein Passkey erstellt: Der Vorgang wurde abgebrochen oder hat zu lange gedauert. Nichts hat sich geändert; versuchen Sie es noch einmal, wenn Sie so weit sind.",
      get:
        "Sie sind nicht angemeldet: Der Vorgang wurde abgebrochen, hat zu lange gedauert, oder dieses Gerät hat keinen Passkey für diese Seite.",
      confirm:
        "Es ist nichts geschehen: Die Bestätigung wurde abgebrochen, hat zu lange gedauert, oder dieses Gerät hat keinen Passkey Ihres Kontos. Alles ist, wie es war; versuchen Sie es noch einmal, wenn Sie so weit sind.",
    },
    InvalidStateError: {
      create:
        "Hier gibt es schon einen Passkey dieses Kontos. Um einen weiteren hinzuzufügen, wählen Sie ein anderes Gerät oder einen Sicherheitsschlüssel.",
      get: UNUSABLE,
      confirm: UNUSABLE,
    },
    SecurityError: { create: NOT_HERE, get: NOT_HERE, confirm: NOT_HERE },
    NotSupportedError: {
      create:
        "Dieses Gerät kann keinen Passkey von einer Art erstellen, die hier angenommen wird. Versuchen Sie es mit einem anderen Gerät oder einem Sicherheitsschlüssel.",
      get: CANNOT_USE,
      confirm: CANNOT_USE,
    },
    ConstraintError: { create: CANNOT_CHECK, get: CANNOT_CHECK, confirm: CANNOT_CHECK },
  },
  overtaken:
    "Es wurde kein Passkey erstellt: In einem anderen Tab wurde inzwischen ein anderes Konto begonnen. Laden Sie die Seite neu, um zu sehen, welches.",
  noSupport:
    "Dieser Browser kann keine Passkeys verwenden. Aktualisieren Sie ihn, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
  unknown:
    "Der Passkey hat nicht funktioniert. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
};
