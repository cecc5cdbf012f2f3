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
    requestedAt: "Requested",
    ends: "Ends",
    hint: (activity: (text: string) => HtmlValue) =>
      html`Signatures that need your approval. Nothing is signed unless you approve it with a passkey. Earlier requests are in ${
        activity("Activity")
      }.`,
    none: "No request is pending.",
    requesters: {
      owner: html`You ask`,
      token: (name: HtmlValue) => html`The program with the token ${name} asks`,
      application: (name: HtmlValue) => html`The application ${name} asks`,
    },
    purpose: (purpose: HtmlValue) => html`It says why: ${purpose}. That is its own claim.`,
    asksFor: (requester: HtmlValue, key: HtmlValue) =>
      html`${requester} for a signature with the key ${key}.`,
    statuses: {
      pending: "Pending",
      signed: "Signed",
      declined: "Declined",
      refused: "Refused",
      withdrawn: "Withdrawn",
      expired: "Expired",
    },
    whoAsks: "Who asks",
    address: "Address",
    why: "Why you are asked",
    cannotApprove: (reason: HtmlValue) => html`This cannot be approved: ${reason}.`,
    anyway: "I have read the dangers marked above and want this signature anyway",
    approve: "Approve with a passkey",
    word: html`A message to the requester <span class="optional">(optional)</span>`,
    decline: "Decline",
    yourComment: "You said:",
    outcome: "Result",
    values: {
      signature: signed.signature,
      serializedTransaction: signed.serializedTransaction,
      hash: signed.transactionHash,
      r: ["r", "the r"],
      s: ["s", "the s"],
      yParity: ["yParity", "the yparity"],
    } as Readonly<Record<string, readonly [name: string, whenCopied: string]>>,
    waits: "A signature needs your approval",
    wasAsked: "A requested signature",
    willBeSigned: "What will be signed",
    wasSigned: "What was signed",
  },
};
