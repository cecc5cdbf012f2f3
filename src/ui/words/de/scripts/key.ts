import type {
  attestationWords as EnglishAttestation,
  keyScriptWords as EnglishKey,
  offerWords as EnglishOffer,
  recogniseWords as EnglishRecognise,
} from "../../en/scripts/key.ts";

export const keyScriptWords: typeof EnglishKey = {
  labelSaved: "Bezeichnung gespeichert.",
  blindSigningSaved: "Blindes Signieren gespeichert.",
};

export const offerWords: typeof EnglishOffer = {
  looksLike: "Das sieht aus wie {what}. Übernehmen?",
  use: "Übernehmen",
};

export const recogniseWords: typeof EnglishRecognise = {
  kinds: {
    personal_sign: "eine Nachricht",
    personal_bytes: "eine Nachricht aus Bytes",
    typed_data: "typisierte Daten",
    transaction: "eine Transaktion",
    authorization: "eine Ermächtigung (EIP-7702)",
  },
  askedOf:
    "Verlangt wurde die Signatur von {whom}, nicht von diesem Schlüssel: Ein anderes Konto würde signieren.",
  noAddress: "etwas, das keine Adresse ist",
  missing: "Es fehlt: {members}. Hier wird keine Chain gefragt: Tragen Sie ein, was fehlt.",
  notSent: "Sie wird signiert, nicht gesendet.",
};

export const attestationWords: typeof EnglishAttestation = {
  notOurs:
    "Dieses Zeugnis betrifft nicht diesen Schlüssel oder ist nicht neu. Verlassen Sie sich nicht darauf.",
  simulated:
    "Simuliert. Dieser Dienst läuft nicht in einer vertrauenswürdigen Ausführungs\u00ADumgebung: Das Zeugnis hat die richtige Form, beweist aber nichts, und wer den Rechner betreibt, könnte die Schlüssel lesen.",
  tee:
    "Der Dienst sagt, dass er in einer vertrauenswürdigen Ausführungs\u00ADumgebung läuft. Ihr Browser hat das Zeugnis nicht geprüft: Prüfen Sie es mit einem Programm, dem Sie vertrauen.",
  thisKey: "Es betrifft diesen Schlüssel.",
  anotherKey: "Es betrifft einen anderen Schlüssel.",
  isNew: "Es ist neu: Es wiederholt die Zufallszahl Ihres Browsers.",
  mayBeOld: "Es kann ein altes sein.",
  keyProvider:
    "Der Schlüssel der Versiegelung, aus dem sich jeder Schlüssel ableiten lässt, kommt von: {provider}.",
  nobody: "niemand genannt",
  hasPolicy: "Der Schlüssel signiert, was seine Richtlinie erlaubt.",
  hasNoPolicy: "Der Schlüssel darf alles signieren.",
};
