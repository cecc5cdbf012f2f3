/** What the scripts of a key's page say, but for those that sign. */
export const keyScriptWords = {
  labelSaved: "Label saved.",
  blindSigningSaved: "Blind signing saved.",
};

/** A pasted text that is taken for what it is. */
export const offerWords = { looksLike: "This looks like {what}. Use it?", use: "Use it" };

export const recogniseWords = {
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
};

export const attestationWords = {
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
};
