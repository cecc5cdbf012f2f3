import { html, type HtmlValue } from "../../lib/html.ts";
import { POLICY_TEMPLATES } from "../../policy/templates.ts";

export const en = {
  developer: {
    title: "Developer",
    webhooks: "Webhooks: send events to a server of yours",
    hint:
      "A token lets a program use the keys that you choose, for what you allow, and nothing else of your account. Creating one asks for a passkey if you signed in more than ten minutes ago.",
    needsScript:
      "Creating and revoking tokens need JavaScript. Turn it on for them. You can read without it.",
    tokens: "Tokens",
    none: "No program uses your keys.",
    actions: { read: "view keys, explain requests and get quotes", sign: "sign", create: "create new keys" },
    may: (actions: string, keys: HtmlValue) => html`May ${actions}, with ${keys}`,
    allYourKeys: "all your keys",
    signsAnything: "Signs anything.",
    whatItMaySign: "What it may sign",
    fromOnly: (networks: string) => `From ${networks} only`,
    made: "Created",
    ends: "Ends",
    ended: "Ended",
    neverUsed: "Not used yet",
    lastUsed: (time: HtmlValue, network: string | null) => html`Last used ${time} from ${network}`,
    revoke: "Revoke",
    revokeTitle: (token: HtmlValue) => html`Revoke ${token}?`,
    token: "token",
    revokeMeans: "Requests with it are refused from now on. What it signed stays signed.",
    cancel: "Cancel",
    stop: {
      title: "Stop everything",
      means:
        "Ends all tokens that may sign, the access of all applications that may sign, and all pending requests. Tokens that only read go on. Your keys stay as they are, and you can still sign.",
      done: "Everything is stopped. No program and no application can sign with your keys.",
    },
    agents: {
      title: "Connect an agent",
      means:
        "An agent opens this service in your browser once. There you choose its keys, what it may sign, and when its access ends.",
      vscode: "Save this as .vscode/mcp.json, and choose Start above the entry.",
      operator: "The operator of this service decides which agents may connect.",
    },
    madeTitle: "Copy it now",
    shownOnce: "The token is shown only once. Anyone who has it can do everything that it allows.",
    theToken: "the token",
    toTry: "To try it:",
    theCommand: "the command",
    form: {
      title: "New token",
      name: "Name",
      exampleName: "Payroll on the build server",
      may: "It may",
      actions: {
        read: "View keys, explain requests and get quotes",
        sign: "Sign",
        create: "Create new keys",
      },
      keys: "With these keys",
      allKeys: "All keys, including those that I create later",
      endsAfter: "Ends after",
      days: { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year" },
      networks: html`Only from these networks <span class="optional">(optional)</span>`,
      beginWith: "Begin with",
      noPolicy: "No policy",
      templates: Object.fromEntries(POLICY_TEMPLATES.map(({ id, name }) => [id, name])),
      policy: html`Policy, as JSON <span class="optional">(optional)</span>`,
      policyHint:
        "What no rule allows is refused. A template is a start: put in your own addresses, sites and amounts. You can tighten the policy later, but never loosen it.",
      make: "Create the token",
    },
  },
  scripts: {
    "tokens": {
      loadAgain: "Reload the page to see it.",
      made: "“{name}” was created.",
      revoked: "“{name}” was revoked.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
