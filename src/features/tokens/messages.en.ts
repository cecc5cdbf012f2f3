import { html, type HtmlValue } from "../../lib/html.ts";
import { POLICY_TEMPLATES } from "../../policy/templates.ts";

export const en = {
  developer: {
    title: "Developer",
    hint:
      "A program uses your keys with a token: for the keys that you name and what you allow, and nothing else of your account. Making one asks for a passkey when you signed in more than ten minutes ago.",
    needsScript:
      "Making and revoking tokens work through this page’s own scripts. Turn JavaScript on for them; reading works without.",
    tokens: "Tokens",
    none: "No program uses your keys.",
    deeds: { read: "look at keys, explain and attest", sign: "sign", create: "make new keys" },
    may: (deeds: string, keys: HtmlValue) => html`May ${deeds}, with ${keys}`,
    allYourKeys: "all your keys",
    signsAnything: "Signs anything.",
    whatItMaySign: "What it may sign",
    fromOnly: (networks: string) => `From ${networks} only`,
    made: "Made",
    ends: "Ends",
    ended: "Ended",
    neverUsed: "Not used yet",
    lastUsed: (time: HtmlValue, network: string | null) => html`Last used ${time} from ${network}`,
    revoke: "Revoke",
    revokeTitle: (token: HtmlValue) => html`Revoke ${token}?`,
    token: "token",
    revokeMeans: "The next request with it is refused. What it signed stays signed.",
    cancel: "Cancel",
    madeTitle: "Copy it now",
    shownOnce: "This is the only time that the token is shown. Whoever has it can do what it may.",
    theToken: "the token",
    toTry: "To try it:",
    theCommand: "the command",
    form: {
      title: "New token",
      name: "Name",
      exampleName: "Payroll on the build server",
      may: "It may",
      actions: { read: "Look at keys, explain and attest", sign: "Sign", create: "Make new keys" },
      keys: "With these keys",
      allKeys: "All keys, those that I make later too",
      endsAfter: "Ends after",
      days: { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year" },
      networks: html`Only from these networks <span class="optional">(optional)</span>`,
      maySign: "It may sign",
      anything: "Anything",
      templates: Object.fromEntries(POLICY_TEMPLATES.map(({ id, name }) => [id, name])),
      policy: html`Policy, as JSON <span class="optional">(optional)</span>`,
      policyHint:
        "What no rule of it allows is refused. A template is a beginning: put your own addresses, sites and amounts in it. It can be made narrower later, never wider.",
      make: "Make the token",
    },
  },
  scripts: {
    "tokens": {
      loadAgain: "Load the page again to see it.",
      made: "“{name}” was made.",
      revoked: "“{name}” was revoked.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
