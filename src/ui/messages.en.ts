// The English texts that all pages share. One catalogue holds a language, so the file is longer than others.

import { html, type HtmlValue } from "../lib/html.ts";
import type { ProblemCode, ReturnLink } from "../lib/error.ts";
import { LOCALES } from "../lib/language.ts";

interface Said {
  readonly title: string;
  readonly detail: string;
}

type SignedValue = "serializedTransaction" | "transactionHash" | "authorization" | "signature" | "digest";

const UNUSABLE = "This passkey cannot be used right now. Reload the page and try again.";

const NOT_HERE =
  "The browser does not allow passkeys at this address. Open the site at its own domain name, over https.";

const CANNOT_USE = "This device cannot use passkeys. Try another device or a security key.";

const CANNOT_CHECK = "This device cannot verify that it is you. Set up a screen lock, or use another device.";

/**
 * The messages that several features share.
 *
 * Every page catalogue has two files, `<feature>.en.ts` and `<feature>.de.ts`. Each exports one object of texts and of
 * functions that return texts, or `Html` if a sentence contains markup. The type of English is the type of German, so
 * that a missing German message does not compile. A page reads its feature's catalogue with `messagesIn`.
 * `scripts` holds the messages of browser modules, by module name. They are texts with `{places}` only, because they
 * are sent as data before the script. `messages.client.js` reads them.
 * Mails, policies and clear signing have separate catalogues with the same rules, because they are in lower layers.
 * The sentences of events are in the rows of `audit/event.ts`.
 */
