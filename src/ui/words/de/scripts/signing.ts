import type {
  explanationWords as EnglishExplanation,
  intentWords as EnglishIntent,
  signedWords as EnglishSigned,
  signRequestWords as EnglishSignRequest,
  signScriptWords as EnglishSign,
} from "../../en/scripts/signing.ts";

export const intentWords: typeof EnglishIntent = {
  levels: { red: "Gefahr", amber: "Achtung" },
  recognisedBy: "Erkannt an:",
};

export const explanationWords: typeof EnglishExplanation = {
  empty: "leer",
  absent: "fehlt",
  none: "keine",
  nothing: "Nichts",
  number: "Nr. {number}",
  showAll: "Alle {count} zeigen",
  forApplication: "Für die Anwendung",
  typeAndHashes: "Typ und Hashes",
  type: "Typ",
  domainSeparator: "Trenner der Domain",
  messageHash: "Hash der Nachricht",
  transaction: "Transaktion",
  bytesAndCost: "Bytes und Kosten",
  unsigned: "Unsignierte Bytes",
  gasMost: "Was Gas höchstens kosten kann, in Wei",
  authorization: "Ermächtigung",
  messages: {
    personal_sign: "Dieser Text",
    personal_bytes: "Eine Nachricht aus diesen Bytes",
    raw: "Der Keccak-256-Hash dieser Bytes, blind",
    digest: "Diese 32 Bytes, wie sie sind, blind",
  },
  digest: "Digest",
};

export const signScriptWords: typeof EnglishSign = {
  allFields: "Alle Felder",
  digest: "Digest",
  sign: "Signieren",
  signAnyway: "Trotzdem signieren",
  sessionEnded: "Ihre Sitzung war zu Ende; deshalb wurde nichts signiert.",
  stillHere: "Was Sie geschrieben hatten, ist noch da.",
  readAsOther: "Der Dienst liest das als etwas anderes. Wählen Sie oben, was es ist.",
  notWhatWasShown:
    "Was signiert wurde, ist nicht, was gezeigt wurde. Verwenden Sie diesen Dienst nicht, bis Sie wissen, warum.",
};

export const signRequestWords: typeof EnglishSignRequest = {
  labels: {
    personal_sign: "Nachricht",
    typed_data: "Typisierte Daten als JSON",
    transaction: "Transaktion als JSON oder unsigniert als 0x und Hex",
    authorization: "Ermächtigung als JSON",
    personal_bytes: "Bytes der Nachricht als 0x und Hex",
    raw: "Bytes als 0x und Hex",
    digest: "Digest als 0x und 64 Hex-Ziffern",
  },
  values: {
    serializedTransaction: ["Signierte Transaktion", "die signierte Transaktion"],
    transactionHash: ["Hash der Transaktion", "den Hash der Transaktion"],
    authorization: ["Signierte Ermächtigung", "die signierte Ermächtigung"],
    signature: ["Signatur", "die Signatur"],
    digest: ["Digest", "den Digest"],
  },
};

export const signedWords: typeof EnglishSigned = { copy: "Kopieren", quoted: "„{text}“" };
