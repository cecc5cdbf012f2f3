import { de as kit } from "../../ui/messages.de.ts";
import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

const signed = kit.scripts["sign-request"].values;

export const de: typeof en = {
  requests: {
    title: "Anfragen",
    kinds: {
      personal_sign: "Eine Nachricht",
      raw: "Rohe Bytes",
      digest: "Ein Digest",
      typed_data: "Typisierte Daten",
      transaction: "Eine Transaktion",
      authorization: "Eine Ermächtigung",
    },
    with: "Mit",
    from: "Von",
    requestedAt: "Angefragt",
    ends: "Endet",
    hint: (activity) =>
      html`Signaturen, die Ihre Freigabe brauchen. Nichts wird signiert, wenn Sie es nicht mit einem Passkey freigeben. Frühere Anfragen stehen im ${
        activity("Verlauf")
      }.`,
    none: "Keine Anfrage ist offen.",
    requesters: {
      owner: html`Sie bitten`,
      token: (name) => html`Das Programm mit dem Token ${name} bittet`,
      application: (name) => html`Die Anwendung ${name} bittet`,
    },
    purpose: (purpose) => html`Als Grund gibt es an: ${purpose}. Das ist seine eigene Angabe.`,
    asksFor: (requester, key) => html`${requester} um eine Signatur mit dem Schlüssel ${key}.`,
    statuses: {
      pending: "Offen",
      signed: "Signiert",
      declined: "Abgelehnt",
      refused: "Verweigert",
      withdrawn: "Zurückgezogen",
      expired: "Abgelaufen",
    },
    whoAsks: "Wer bittet",
    address: "Adresse",
    why: "Warum Sie gefragt werden",
    cannotApprove: (reason) => html`Das lässt sich nicht freigeben: ${reason}.`,
    anyway: "Ich habe die oben genannten Gefahren gelesen und will diese Signatur trotzdem",
    approve: "Mit Passkey freigeben",
    word: html`Eine Nachricht an den Anfragenden <span class="optional">(freiwillig)</span>`,
    decline: "Ablehnen",
    yourComment: "Sie sagten:",
    outcome: "Ergebnis",
    values: {
      signature: signed.signature,
      serializedTransaction: signed.serializedTransaction,
      hash: signed.transactionHash,
      r: ["r", "r"],
      s: ["s", "s"],
      yParity: ["yParity", "yParity"],
    },
    waits: "Eine Signatur braucht Ihre Freigabe",
    wasAsked: "Eine angefragte Signatur",
    willBeSigned: "Was signiert wird",
    wasSigned: "Was signiert wurde",
  },
};
