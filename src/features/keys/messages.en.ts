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
    made: "Created",
    lastUsed: "Last used",
    theAddressOf: (label: string) => `the address of ${label}`,
    newKey: "New key",
    label: html`Label <span class="optional">(optional)</span>`,
    exampleLabel: "Treasury",
    create: "Create key",
    search: "Label or address",
    order: "Order",
    show: "Show",
    notFound: (search: HtmlValue) => html`No key has “${search}” in its label or address.`,
    showAll: "Show all keys",
    none: "You have no keys yet. Create one with “New key”.",
    allArchived: "All keys are archived.",
    showThem: "Show them",
    pages: "Pages",
    before: "Previous",
    next: "Next",
    page: (page: number, pages: number, found: number) => `Page ${page} of ${pages}, ${found} keys`,
    showArchived: "Show archived keys",
    hideArchived: "Hide archived keys",
    steps: {
      title: "First steps",
      done: "done",
      passkey: ["Add a second passkey", ": a lost passkey cannot be reset"],
      sign: ["Sign something", ": you see what it means first"],
      quote: ["Save a quote", ": evidence about the program that holds your keys"],
      token: ["Create a token", ": for a program that signs with your keys"],
    },
  },
  key: {
    keys: "Keys",
    key: "Key",
    archived: "Archived",
    address: "Address",
    theAddress: "the address",
    made: "Created",
    lastSignature: "Last signature",
    noneLately: "None recently",
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
      "The meaning of raw bytes, digests and messages of bytes cannot be shown: signing them is blind. Guard refuses digests, bytes that look like a transaction, and messages of 32 bytes. Deny refuses all three. Loosening this asks for a passkey if you signed in more than ten minutes ago.",
    archive: {
      verb: "Archive",
      title: "Archive this key",
      confirmation: (label: HtmlValue) => html`Archive ${label}?`,
      means: "It stops signing and leaves the list. Nothing is deleted, and you can unarchive it.",
    },
    unarchive: {
      verb: "Unarchive",
      title: "Unarchive this key",
      confirmation: (label: HtmlValue) => html`Unarchive ${label}?`,
      means: "It can sign again, and is listed again. Nothing else changes.",
    },
    cancel: "Cancel",
    signatures: "Signatures",
    latest: "The latest signatures of this key.",
    all: "All activity of this key",
    none: "It has signed nothing recently.",
    attestation: {
      title: "Attestation",
      inTee: (provider: HtmlValue) =>
        html`The service says that it runs in a TEE: ${provider}. Verify that with a quote.`,
      simulated:
        html`<strong>Simulated.</strong> This service does not run in a trusted execution environment: a quote has the right form but proves nothing.`,
      what:
        "A quote is the hardware’s statement about the program that holds this key. Your browser adds a random number, so that an old quote cannot be used again.",
      save: "Save a quote",
      check:
        "Verify it yourself: on your own machine, in a copy of Holdfast’s sources that you trust, with the saved file",
      command: "Command",
      theCommand: "the command",
      proves:
        "What each check proves, and what to compare the measurements with, is described in docs/why/attestation.md there.",
      saveAgain: "Save it again",
      asItIs: "The random number, the claims and the quote",
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
    hint:
      "What this key may sign, for every requester. Its quotes include the policy, so that others can verify it.",
    anything: "Anything that you ask for, or a program or application with access to the key.",
    templates: {
      nothing: "Nothing at all",
      signIn: "Sign in to one site",
      ether: "Send ether to one address",
    },
    looserWaits: "A looser policy is pending",
    from: (time: HtmlValue) => html`From ${time} on:`,
    notYou: "If you did not ask for this, cancel it and check your passkeys and sessions.",
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
    present: "The current policy",
    asJson: "Policy, as JSON",
    formHint:
      html`What no rule allows is refused, for you too. A tighter policy takes effect at once. A looser one asks for a passkey and takes effect after the <code>delayHours</code> of the current policy. <code>"locked": true</code> cannot be undone. docs/reference/policies.md has the vocabulary.`,
    save: "Save the policy",
    remove: "Remove it",
    lockTitle: "Lock this policy forever?",
    lockMeans:
      "From then on it can only become tighter. Neither you nor the operator can loosen or remove it. This key never again signs what the policy does not allow. Assets at its address may become unreachable for good.",
    lock: "Lock it forever",
    cancel: "Cancel",
  },
  sign: {
    title: "Sign",
    what: "What to sign",
    kinds: {
      personal_sign: [
        "Text",
        "A readable message (EIP-191). Always signed as text, even if it looks like hex.",
      ],
      typed_data: ["Typed data", "A document that applications ask for, as JSON (EIP-712)."],
      transaction: [
        "Transaction",
        "Its members with type, chainId and nonce as JSON, or its unsigned bytes as 0x and hex. Signed, not sent.",
      ],
      authorization: [
        "Authorization",
        "chainId, address and nonce as JSON (EIP-7702). This key’s address then runs the code of that address.",
      ],
      personal_bytes: [
        "Message bytes",
        "A message of bytes (EIP-191), 0x and hex. A contract wallet may accept 32 signed bytes as your consent.",
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
      "Blind signing. The meaning of these bytes cannot be shown. They may be a transaction that empties this address. Continue only if you created them yourself.",
    message: "Message",
    review: "Review",
    archived: "This key is archived, so it does not sign. Unarchive it under Settings to use it again.",
  },
  scripts: {
    "attestation": {
      notOurs: "This quote is not about this key, or not new. Do not rely on it.",
      simulated:
        "Simulated. This service does not run in a trusted execution environment: the quote has the right form but proves nothing. Anyone with access to the machine can read the keys.",
      tee:
        "The service says that it runs in a trusted execution environment. Your browser has not verified the quote. Verify it with a program that you trust.",
      thisKey: "It is about this key.",
      anotherKey: "It is about another key.",
      isNew: "It is new: it repeats your browser’s random number.",
      mayBeOld: "It may be old.",
      keyProvider: "The sealing key, from which every key can be derived, comes from: {provider}.",
      notNamed: "not named",
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
      askedOf: "The request is for {whom}. This key is another account.",
      noAddress: "something that is not an address",
      missing: "Missing: {members}. Add them yourself, because this service does not query a chain.",
      notSent: "It will be signed but not sent.",
    },
    "sign-form": {
      sign: "Sign",
      signAnyway: "Sign anyway",
      sessionEnded: "Your session had ended, so nothing was signed.",
      stillHere: "What you entered is still here.",
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
