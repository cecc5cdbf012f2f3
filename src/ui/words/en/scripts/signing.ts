/** What is shown of what would be signed: by the scripts that sign, and by pages that are read without one. */
export const intentWords = {
  /** What a level is called, so that it does not hang on a colour. */
  levels: { red: "Danger", amber: "Take note" },
  recognisedBy: "Recognised by:",
};

export const explanationWords = {
  empty: "empty",
  absent: "absent",
  none: "none",
  nothing: "Nothing",
  number: "No. {number}",
  showAll: "Show all {count}",
  forApplication: "For the application",
  typeAndHashes: "Type and hashes",
  type: "Type",
  domainSeparator: "Domain separator",
  messageHash: "Hash of the message",
  transaction: "Transaction",
  bytesAndCost: "Bytes and cost",
  unsigned: "Unsigned bytes",
  gasMost: "Most that gas can cost, in wei",
  authorization: "Authorization",
  /** What a message of each kind is called. */
  messages: {
    personal_sign: "This text",
    personal_bytes: "A message of these bytes",
    raw: "The Keccak-256 hash of these bytes, blind",
    digest: "These 32 bytes as they are, blind",
  },
  digest: "Digest",
};

export const signScriptWords = {
  allFields: "All fields",
  digest: "Digest",
  sign: "Sign",
  signAnyway: "Sign anyway",
  sessionEnded: "Your session had ended, so nothing was signed.",
  stillHere: "What you had written is still here.",
  readAsOther: "The service reads this as something else. Choose above what it is.",
  notWhatWasShown: "What was signed is not what was shown. Do not use this service until you know why.",
};

type SignedValue = "serializedTransaction" | "transactionHash" | "authorization" | "signature" | "digest";

export const signRequestWords = {
  /** What is to be written for each kind. */
  labels: {
    personal_sign: "Message",
    typed_data: "Typed data as JSON",
    transaction: "Transaction as JSON, or unsigned as 0x and hex",
    authorization: "Authorization as JSON",
    personal_bytes: "Bytes of the message as 0x and hex",
    raw: "Bytes as 0x and hex",
    digest: "Digest as 0x and 64 hex digits",
  },
  /** What comes of signing, and what is said of it to whoever copies it without seeing it. */
  values: {
    serializedTransaction: ["Signed transaction", "the signed transaction"],
    transactionHash: ["Transaction hash", "the transaction hash"],
    authorization: ["Signed authorization", "the signed authorization"],
    signature: ["Signature", "the signature"],
    digest: ["Digest", "the digest"],
  } as Readonly<Record<SignedValue, readonly [name: string, whenCopied: string]>>,
};

export const signedWords = {
  copy: "Copy",
  /** Around the beginning of a text. */
  quoted: "“{text}”",
};
