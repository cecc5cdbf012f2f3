import { html } from "../../../lib/html.ts";
import type { signWords as English } from "../en/sign.ts";

export const signWords: typeof English = {
  title: "Signieren",
  what: "Was signiert werden soll",
  kinds: {
    personal_sign: [
      "Text",
      "Eine Nachricht, die Menschen lesen (EIP-191). Immer Text, auch wo es nach Hex aussieht.",
    ],
    typed_data: ["Typisierte Daten", "Ein Dokument, um das Anwendungen bitten, als JSON (EIP-712)."],
    transaction: [
      "Transaktion",
      "Ihre Felder mit type, chainId und nonce als JSON oder ihre unsignierten Bytes als 0x und Hex. Signiert, nicht gesendet.",
    ],
    authorization: [
      "Ermächtigung",
      "chainId, address und nonce als JSON (EIP-7702): Diese Adresse führt von da an den Code der anderen aus.",
    ],
    personal_bytes: [
      "Nachricht aus Bytes",
      "Eine Nachricht aus Bytes (EIP-191), 0x und Hex. 32 Bytes können sein, was eine Vertrags-Wallet als Ihre Zustimmung nimmt.",
    ],
    raw: ["Rohe Bytes", "Blind: der Keccak-256-Hash dieser Bytes, 0x und Hex."],
    digest: ["Digest", "Blind: 32 Bytes, signiert, wie sie sind, 0x und Hex."],
  },
  change: "Ändern",
  sign: "Signieren",
  willBeSigned: "Was signiert wird",
  allFields: "Alle Felder",
  digest: "Digest",
  anyway: "Ich habe gelesen, was oben als Gefahr bezeichnet ist, und will diese Signatur trotzdem",
  signed: "Signiert",
  signedWhat: (what, key) => html`Mit ${key}: ${what}`,
  again: "Neue Nachricht",
  blind:
    "Blindes Signieren. Niemand kann sagen, wofür diese Bytes stehen: Es kann eine Transaktion sein, die diese Adresse leert. Fahren Sie nur fort, wenn Sie sie selbst erstellt haben.",
  message: "Nachricht",
  review: "Prüfen",
  archived:
    "Dieser Schlüssel ist archiviert und signiert deshalb nicht. Holen Sie ihn unter „Einstellungen“ zurück, um ihn wieder zu verwenden.",
};
