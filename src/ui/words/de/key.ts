import { html } from "../../../lib/html.ts";
import type { keyWords as English } from "../en/key.ts";

export const keyWords: typeof English = {
  keys: "Schlüssel",
  key: "Schlüssel",
  archived: "Archiviert",
  address: "Adresse",
  theAddress: "die Adresse",
  made: "Erstellt",
  lastSignature: "Letzte Signatur",
  noneLately: "In letzter Zeit keine",
  index: "Index",
  qr: "QR-Code der Adresse",
  forWallets: "Für die Kamera einer Wallet (EIP-681).",
  publicAndId: "Öffentlicher Schlüssel und Kennung",
  publicKey: "Öffentlicher Schlüssel",
  thePublicKey: "den öffentlichen Schlüssel",
  id: "Kennung",
  theId: "die Kennung",
  settings: "Einstellungen",
  label: "Bezeichnung",
  save: "Speichern",
  saveLabel: "(Bezeichnung)",
  saveBlindSigning: "(blindes Signieren)",
  blindSigning: "Blindes Signieren",
  blindSigningIs: { allow: "Erlauben", guard: "Vorsicht", deny: "Ablehnen" },
  blindSigningHint:
    "Rohe Bytes, Digests und Nachrichten aus Bytes sind blind: Niemand sieht, wofür sie stehen. „Vorsicht“ lehnt Digests ab, Bytes, die wie eine Transaktion aussehen, und Nachrichten von 32 Bytes; „Ablehnen“ lehnt alle drei Arten ab. Wer das lockern will, muss sich in den letzten zehn Minuten angemeldet haben.",
  archive: {
    verb: "Archivieren",
    title: "Diesen Schlüssel archivieren",
    question: (label) => html`${label} archivieren?`,
    means:
      "Er signiert nicht mehr und verlässt die Liste. Nichts wird gelöscht, und er lässt sich zurückholen.",
  },
  unarchive: {
    verb: "Zurückholen",
    title: "Diesen Schlüssel zurückholen",
    question: (label) => html`${label} zurückholen?`,
    means: "Er kann wieder signieren und steht wieder in der Liste. Sonst ändert sich nichts.",
  },
  cancel: "Abbrechen",
  signatures: "Signaturen",
  latest: "Die neuesten dieses Schlüssels.",
  all: "Alles, was er getan hat",
  none: "In letzter Zeit hat er nichts signiert.",
  attestation: {
    title: "Beglaubigung",
    inTee: (provider) =>
      html`In einem TEE: ${provider}, sagt der Dienst. Mit einem Zeugnis können Sie es prüfen.`,
    simulated:
      html`<strong>Simuliert.</strong> Dieser Dienst läuft nicht in einer vertrauenswürdigen Ausführungs&shy;umgebung: Ein Zeugnis hat die richtige Form, beweist aber nichts.`,
    what:
      "Ein Zeugnis (quote) ist die Aussage der Hardware über das Programm, das diesen Schlüssel verwahrt. Ihr Browser gibt eine Zufallszahl dazu, damit niemand ein altes Zeugnis noch einmal zeigen kann.",
    save: "Zeugnis speichern",
    check:
      "Prüfen Sie es selbst: neben der gespeicherten Datei, auf Ihrem eigenen Rechner, in Quellen von Holdfast, denen Sie vertrauen",
    command: "Befehl",
    theCommand: "den Befehl",
    proves:
      "Was jede Prüfung beweist und womit die Messwerte zu vergleichen sind, steht dort in docs/attestation.md.",
    saveAgain: "Noch einmal speichern",
    asItIs: "Zufallszahl, Angaben und Zeugnis, wie sie sind",
    nonce: "Die Zufallszahl Ihres Browsers",
    claims: "Angaben",
    theClaims: "die Angaben",
    quote: "Zeugnis",
    theQuote: "das Zeugnis",
  },
};
