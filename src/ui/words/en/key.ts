import { html } from "../../../lib/html.ts";
import type { HtmlValue } from "../../../lib/html.ts";

/** The page of a key: what it is, its settings, its signatures and its attestation. */
export const keyWords = {
  keys: "Keys",
  key: "Key",
  archived: "Archived",
  address: "Address",
  theAddress: "the address",
  made: "Made",
  lastSignature: "Last signature",
  noneLately: "None lately",
  index: "Index",
  qr: "QR code of the address",
  forWallets: "For the camera of a wallet (EIP-681).",
  publicAndId: "Public key and identifier",
  publicKey: "Public key",
  thePublicKey: "the public key",
  id: "Identifier",
  theId: "the identifier",
  settings: "Settings",
  label: "Label",
  save: "Save",
  saveLabel: "label",
  saveBlindSigning: "blind signing",
  blindSigning: "Blind signing",
  blindSigningIs: { allow: "Allow", guard: "Guard", deny: "Deny" },
  blindSigningHint:
    "Raw bytes, digests and messages of bytes are blind: nobody can see what they stand for. Guard refuses digests, bytes that look like a transaction, and messages of 32 bytes; Deny refuses all three. Loosening this needs a sign-in of the last ten minutes.",
  archive: {
    verb: "Archive",
    title: "Archive this key",
    question: (label: HtmlValue) => html`Archive ${label}?`,
    means: "It stops signing and leaves the list. Nothing is deleted, and it can be brought back.",
  },
  unarchive: {
    verb: "Unarchive",
    title: "Unarchive this key",
    question: (label: HtmlValue) => html`Unarchive ${label}?`,
    means: "It can sign again, and is listed again. Nothing else changes.",
  },
  cancel: "Cancel",
  signatures: "Signatures",
  latest: "The latest of this key.",
  all: "All that it did",
  none: "It has signed nothing lately.",
  attestation: {
    title: "Attestation",
    inTee: (provider: HtmlValue) => html`In a TEE: ${provider}, says the service. A quote lets you check it.`,
    simulated:
      html`<strong>Simulated.</strong> This service does not run in a trusted execution environment: a quote has the right form but proves nothing.`,
    what:
      "A quote is the hardware’s statement about the program that holds this key. Your browser adds a random number, so that an old quote cannot be shown again.",
    save: "Save a quote",
    check:
      "Check it yourself: beside the saved file, on your own machine, in sources of Holdfast that you trust",
    command: "Command",
    theCommand: "the command",
    proves:
      "What each check proves, and what to compare the measurements with, is in docs/attestation.md there.",
    saveAgain: "Save it again",
    asItIs: "Random number, claims and quote as they are",
    nonce: "Your browser’s random number",
    claims: "Claims",
    theClaims: "the claims",
    quote: "Quote",
    theQuote: "the quote",
  },
};