export const en = {
  layout: {
    development:
      html`<strong>Development:</strong> simulated TEE. Anyone with access to this machine can read the keys.`,
    places: "Places",
    keys: "Keys",
    requests: "Requests",
    activity: "Activity",
    developer: "Developer",
    menu: "Menu",
    signedInAs: "Signed in as",
    account: "Account",
    signOut: "Sign out",
    skip: "Skip to content",
    footer: (service: string) =>
      `${service} keeps Ethereum keys on its owner’s own server. This page loads nothing from anywhere else.`,
  },
  parts: {
    today: "Today",
    yesterday: "Yesterday",
    copy: "Copy",
    /** Read by screen readers after `copy`. */
    copyWhat: (what: string) => ` ${what}`,
    needsScript:
      "Passkeys and signing need JavaScript. Turn it on to use them. You can read and sign out without it.",
    or: "or",
    continueWith: "Continue with",
  },
  error: {
    error: "Error",
    /** English pages show the problem's own text. */
    problem: (_code: ProblemCode, serverSays: Said): Said => serverSays,
    details: "Details",
    /** Precedes the service's own sentence if that is in another language. */
    serverSays: "",
    requestNumber: "When you ask for help, give this request number:",
    returnLinks: {
      home: "Home",
      consent: "Choose again",
      sign_in: "Back to sign-in",
      account: "Back to your account",
    } as Readonly<Record<ReturnLink["to"], string>>,
  },
  admin: {
    administration: "Administration",
    applications: "Applications",
    accounts: "Accounts",
    invitations: "Invitations",
    groups: "Groups",
    webhooks: "Webhooks",
    leave: "Leave",
    more: "Next page",
    search: "Search",
    /** Field faults by the service's own sentence, on pages in another language. */
    faults: {} as Readonly<Record<string, string>>,
  },
  outbox: {
    title: "Development outbox",
    lead:
      "In development no mail is sent. Mails appear here instead, newest first. Reload the page to see new ones.",
    to: "To",
    none: "No mail yet.",
  },
  /** The user's data that every application receives. */
  shared: {
    yourName: (name: string) => `Your name: ${name}`,
    yourEmail: (email: string) => `Your e-mail address: ${email}`,
    verified: "That you have a verified e-mail address",
    language: "Your language",
    updated: "When you last changed your name, address or language",
    groups: "The names of your groups",
    wallets: "The addresses of the keys that you choose",
    accountId: "The id of your account",
  },
  /** The review of a signature on a key's page, rendered by the server. */
  review: {
    allFields: "All fields",
    digest: "Digest",
    anyway: "I have read the dangers marked above and want this signature anyway",
    quoted: (text: HtmlValue) => html`“${text}”`,
  },
  activity: {
    /** The first words of sentences whose subject may have a name. */
    unnamed: ["A key", "An application", "A token"],
    entry: "Entry",
    event: "Event",
    subject: "Subject",
    askedForBy: "requested by",
    approved: "approved with a passkey",
    details: "details",
  },
  accountPages: {
    recovery: "If you lose your passkey",
    settings: "Account settings",
    notifications: "Notifications",
  },
  explanation: {
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
    gasMost: "Maximum gas cost, in wei",
    authorization: "Authorization",
    messages: {
      personal_sign: "This text",
      personal_bytes: "A message of these bytes",
      raw: "The Keccak-256 hash of these bytes, blind",
      digest: "These 32 bytes as they are, blind",
    },
    digest: "Digest",
  },
  intent: {
    /** Names of the warning levels, so that the meaning does not depend on a colour. */
    levels: { red: "Danger", amber: "Take note" },
    recognisedBy: "Recognised by:",
  },
  /** The rules of a policy that is being written, rendered by the server. */
  policyRules: {
    outcome: "Outcome",
    outcomes: { allow: "allow", ask: "ask me" },
    change: "Change",
    remove: "Remove",
    decisions: { allow: "Allowed.", ask: "You are asked.", deny: "Refused." },
    byRule: { allow: "By this rule:", ask: "By this rule:", deny: "The nearest rule:" },
    keysOwn: "The policy of the key itself decides this.",
    at: "In the policy:",
    value: "In the request:",
    keyRefuses: "The key does not sign this, whatever its policies allow:",
  },
  policyBuilder: {
    rules: "Rules",
    none: "Without a policy it may sign anything. Add a rule, and it may sign nothing else.",
    add: "Add a rule",
    tryIt: "Try the policy",
    request: "A request",
    requestHint:
      "A text, or the JSON that a program would send. The decision is as if nothing was signed before.",
    decide: "Decide",
    rule: "Rule",
    kind: "It may",
    kinds: {
      payment: "Pay",
      signIn: "Sign in to a site",
      call: "Call a contract",
      text: "Sign any text",
      otherwise: "Ask me about everything else",
      limit: "Sign only so often",
    },
    chain: "Chain, by its number",
    payment: {
      asset: "What",
      other: "Another token",
      address: "Address of the token",
      unknown: "The decimals of this token are not known here. Write amounts in its smallest unit.",
      form: "In which form",
      forms: {
        any: "Any: transfers, permits, allowances and orders",
        transfer: "Transfers only, as transactions",
      },
      to: "To",
      toHint: "Addresses, one a line. Empty: anyone.",
      each: "At most, each time",
      eachHint: "Empty: any amount.",
      most: "At most, in all",
      mostHint: "Empty: no limit.",
      window: "Counted",
    },
    windows: {
      perMinute: "in a minute",
      rollingHour: "in any 60 minutes",
      rollingDay: "in any 24 hours",
      perDay: "in a day (UTC)",
      rollingWeek: "in any 7 days",
      total: "in total",
    },
    signIn: {
      sites: "Sites",
      sitesHint: "Hosts such as app.example.org, one a line.",
      chains: html`Chains, by number <span class="optional">(optional)</span>`,
      chainsHint: "Empty: any chain.",
      resources: "Also sign-ins with resources, which can give rights to others",
    },
    call: {
      abi: "ABI, descriptor or function",
      abiHint:
        "Paste the contract’s ABI, an ERC-7730 descriptor, or a function such as transfer(address to, uint256 value).",
      called: "Function",
      contracts: "Contracts",
      contractsHint: "Addresses, one a line.",
      value: "Sends at most, in the chain’s currency",
    },
    fee: "Gas may cost at most",
    feeHint: "In the chain’s currency.",
    textMeans: "Any text, also sign-ins to any site.",
    otherwiseMeans: "You are asked about all that no rule allows, instead of its refusal.",
    limit: {
      count: "Signatures, at most",
      countHint: "For the whole policy. Empty: no limit.",
      window: "Counted",
    },
    outcome: "Then",
    outcomes: { allow: "Allow it", ask: "Ask me each time" },
    save: "Save the rule",
    cancel: "Cancel",
  },
  scripts: {
    "approval": { confirm: "Confirm with a passkey that you want this signature." },
    "dom": { copied: "Copied", selected: "Selected" },
    "failure": {
      /** Sentences by problem code, if the problem's own is not written for users. */
      problems: {
        invalid_code: "This code is wrong or no longer valid. Check it, or send a new code.",
        invalid_passkey:
          "This passkey was not accepted. It may belong to another account, or it was removed. Try another one.",
        invalid_passkey_registration: "The new passkey was not accepted. Try again.",
        authentication_required: "That took too long. Reload the page and start again.",
        account_disabled: "This account is disabled. Contact the operator of this service.",
        invitation_required:
          "You need an invitation to create an account here. Yours is for another address or no longer valid. Open the link in your invitation again, or ask for a new one.",
        sign_up_closed: "This service does not accept new accounts.",
        account_exists: "This account already exists. Sign in instead.",
        cross_site_request:
          "The browser reports that this request came from another site, so it was refused. Reload the page.",
        recovery_refused:
          "These codes do not recover an account. Check the recovery code. You can leave it out only if your account allows that.",
        recovery_waiting:
          "A recovery of this account is already pending. The mails about it contain a link to cancel it.",
        recovery_in_browser:
          "A recovery of another account is pending in this browser. A browser can finish only one at a time. Begin this one in another browser.",
        recovery_not_ready: "The recovery is still pending. Come back at the time shown on this page.",
        recently_recovered:
          "Your account was recovered recently. For seven days after a recovery, its protection cannot be reduced.",
        /** The response was no problem document: a proxy in between responded. */
        unknown: "The service answered with an error. Try again in a moment.",
        internal_error: "Something went wrong on the server. Nothing was signed. Try again in a moment.",
      } as Readonly<Record<string, string>>,
      /** Field faults by the service's own sentence, on pages in another language. */
      faults: {} as Readonly<Record<string, string>>,
      /** Precedes the service's own sentence if that is in another language. */
      serverSays: "",
      tooOftenSeconds: {
        one: "Too many attempts. Try again in {count} second.",
        other: "Too many attempts. Try again in {count} seconds.",
      },
      tooOftenMinutes: {
        one: "Too many attempts. Try again in {count} minute.",
        other: "Too many attempts. Try again in {count} minutes.",
      },
      noAnswer: "The service did not answer in time. Try again.",
      notReached: "The service cannot be reached. Check your connection and try again.",
      ours: "Something went wrong on this page. Reload it.",
      at: "At",
      request: "Request",
      details: "Details",
    },
    /** The meaning of a browser's refusal, by its name and the ceremony. */
    "passkey": {
      refusals: {
        NotAllowedError: {
          create:
            "No passkey was created. You cancelled, or it took too long. Nothing has changed. Try again when you are ready.",
          get:
            "You are not signed in. You cancelled, it took too long, or this device has no passkey for this site.",
          confirm:
            "Not confirmed, so nothing has changed. You cancelled, it took too long, or this device has no passkey for your account. Try again when you are ready.",
        },
        InvalidStateError: {
          create:
            "This device already has a passkey for this account. To add another one, choose another device or a security key.",
          get: UNUSABLE,
          confirm: UNUSABLE,
        },
        SecurityError: { create: NOT_HERE, get: NOT_HERE, confirm: NOT_HERE },
        NotSupportedError: {
          create:
            "This device cannot create a passkey that this service accepts. Try another device or a security key.",
          get: CANNOT_USE,
          confirm: CANNOT_USE,
        },
        ConstraintError: { create: CANNOT_CHECK, get: CANNOT_CHECK, confirm: CANNOT_CHECK },
      },
      overtaken:
        "No passkey was created. A different sign-up was started in another tab. Reload the page to see which one.",
      noSupport: "This browser cannot use passkeys. Update it, or use another browser or device.",
      unknown: "The passkey did not work. Try again, or use another browser or device.",
    },
    "policy-builder": { changed: "The rules and the JSON have changed." },
    "rule-dialog": {
      amount: "Write a number with at most {decimals} decimals.",
      whole: "Write a whole number in the smallest unit.",
      eachUnits: "Each time {units} of the smallest unit.",
      mostUnits: "In all {units} of the smallest unit.",
      noFunction: "This has no function that can be called.",
      trueOrFalse: "Write true or false, one a line.",
      limits: { any: "any value", oneOf: "one of these", atMost: "at most" },
      values: "Allowed values of {name}, one a line",
    },
    "sign-request": {
      labels: {
        personal_sign: "Message",
        typed_data: "Typed data as JSON",
        transaction: "Transaction as JSON, or unsigned as 0x and hex",
        authorization: "Authorization as JSON",
        personal_bytes: "Bytes of the message as 0x and hex",
        raw: "Bytes as 0x and hex",
        digest: "Digest as 0x and 64 hex digits",
      },
      /** The results of signing: the label, and the name that screen readers read on the copy button. */
      values: {
        serializedTransaction: ["Signed transaction", "the signed transaction"],
        transactionHash: ["Transaction hash", "the transaction hash"],
        authorization: ["Signed authorization", "the signed authorization"],
        signature: ["Signature", "the signature"],
        digest: ["Digest", "the digest"],
      } as Readonly<Record<SignedValue, readonly [name: string, whenCopied: string]>>,
    },
    "step-up": {
      confirm: "You signed in more than ten minutes ago. Confirm with one of your passkeys.",
    },
    "times": { locale: LOCALES.en },
    "unsent": {
      ended: "Your session had ended, so nothing was done.",
      restored: "Your session had ended, so nothing was done. What you entered is still here.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
