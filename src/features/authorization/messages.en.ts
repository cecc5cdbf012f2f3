import { html, type HtmlValue } from "../../lib/html.ts";

export const en = {
  consent: {
    title: (name: string) => `Sign in to ${name}`,
    heading: (name: HtmlValue) => html`Sign in to ${name}?`,
    asks: (name: HtmlValue, link: HtmlValue, { who, keys }: { who: boolean; keys: boolean }) =>
      html`${name} (${link}) asks ${who && "who you are"}${who && keys && ", and "}${
        keys && "to use your keys"
      }.`,
    claims: (name: HtmlValue) =>
      html`It calls itself ${name}. That name is the application's own claim, and was not checked.`,
    sees: "It will see",
    account: "Your account",
    target: "You continue to",
    onThisDevice: "on this device",
    noKeys: "It cannot use your keys.",
    withdraw: "You can withdraw its access at any time on your account page.",
    allow: "Allow",
    deny: "Deny",
    otherAccount: "Use another account",
    keys: {
      already:
        "It already has rights on your keys. It keeps them, and gets these beside them with limits of their own, unless you replace them.",
      replace: "Replace: end what it has now",
      rules: "What it may sign without you",
      danger:
        "This can cost you everything that the key owns. Tick it only if you trust the application with that.",
      signsNothing: "It does not ask to sign.",
      which: "With which of your keys",
      shown: "Which of your addresses it sees",
      noneShown: "You have no active key. It sees no address.",
      wallets: "It sees the addresses of the keys that you choose. It cannot use the keys by that.",
      noKey: "You have no active key. Create one first, or deny.",
      reads: "It sees the keys that you choose: labels, addresses and settings.",
      picks: "What it may sign",
      templates: {
        ask: "Ask me for everything",
        "sign-in": "Sign in to one site",
        x402: "Pay small amounts in USDC on Base (x402)",
        "x402-permit2": "Pay small amounts in USDC on Base (x402 by Permit2)",
        "trading-bot": "Sell USDC for WETH on CoW Swap",
      },
      own: "What I write myself",
      ownDanger: "Allow the rules of my policy that are a danger",
      itsRules: "Rules",
      asJson: "Policy, as JSON",
      itsValues: "Limits",
      values: {
        site: "Site",
        perMinute: "Signatures a minute, at most",
        each: "For each signature, at most",
        perDay: "A day (UTC), at most",
        rollingDay: "In 24 hours, at most",
        toEach: "To each recipient in an hour, at most",
      } as Readonly<Record<string, string>>,
      asksElse: "Ask me about everything else, instead of refusing it",
      endsAfter: "Ends after",
      lengths: { hour: "an hour", day: "a day", week: "7 days", month: "30 days", quarter: "90 days" },
    },
    device: {
      title: "Connect a device",
      enter: "Enter the code that the device shows.",
      code: "Code",
      next: "Continue",
      unknown: "There is no such code, or it has expired. Check it, or begin again on the device.",
      heading: (name: HtmlValue) => html`Sign in to ${name} on a device?`,
      compare:
        html`<strong>Does a device in front of you show this code?</strong> If someone sent you the code or a link, deny: they would sign in as you.`,
      from: "Asked from",
      at: "Asked at",
      allow: "Allow with a passkey",
    },
    noAccess: {
      title: "You cannot use this application",
      means: (account: HtmlValue, application: HtmlValue) =>
        html`${account} is in no group that may use ${application}. Ask the administrator of this service.`,
      back: (application: HtmlValue) => html`Back to ${application}`,
    },
    signOut: {
      title: "Sign out?",
      anApplication: "An application",
      asks: (application: HtmlValue, account: HtmlValue, service: string) =>
        html`${application} asks to sign ${account} out of ${service} in this browser.`,
      signOut: "Sign out",
      stay: "Stay signed in",
    },
  },
  scripts: {
    "device": {
      confirm: "Confirm with a passkey that this device may sign in.",
      approved: "The device may sign in. Continue there.",
      denied: "You denied it. The device gets no access.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
