import { html, type HtmlValue } from "../../lib/html.ts";

export type SignKind =
  | "personal_sign"
  | "typed_data"
  | "transaction"
  | "authorization"
  | "personal_bytes"
  | "raw"
  | "digest";

export const en = {
  keys: {
    title: "Keys",
    orders: { newest: "Newest first", name: "By name", used: "Last used first" },
    archived: "Archived",
    made: "Made",
    lastUsed: "Last used",
    theAddressOf: (label: string) => `the address of ${label}`,
    newKey: "New key",
    label: html`Label <span class="optional">(optional)</span>`,
    exampleLabel: "Treasury",
    create: "Create key",
    search: "Label or address",
    order: "Order",
    show: "Show",
    notFound: (messages: HtmlValue) => html`No key has “${messages}” in its label or address.`,
    showAll: "Show all keys",
    none: "You have no keys yet. Make one with “New key”.",
    allArchived: "All keys are archived.",
    showThem: "Show them",
    pages: "Pages",
    before: "Before",
    next: "Next",
    page: (page: number, pages: number, found: number) => `Page ${page} of ${pages}, ${found} keys`,
    showArchived: "Show archived keys",
    hideArchived: "Hide archived keys",
    steps: {
      title: "First steps",
      done: "done",
      passkey: ["Add a second passkey", ": nobody can reset one that is lost"],
      sign: ["Sign something", ": you are shown what it means first"],
      quote: ["Save a quote", ": what vouches for the program that holds your keys"],
      token: ["Make a token", ": for a program that signs with your keys"],
    },
  },
  key: {
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
      confirmation: (label: HtmlValue) => html`Archive ${label}?`,
      means: "It stops signing and leaves the list. Nothing is deleted, and it can be brought back.",
    },
    unarchive: {
      verb: "Unarchive",
      title: "Unarchive this key",
      confirmation: (label: HtmlValue) => html`Unarchive ${label}?`,
      means: "It can sign again, and is listed again. Nothing else changes.",
    },
    cancel: "Cancel",
    signatures: "Signatures",
    latest: "The latest of this key.",
    all: "All that it did",
    none: "It has signed nothing lately.",
    attestation: {
      title: "Attestation",
      inTee: (provider: HtmlValue) =>
        html`In a TEE: ${provider}, says the service. A quote lets you check it.`,
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
        "What each check proves, and what to compare the measurements with, is in docs/why/attestation.md there.",
      saveAgain: "Save it again",
      asItIs: "Random number, claims and quote as they are",
      nonce: "Your browser’s random number",
      claims: "Claims",
      theClaims: "the claims",
      quote: "Quote",
      theQuote: "the quote",
    },
  },
  policy: {
    title: "Policy",
    locked: "Locked",
    hint: "What this key may sign, whoever asks. It is in its quotes, for others to check.",
    anything: "Anything that you ask for, or a program or application that may use it.",
    templates: {
      nothing: "Nothing at all",
      signIn: "Sign in to one site",
      ether: "Send ether to one address",
    },
    looserWaits: "A looser policy waits",
    from: (time: HtmlValue) => html`From ${time} on:`,
    notYou: "If you did not ask for this, cancel it, and look at your passkeys and sessions.",
    cancelChange: "Cancel the change",
    asDocument: "As a document, and its hash",
    hash: "Hash",
    theHash: "the hash",
    policy: "Policy",
    thePolicy: "the policy",
    set: "Set a policy",
    change: "Change the policy",
    beginWith: "Begin with",
    empty: "An empty document",
    present: "The present policy",
    asJson: "Policy, as JSON",
    formHint:
      html`What no rule allows is refused, to you as well. A tighter policy counts at once. A looser one asks for a passkey, and waits for the hours that <code>delayHours</code> of the present policy says. <code>"locked": true</code> is for ever. docs/reference/policies.md has the vocabulary.`,
    save: "Save the policy",
    remove: "Remove it",
    lockTitle: "Lock this policy for ever?",
    lockMeans:
      "From then on it can only become tighter. Nobody can loosen or remove it, you and the operator included: what it does not allow, this key never signs again. What the address holds may be out of reach for good.",
    lock: "Lock it for ever",
    cancel: "Cancel",
  },
  sign: {
    title: "Sign",
    what: "What to sign",
    kinds: {
      personal_sign: [
        "Text",
        "A message for people to read (EIP-191). Always text, even where it looks like hex.",
      ],
      typed_data: ["Typed data", "A document that applications ask for, as JSON (EIP-712)."],
      transaction: [
        "Transaction",
        "Its members with type, chainId and nonce as JSON, or its unsigned bytes as 0x and hex. Signed, not sent.",
      ],
      authorization: [
        "Authorization",
        "chainId, address and nonce as JSON (EIP-7702): this address runs the code of that one from then on.",
      ],
      personal_bytes: [
        "Message bytes",
        "A message of bytes (EIP-191), 0x and hex. 32 bytes may be what a contract wallet takes for your consent.",
      ],
      raw: ["Raw bytes", "Blind: the Keccak-256 hash of these bytes, 0x and hex."],
      digest: ["Digest", "Blind: 32 bytes, signed as they are, 0x and hex."],
    } as Readonly<Record<SignKind, readonly [name: string, hint: string]>>,
    change: "Change it",
    sign: "Sign",
    willBeSigned: "What will be signed",
    signed: "Signed",
    signedWhat: (what: HtmlValue, key: HtmlValue) => html`${what} with ${key}`,
    again: "New message",
    blind:
      "Blind signing. Nobody can tell what these bytes stand for: it may be a transaction that empties this address. Go on only if you made them yourself.",
    message: "Message",
    review: "Review",
    archived: "This key is archived, so it does not sign. Unarchive it under Settings to use it again.",
  },
  scripts: {
    "attestation": {
      notOurs: "This quote is not about this key, or not new. Do not rely on it.",
      simulated:
        "Simulated. This service does not run in a trusted execution environment: the quote has the right form but proves nothing, and whoever runs the machine could read the keys.",
      tee:
        "The service says that it runs in a trusted execution environment. Your browser has not checked the quote: check it with a verifier that you trust.",
      thisKey: "It is about this key.",
      anotherKey: "It is about another key.",
      isNew: "It is new: it repeats your browser’s random number.",
      mayBeOld: "It may be an old one.",
      keyProvider: "The sealing key, by which every key can be derived, comes from: {provider}.",
      nobody: "nobody named",
      hasPolicy: "The key signs what its policy allows.",
      hasNoPolicy: "The key may sign anything.",
    },
    "key": {
      saved: { label: "Label saved.", blindSigning: "Blind signing saved." },
    },
    "keys": { done: "done" },
    "offer": { looksLike: "This looks like {what}. Use it?", use: "Use it" },
    "detect-payload": {
      kinds: {
        personal_sign: "a message",
        personal_bytes: "a message of bytes",
        typed_data: "typed data",
        transaction: "a transaction",
        authorization: "an authorization (EIP-7702)",
      },
      askedOf: "It was asked of {whom}, which is not this key: another account would sign.",
      noAddress: "something that is no address",
      missing: "It does not say {members}. No chain is asked here: write what is missing into it.",
      notSent: "It will be signed, and not sent.",
    },
    "sign-form": {
      sign: "Sign",
      signAnyway: "Sign anyway",
      sessionEnded: "Your session had ended, so nothing was signed.",
      stillHere: "What you had written is still here.",
      readAsOther: "The service reads this as something else. Choose above what it is.",
      notWhatWasShown: "What was signed is not what was shown. Do not use this service until you know why.",
    },
    "signed": { copy: "Copy" },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
