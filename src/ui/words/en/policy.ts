import { html } from "../../../lib/html.ts";
import type { HtmlValue } from "../../../lib/html.ts";

/** A key's policy on its page. */
export const policyWords = {
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
    html`What no rule allows is refused, to you as well. A tighter policy counts at once. A looser one asks for a passkey, and waits for the hours that <code>delayHours</code> of the present policy says. <code>"locked": true</code> is for ever. docs/policies.md has the vocabulary.`,
  save: "Save the policy",
  remove: "Remove it",
  lockTitle: "Lock this policy for ever?",
  lockMeans:
    "From then on it can only become tighter. Nobody can loosen or remove it, you and the operator included: what it does not allow, this key never signs again. What the address holds may be out of reach for good.",
  lock: "Lock it for ever",
  cancel: "Cancel",
};
