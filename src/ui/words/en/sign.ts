import { html } from "../../../lib/html.ts";
import type { HtmlValue } from "../../../lib/html.ts";

/** Signing on the page of a key. */
export const signWords = {
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
  allFields: "All fields",
  digest: "Digest",
  anyway: "I have read what is marked as danger above, and want this signature all the same",
  signed: "Signed",
  signedWhat: (what: HtmlValue, key: HtmlValue) => html`${what} with ${key}`,
  again: "New message",
  blind:
    "Blind signing. Nobody can tell what these bytes stand for: it may be a transaction that empties this address. Go on only if you made them yourself.",
  message: "Message",
  review: "Review",
  archived: "This key is archived, so it does not sign. Unarchive it under Settings to use it again.",
};

/** The ways of signing, as scripts call them. */
export type SignKind =
  | "personal_sign"
  | "typed_data"
  | "transaction"
  | "authorization"
  | "personal_bytes"
  | "raw"
  | "digest";
