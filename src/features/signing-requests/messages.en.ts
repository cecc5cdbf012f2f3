import { en as kit } from "../../ui/messages.en.ts";
import { html, type HtmlValue } from "../../lib/html.ts";

const signed = kit.scripts["sign-request"].values;

export const en = {
  requests: {
    title: "Requests",
    kinds: {
      personal_sign: "A message",
      raw: "Raw bytes",
      digest: "A digest",
      typed_data: "Typed data",
      transaction: "A transaction",
      authorization: "An authorization",
    },
    with: "With",
    from: "From",
    requestedAt: "Asked",
    ends: "Ends",
    hint: (activity: (messages: string) => HtmlValue) =>
      html`Signatures that your rules have wait for you. Nothing is signed unless you approve it with a passkey. What was answered is in ${
        activity("Activity")
      }.`,
    none: "Nothing waits for you.",
    askers: {
      owner: html`You ask`,
      token: (name: HtmlValue) => html`The program with the token ${name} asks`,
      application: (name: HtmlValue) => html`The application ${name} asks`,
    },
    asksFor: (asker: HtmlValue, key: HtmlValue) => html`${asker} for a signature with the key ${key}.`,
    statuses: {
      pending: "Waits for you",
      signed: "Signed",
      declined: "Declined",
      refused: "Refused",
      withdrawn: "Taken back",
      expired: "Not answered in time",
    },
    whoAsks: "Who asks",
    address: "Address",
    why: "Why you are asked",
    cannotApprove: (reason: HtmlValue) => html`This cannot be approved: ${reason}.`,
    anyway: "I have read what is marked as danger above, and want this signature all the same",
    approve: "Approve with a passkey",
    word: html`A word to whoever asked <span class="optional">(optional)</span>`,
    decline: "Decline",
    yourComment: "You said:",
    outcome: "What came of it",
    values: {
      signature: signed.signature,
      serializedTransaction: signed.serializedTransaction,
      hash: signed.transactionHash,
      r: ["r", "the r"],
      s: ["s", "the s"],
      yParity: ["yParity", "the yparity"],
    } as Readonly<Record<string, readonly [name: string, whenCopied: string]>>,
    waits: "A signature waits for you",
    wasAsked: "A signature that was asked for",
    willBeSigned: "What will be signed",
    wasSigned: "What was signed",
  },
};
