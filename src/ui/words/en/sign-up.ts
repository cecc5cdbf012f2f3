import { html } from "../../../lib/html.ts";
import type { HtmlValue } from "../../../lib/html.ts";

/** The pages on which people make an account. */
export const signUpWords = {
  title: "Make an account",
  steps: "Steps",
  email: "E-mail",
  code: "Code",
  passkey: "Passkey",
  emailAddress: "E-mail address",
  emailHint: "We send a code to it. It never signs you in by itself.",
  sendCode: "Send the code",
  yourAddress: "your address",
  codeHint: (address: HtmlValue) =>
    html`Six digits, sent to ${address}. They work for five minutes, in this browser only.`,
  development: (open: (words: string) => HtmlValue) =>
    html`Development: no mail is sent. ${open("Open the outbox")} to read the code.`,
  checkCode: "Check the code",
  otherAddress: "Use another address",
  resend: "Send a new code",
  makePasskey:
    "Now make a passkey: your device asks for your fingerprint, your face or its PIN, and keeps the passkey. Your first key is made together with it.",
  make: "Make a passkey",
  accountExists: "This address already has an account. Sign in with the passkey that belongs to it.",
  signIn: "Sign in",
  confirmed: (address: HtmlValue) => html`Your address is confirmed: ${address}.`,
  haveAccount: "Have an account already?",
  identity: {
    confirmedAs: (provider: string, email: HtmlValue) =>
      html`${provider} has confirmed that you are ${email}.`,
    confirmed: (provider: string, name: HtmlValue | undefined) =>
      html`${provider} has confirmed who you are${name !== undefined && html`: ${name}`}.`,
    noAddress:
      "It vouches for no e-mail address, so your account will have none: nothing can be sent to you.",
    fromNowOn: (provider: string) =>
      `From now on you sign in with the passkey. ${provider} alone never opens your account.`,
    otherWay: "Begin again in another way",
  },
};
