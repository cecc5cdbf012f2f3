import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listAssets } from "../../src/ui/assets.ts";
import { SCRIPTS } from "../../src/app.ts";
import { accountPage } from "../../src/features/account/account-page.ts";
import { auditPage } from "../../src/features/activity/page.ts";
import { developerPage } from "../../src/features/tokens/page.ts";
import { identicon } from "../../src/features/keys/identicon.ts";
import { errorPage } from "../../src/ui/error-page.ts";
import { activityList } from "../../src/ui/section/activity-list.ts";
import { homePage, signedOutPage } from "../../src/features/sign-in/visitor-pages.ts";
import { identitySignUpPage } from "../../src/features/sign-in/identity-sign-up-page.ts";
import type { KeyView } from "../../src/api/key.ts";
import type { KeyPolicyView } from "../../src/api/policy.ts";
import type { ListedKeyView } from "../../src/features/keys/schema.ts";
import { keyPage } from "../../src/features/keys/key-page.ts";
import { keysPage } from "../../src/features/keys/keys-page.ts";
import { outboxPage } from "../../src/features/operations/outbox.ts";
import { signInPage } from "../../src/features/sign-in/sign-in-page.ts";
import { signUpPage } from "../../src/features/sign-in/sign-up-page.ts";
import { readKeyPolicy } from "../../src/policy/read-policy.ts";
import type { PasskeyView } from "../../src/api/passkey.ts";
import type { SessionView } from "../../src/api/session.ts";
import type { TokenView } from "../../src/api/token.ts";

const KEY: KeyView = {
  id: "key_0000000000000000000000000a",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  publicKey: `0x04${"ab".repeat(64)}`,
  keyIndex: 0,
  label: "Key 1",
  createdAt: "2026-01-31T09:30:00.000Z",
  archived: false,
  archivedAt: null,
  blindSigning: "allow",
};
const LISTED: ListedKeyView = { ...KEY, lastUsedAt: null };
const SEARCH = { text: "", archived: "exclude", order: "newest", page: 1, pages: 1, found: 2 } as const;
const ARCHIVED: KeyView = { ...KEY, archived: true, archivedAt: "2026-02-01T00:00:00.000Z" };
const NO_POLICY: KeyPolicyView = { policy: null, hash: null, words: null, change: null };
const POLICY: KeyPolicyView = {
  policy: readKeyPolicy({ version: 1, raw: "allow", delayHours: 24 }),
  hash: `0x${"cd".repeat(32)}`,
  words: ["May sign any raw bytes.", "Nothing else."],
  change: { policy: null, hash: null, words: null, takesEffectAt: "2026-02-01T09:30:00.000Z" },
};
const LOCKED: KeyPolicyView = {
  ...POLICY,
  policy: readKeyPolicy({ version: 1, locked: true }),
  change: null,
};
const LANGUAGE = { language: "en" } as const;
const ACCOUNT = { accountId: "acct_1", email: "ada@example.com", ...LANGUAGE };
const PROVIDERS = {
  providers: [{ id: "upstream", name: "Upstream" }, { id: "github", name: "GitHub" }],
  returnTo: "next=%2Faccount",
};
const PERSON = {
  ...LANGUAGE,
  provider: "Upstream",
  email: "ada@example.com",
  name: "Ada Lovelace",
  user: "YWNjb3VudF8x",
  returnTo: "",
};
const MAIL = {
  to: "ada@example.com",
  subject: "Code",
  text: "123456",
  createdAt: "2026-01-31T09:30:00.000Z",
};
const EVENT = {
  seq: 7,
  at: "2026-01-31T09:30:00.000Z",
  event: "key_generated",
  subject: KEY.id,
  detail: { keyIndex: 3 },
};
const AUDIT = {
  account: ACCOUNT,
  activity: {
    events: [EVENT, { ...EVENT, seq: 2, event: "signed_out", subject: "ses_1", detail: {} }],
    names: new Map([[KEY.id, "Treasury"]]),
  },
  kind: "all" as const,
  key: undefined,
  signatures: {
    days: [{ date: "2026-01-30", count: 0 }, { date: "2026-01-31", count: 3 }],
    keys: [{ name: "Treasury", counts: [0, 3], sum: 3 }],
    programs: [{ name: undefined, counts: [0, 2], sum: 2 }, { name: "Payroll", counts: [0, 1], sum: 1 }],
  },
  now: "2026-01-31T10:00:00.000Z",
  unverified: 0,
  head: { seq: 9, hash: "ab".repeat(32) },
  isFirstPage: true,
};

const PASSKEY: PasskeyView = {
  id: "passkey_0000000000000000000000000a",
  credentialId: "AAAA",
  name: "Laptop",
  provider: "Chromium",
  transports: ["internal"],
  backupEligible: true,
  backedUp: false,
  createdAt: "2026-01-31T09:30:00.000Z",
  lastUsedAt: "2026-02-01T10:00:00.000Z",
  current: true,
};
const OTHER_PASSKEY: PasskeyView = {
  ...PASSKEY,
  id: "passkey_0000000000000000000000000b",
  name: "Blue key",
  provider: null,
  backupEligible: false,
  lastUsedAt: null,
  current: false,
};
const SESSION: SessionView = {
  id: "session_0000000000000000000000000a",
  device: "Firefox on Linux",
  network: "192.0.2.1",
  passkeyId: PASSKEY.id,
  createdAt: "2026-01-31T09:30:00.000Z",
  lastSeenAt: "2026-02-01T10:00:00.000Z",
  expiresAt: "2026-03-01T10:00:00.000Z",
  current: true,
};
const TOKEN: TokenView = {
  id: "token_0000000000000000000000000a",
  name: "Payroll",
  keys: [KEY.id],
  actions: ["read", "sign"],
  networks: ["192.0.2.0/24"],
  policy: null,
  policyWords: null,
  jkt: null,
  createdAt: "2026-01-31T09:30:00.000Z",
  expiresAt: "2026-04-30T09:30:00.000Z",
  lastUsedAt: "2026-02-01T10:00:00.000Z",
  lastUsedNetwork: "192.0.2.1",
};
const UNUSED: TokenView = { ...TOKEN, keys: "all", networks: null, lastUsedAt: null, lastUsedNetwork: null };
const DEVELOPER = {
  account: ACCOUNT,
  tokens: [TOKEN, { ...UNUSED, id: "token_0000000000000000000000000b" }],
  used: new Map([[TOKEN.id, [{ text: "3 of 10 signatures in total", share: 0.3 }]]]),
  keys: [KEY],
  now: "2026-03-01T00:00:00.000Z",
  isStopped: false,
  baseUrl: "http://localhost:3000",
};
const OTHER_SESSION: SessionView = {
  ...SESSION,
  id: "session_0000000000000000000000000b",
  device: "Chrome on Android",
  passkeyId: OTHER_PASSKEY.id,
  current: false,
};
const WHOLE_ACCOUNT = {
  account: ACCOUNT,
  person: {
    id: "account_0000000000000000000000000a",
    email: ACCOUNT.email,
    name: null,
    createdAt: "2026-01-31T09:30:00.000Z",
  },
  notifications: "mailed" as const,
  passkeys: [PASSKEY, OTHER_PASSKEY],
  sessions: [SESSION, OTHER_SESSION],
  applications: [],
  activity: { events: [EVENT], names: new Map<string, string>(), unverified: 0 },
};

const TEE = { provider: "simulated", inTee: false };
const ERROR = {
  ...LANGUAGE,
  code: "not_found" as const,
  status: 404,
  title: "Not found",
  detail: "There is no such key",
  requestId: "abc123",
};

const KEYS = {
  account: ACCOUNT,
  keys: [LISTED, { ...ARCHIVED, id: "key_0000000000000000000000000b", lastUsedAt: KEY.createdAt }],
  search: SEARCH,
  owned: 2,
  steps: { hasSecondPasskey: false, hasSigned: true, hasToken: false },
  firstKeyId: KEY.id,
};
const SIGNATURES = {
  events: [{
    ...EVENT,
    event: "typed_data_signed",
    detail: { digest: "0xab", standard: "permit2_allowance", by: "token_b" },
  }],
  names: new Map([[KEY.id, "Treasury"], ["token_b", "Payroll"]]),
};
const NO_ACTIVITY = { events: [], names: new Map<string, string>() };

/** Breaks out of texts, of attributes in either quotes, of raw text elements and of comments. */
const HOSTILE = `"'></title></pre></textarea></script>--><img src=x onerror=alert(1)>&lt;`;
const HOSTILE_ERROR = {
  ...LANGUAGE,
  code: "internal_error" as const,
  status: 500,
  title: HOSTILE,
  detail: HOSTILE,
  requestId: HOSTILE,
};
const HOSTILE_KEY: KeyView = { ...KEY, label: HOSTILE };
const HOSTILE_POLICY: KeyPolicyView = {
  policy: { ...POLICY.policy!, budgets: { [HOSTILE]: { perDay: HOSTILE } } },
  hash: HOSTILE,
  words: [HOSTILE],
  change: { ...POLICY.change!, words: [HOSTILE] },
};

/** Every page in every variant. */
const PAGES: Readonly<Record<string, () => string>> = {
  "home": () => `${homePage(LANGUAGE)}`,
  "sign-up": () => `${signUpPage({ ...LANGUAGE, tries: 3, mail: "sent" })}`,
  "sign-up in development": () => `${signUpPage({ ...LANGUAGE, tries: 3, mail: "outbox" })}`,
  "sign-up of a proven address": () =>
    `${
      signUpPage({
        ...LANGUAGE,
        tries: 3,
        mail: "sent",
        verifiedEmail: "ada@example.com",
        returnTo: "next=%2Faccount",
      })
    }`,
  "sign-in": () => `${signInPage(LANGUAGE)}`,
  "sign-up with other providers": () =>
    `${signUpPage({ ...LANGUAGE, tries: 3, mail: "sent", ...PROVIDERS })}`,
  "sign-in with other providers": () => `${signInPage({ ...LANGUAGE, ...PROVIDERS })}`,
  "sign-in of a known user": () =>
    `${signInPage({ ...LANGUAGE, ...PROVIDERS, notice: { provider: "A", what: "account" } })}`,
  "sign-in with a taken address": () =>
    `${signInPage({ ...LANGUAGE, ...PROVIDERS, notice: { provider: "A", what: "address_taken" } })}`,
  "sign-up from a provider": () => `${identitySignUpPage(PERSON)}`,
  "sign-up from a provider without an address": () => `${identitySignUpPage({ ...PERSON, email: null })}`,
  "keys": () => `${keysPage(KEYS)}`,
  "many keys, archived ones too": () =>
    `${
      keysPage({
        ...KEYS,
        search: { ...SEARCH, archived: "include", order: "used", page: 2, pages: 3, found: 120 },
        owned: 120,
      })
    }`,
  "no keys": () => `${keysPage({ ...KEYS, keys: [], owned: 0 })}`,
  "key": () =>
    `${keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: NO_POLICY, signatures: SIGNATURES })}`,
  "locked key": () =>
    `${keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: LOCKED, signatures: NO_ACTIVITY })}`,
  "archived key": () =>
    `${keyPage({ tee: TEE, account: ACCOUNT, key: ARCHIVED, policy: POLICY, signatures: NO_ACTIVITY })}`,
  "account": () => `${accountPage(WHOLE_ACCOUNT)}`,
  "account with one of each": () =>
    `${
      accountPage({
        ...WHOLE_ACCOUNT,
        person: { ...WHOLE_ACCOUNT.person, email: null, name: "Ada" },
        notifications: "none",
        passkeys: [PASSKEY],
        sessions: [SESSION],
        activity: { ...NO_ACTIVITY, unverified: 1 },
      })
    }`,
  "developer": () => `${developerPage(DEVELOPER)}`,
  "developer without tokens and keys": () => `${developerPage({ ...DEVELOPER, tokens: [], keys: [] })}`,
  "developer with a token that has ended": () =>
    `${developerPage({ ...DEVELOPER, now: "2026-05-01T00:00:00.000Z" })}`,
  "developer after a stop": () => `${developerPage({ ...DEVELOPER, isStopped: true })}`,
  "audit": () => `${auditPage(AUDIT)}`,
  "audit, edited": () =>
    `${
      auditPage({
        ...AUDIT,
        activity: NO_ACTIVITY,
        signatures: undefined,
        unverified: 2,
        head: null,
        isFirstPage: false,
      })
    }`,
  "signed-out": () => `${signedOutPage(LANGUAGE)}`,
  "error": () => `${errorPage(ERROR)}`,
  "error of a signed-in user": () => `${errorPage({ ...ERROR, account: ACCOUNT })}`,
  "outbox": () => `${outboxPage({ ...LANGUAGE, mails: [MAIL] })}`,
  "empty outbox": () => `${outboxPage({ ...LANGUAGE, mails: [] })}`,
};

/** `PAGES` with hostile text in place of all untrusted text. */
const HOSTILE_PAGES: Readonly<Record<string, () => string>> = {
  "sign-up": () =>
    `${
      signUpPage({
        ...LANGUAGE,
        tries: 3,
        mail: "sent",
        verifiedEmail: HOSTILE,
        providers: [{ id: HOSTILE, name: HOSTILE }],
        returnTo: HOSTILE,
      })
    }`,
  "sign-in": () =>
    `${
      signInPage({
        ...LANGUAGE,
        providers: [{ id: HOSTILE, name: HOSTILE }],
        returnTo: HOSTILE,
        notice: { provider: HOSTILE, what: "account" },
      })
    }`,
  "sign-up from a provider": () =>
    `${
      identitySignUpPage({
        ...LANGUAGE,
        provider: HOSTILE,
        email: HOSTILE,
        name: HOSTILE,
        user: HOSTILE,
        returnTo: HOSTILE,
      })
    }`,
  "sign-up from a provider without an address": () =>
    `${
      identitySignUpPage({
        ...LANGUAGE,
        provider: HOSTILE,
        email: null,
        name: HOSTILE,
        user: HOSTILE,
        returnTo: HOSTILE,
      })
    }`,
  "error with a return link": () =>
    `${errorPage({ ...HOSTILE_ERROR, returnLink: { path: HOSTILE, to: "home" } })}`,
  developer: () =>
    `${
      developerPage({
        ...DEVELOPER,
        keys: [HOSTILE_KEY],
        tokens: [{ ...TOKEN, name: HOSTILE, networks: [HOSTILE], lastUsedNetwork: HOSTILE }],
      })
    }`,
  keys: () =>
    `${
      keysPage({
        ...KEYS,
        account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE },
        keys: [{ ...LISTED, label: HOSTILE, address: HOSTILE, id: HOSTILE }],
        search: { ...SEARCH, text: HOSTILE, pages: 2 },
      })
    }`,
  "no keys found": () => `${keysPage({ ...KEYS, keys: [], search: { ...SEARCH, text: HOSTILE } })}`,
  key: () =>
    `${
      keyPage({
        tee: TEE,
        account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE },
        key: HOSTILE_KEY,
        policy: HOSTILE_POLICY,
        signatures: SIGNATURES,
      })
    }`,
  "archived key": () =>
    `${
      keyPage({
        tee: TEE,
        account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE },
        key: { ...ARCHIVED, label: HOSTILE, id: HOSTILE },
        signatures: { events: [{ ...EVENT, event: HOSTILE, subject: HOSTILE }], names: new Map() },
        policy: NO_POLICY,
      })
    }`,
  account: () =>
    `${
      accountPage({
        account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE },
        person: { ...WHOLE_ACCOUNT.person, id: HOSTILE, email: HOSTILE, name: HOSTILE },
        notifications: "mailed",
        passkeys: [PASSKEY, OTHER_PASSKEY].map((passkey) => ({
          ...passkey,
          name: HOSTILE,
          provider: `${HOSTILE} 2`,
        })),
        sessions: [SESSION, OTHER_SESSION].map((session) => ({
          ...session,
          device: HOSTILE,
          network: HOSTILE,
        })),
        applications: [{
          clientId: HOSTILE,
          name: HOSTILE,
          uri: HOSTILE,
          scope: HOSTILE,
          sees: [HOSTILE],
          consentedAt: KEY.createdAt,
          keyGrants: [{
            used: [{ text: HOSTILE, share: 1 }],
            scope: HOSTILE,
            keys: [HOSTILE],
            policy: null,
            policyWords: [HOSTILE],
            createdAt: KEY.createdAt,
            endsAt: KEY.createdAt,
          }],
        }],
        activity: {
          events: [{ ...EVENT, event: HOSTILE, subject: HOSTILE }],
          names: new Map<string, string>(),
          unverified: 0,
        },
      })
    }`,
  audit: () =>
    `${
      auditPage({
        ...AUDIT,
        account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE },
        activity: {
          events: [
            { ...EVENT, event: HOSTILE, subject: `key_${HOSTILE}` },
            { ...EVENT, event: "consent_given", subject: "books", detail: { scope: HOSTILE, by: HOSTILE } },
          ],
          names: new Map([[`key_${HOSTILE}`, HOSTILE], ["books", HOSTILE]]),
        },
        key: { id: HOSTILE, label: HOSTILE },
        nextPath: HOSTILE,
      })
    }`,
  error: () =>
    `${errorPage({ ...HOSTILE_ERROR, account: { accountId: "acct_1", email: HOSTILE, ...LANGUAGE } })}`,
  outbox: () =>
    `${outboxPage({ ...LANGUAGE, mails: [{ ...MAIL, to: HOSTILE, subject: HOSTILE, text: HOSTILE }] })}`,
};

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Returns the start tags of a page. Attribute values are quoted in all templates. */
function tagsOf(page: string): Tag[] {
  const tags = [...page.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)];
  return tags.map(([, name, rest]) => ({
    name: name!.toLowerCase(),
    attributes: new Map(
      [...rest!.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi)].map(([, key, value]) =>
        [key!.toLowerCase(), value ?? ""] as const
      ),
    ),
  }));
}

function count(page: string, name: string): number {
  return tagsOf(page).filter((tag) => tag.name === name).length;
}

function idsOf(page: string): string[] {
  return tagsOf(page).map(({ attributes }) => attributes.get("id")).filter((id) => id !== undefined);
}

for (const [name, render] of Object.entries(PAGES)) {
  describe(`the page ${name}`, () => {
    const page = render();
    const tags = tagsOf(page);

    test("is a complete document with a language, a viewport, a title, one h1 and one main", () => {
      assert.match(page.trimStart(), /^<!doctype html>/i);
      assert.match(page, /<html lang="en">/);
      assert.match(page, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
      assert.match(page, /<title>[^<]+ · Holdfast<\/title>/);
      assert.equal(count(page, "h1"), 1);
      assert.equal(count(page, "main"), 1);
      assert.match(page, /class="skip-link" href="#main"/);
    });

    test("has every start tag in the form that the other tests expect", () => {
      assert.equal(tags.length, [...page.matchAll(/<[a-z]/gi)].length);
    });

    test("has no inline script, style or handler", () => {
      for (const { name, attributes } of tags) {
        assert.ok(!attributes.has("style"), name);
        assert.ok(name !== "style");
        assert.ok(name !== "script" || (attributes.has("src") && attributes.get("type") === "module"));
        for (const attribute of attributes.keys()) assert.doesNotMatch(attribute, /^on/);
      }
      assert.doesNotMatch(page, /<script[^>]*>[^<]/);
    });

    test("loads and links to its own origin only, and loads only existing files", () => {
      const paths = new Set(listAssets(SCRIPTS).map(({ get }) => get().path));
      for (const { name, attributes } of tags) {
        for (const key of ["src", "href", "action", "formaction"]) {
          const value = attributes.get(key);
          if (value === undefined) continue;
          assert.match(value, /^(?:\/(?!\/)|#[a-z]+$)/, `${name} ${key}`);
          const isFile = (key === "src" || name === "link") && value !== "/manifest.webmanifest";
          if (isFile) assert.ok(paths.has(value), value);
        }
      }
    });

    test("labels each field", () => {
      const labelled = new Set(tags.map(({ attributes }) => attributes.get("for")));
      for (const { name, attributes } of tags) {
        if (!["input", "select", "textarea"].includes(name) || attributes.get("type") === "hidden") continue;
        // A radio button or a checkbox is inside its label.
        const isInside = ["radio", "checkbox"].includes(attributes.get("type") ?? "");
        if (!isInside) assert.ok(labelled.has(attributes.get("id") ?? "none"), name);
      }
      assert.equal(
        [...page.matchAll(/<label[^>]*>\s*<input type="(?:radio|checkbox)"/g)].length,
        [...page.matchAll(/type="(?:radio|checkbox)"/g)].length,
      );
    });

    test("has each id once, and every referenced id", () => {
      const ids = idsOf(page);
      assert.deepEqual(ids, [...new Set(ids)]);
      for (const { attributes } of tags) {
        for (const key of ["for", "aria-describedby", "aria-labelledby", "data-copy"]) {
          const value = attributes.get(key);
          if (value !== undefined) assert.ok(ids.includes(value), `${key} ${value}`);
        }
      }
    });

    test("has four forms that work without a script: sign-out, language, stop and the end of a policy change", () => {
      for (const [, rest] of page.matchAll(/<form([^>]*)>/g)) {
        const isScripted = /id="[a-z-]+-form"/.test(rest!);
        // A GET form changes nothing.
        const isPlain = /method="get"/.test(rest!) ||
          /method="post" action="\/(?:sign-out|developer\/stop|account\/language|keys\/[a-z0-9_]+\/policy\/cancel)"/
            .test(
              rest!,
            );
        assert.ok(isScripted || isPlain, rest ?? "");
      }
      // Controls that a script has not enabled cannot be submitted. Hidden parts are not shown yet.
      for (const [form] of page.matchAll(/<form id=[^]*?<\/form>/g)) {
        const isShut = /<fieldset[^>]* disabled/.test(form) || /^<form[^>]* hidden/.test(form) ||
          /<button[^>]*type="submit" disabled/.test(form) || form.includes('id="archive-form"');
        assert.ok(isShut, form);
      }
    });
  });
}

for (const [name, render] of Object.entries(HOSTILE_PAGES)) {
  test(`the page ${name} shows hostile text`, () => {
    const page = render();
    assert.ok(page.includes("&lt;img src=x onerror=alert(1)&gt;&amp;lt;"));
    assert.ok(!page.includes("<img src=x"));
    assert.ok(!page.includes("--><"));
    assert.equal(count(page, "title"), 1);
    assert.equal(page.split("</title>").length, 2);
    assert.ok(tagsOf(page).every(({ attributes }) => !attributes.has("onerror")));
  });
}

test("keyPage() shows the whole address and public key, and times as time elements", () => {
  const page = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: NO_POLICY, signatures: SIGNATURES })
  }`;
  assert.ok(page.includes(`>${KEY.address}<`));
  assert.ok(page.includes(`>${KEY.publicKey}<`));
  assert.ok(page.includes('<time datetime="2026-01-31T09:30:00.000Z">31 Jan 2026, 09:30 UTC</time>'));
});

test("keyPage() has no sign form and says why when the key is archived", () => {
  const page = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: ARCHIVED, policy: POLICY, signatures: NO_ACTIVITY })
  }`;
  assert.doesNotMatch(page, /id="sign-form"/);
  assert.match(page, /This key is archived, so it does not sign/);
  assert.match(page, /data-action="unarchive"/);
});

test("keyPage() shows the policy and the pending change, with a button that needs no script", () => {
  const page = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: POLICY, signatures: NO_ACTIVITY })
  }`;
  assert.match(page, /<li><bdi>May sign any raw bytes\.<\/bdi><\/li>/);
  assert.match(page, /1 Feb 2026, 09:30 UTC/);
  assert.match(page, new RegExp(`<form method="post" action="/keys/${KEY.id}/policy/cancel">`));
  assert.ok(page.includes(POLICY.hash!));
  assert.ok(page.includes("policy-remove"));
});

test("keyPage() says that a key without a policy signs anything, and that a policy is locked", () => {
  const free = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: NO_POLICY, signatures: NO_ACTIVITY })
  }`;
  assert.match(free, /Anything that you ask for/);
  assert.ok(!free.includes("policy/cancel"));
  const locked = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: LOCKED, signatures: NO_ACTIVITY })
  }`;
  assert.match(locked, /<span class="badge">Locked<\/span>/);
  assert.ok(!locked.includes("policy-remove"));
});

test("keyPage() selects the key's blind-signing setting", () => {
  for (const blindSigning of ["allow", "guard", "deny"] as const) {
    const page = `${
      keyPage({
        tee: TEE,
        account: ACCOUNT,
        key: { ...KEY, blindSigning },
        policy: NO_POLICY,
        signatures: NO_ACTIVITY,
      })
    }`;
    assert.deepEqual([...page.matchAll(/<option value="(\w+)" selected>/g)].map(([, value]) => value), [
      blindSigning,
    ]);
  }
});

test("keyPage() offers only kinds that the key allows", () => {
  const offered = (blindSigning: KeyView["blindSigning"]): readonly string[] => {
    const page = `${
      keyPage({
        tee: TEE,
        account: ACCOUNT,
        key: { ...KEY, blindSigning },
        policy: NO_POLICY,
        signatures: NO_ACTIVITY,
      })
    }`;
    const kinds = [
      ...page.matchAll(/<label class="kind"([^>]*)>\s*<input type="radio" name="kind" value="(\w+)"/g),
    ];
    return kinds.filter(([, attributes]) => !/\bhidden\b/.test(attributes!)).map(([, , value]) => value!)
      .slice(
        4,
      );
  };
  assert.deepEqual(offered("allow"), ["personal_bytes", "raw", "digest"]);
  assert.deepEqual(offered("guard"), ["personal_bytes", "raw"]);
  assert.deepEqual(offered("deny"), []);
});

test("keyPage() draws the address as a QR code (EIP-681) and an identicon, in the page", () => {
  const page = `${
    keyPage({ tee: TEE, account: ACCOUNT, key: KEY, policy: NO_POLICY, signatures: NO_ACTIVITY })
  }`;
  assert.match(page, /<svg class="qr"[^>]*\srole="img"\s+aria-label="QR code of the address"/);
  const pictures = [...page.matchAll(/<svg class="identicon"[^]*?<\/svg>/g)].map(([svg]) => svg);
  assert.ok(pictures.length >= 2 && pictures.every((svg) => svg.includes('aria-hidden="true"')));
  const paths = (address: string) => `${identicon(address, 10)}`;
  assert.equal(paths(KEY.address), paths(KEY.address.toLowerCase()));
  assert.notEqual(paths(KEY.address), paths(KEY.address.replace("94", "95")));
});

test("keysPage() links to the other view of the list with a plain link, and keeps the search", () => {
  assert.match(`${keysPage(KEYS)}`, /<a href="\/keys\?archived=true">Show archived keys/);
  const search = { ...SEARCH, archived: "include", text: "a&b", order: "name" } as const;
  assert.match(
    `${keysPage({ ...KEYS, search: { ...SEARCH, archived: "include" } })}`,
    /<a href="\/keys">Hide archived/,
  );
  assert.match(`${keysPage({ ...KEYS, search })}`, /<a href="\/keys\?q=a%26b&amp;order=name">Hide archived/);
});

test("keysPage() links to the pages before and after, if there are any", () => {
  assert.doesNotMatch(`${keysPage(KEYS)}`, /rel="(next|prev)"/);
  const at = (page: number) => `${keysPage({ ...KEYS, search: { ...SEARCH, page, pages: 3 } })}`;
  assert.match(at(1), /rel="next" href="\/keys\?page=2"/);
  assert.match(at(2), /rel="prev" href="\/keys\?page=1"[^]*rel="next" href="\/keys\?page=3"/);
  assert.doesNotMatch(at(3), /rel="next"/);
});

test("keysPage() shows first steps until the service has seen them all done", () => {
  const page = `${keysPage(KEYS)}`;
  assert.equal([...page.matchAll(/class="step"/g)].length, 3);
  assert.match(page, new RegExp(`class="step done"><a href="/keys/${KEY.id}#sign">Sign something`));
  const steps = { hasSecondPasskey: true, hasSigned: true, hasToken: true };
  assert.doesNotMatch(`${keysPage({ ...KEYS, steps })}`, /First steps/);
});

test("every page says that its TEE is simulated, if it is", () => {
  const account = { ...ACCOUNT, tee: "simulated" as const };
  const pages = [
    homePage({ tee: "simulated", language: "en" }),
    signedOutPage({ tee: "simulated", language: "en" }),
    signUpPage({ ...LANGUAGE, tries: 3, mail: "sent", tee: "simulated", language: "en" }),
    signInPage({ ...LANGUAGE, tee: "simulated", language: "en" }),
    identitySignUpPage({ ...PERSON, tee: "simulated", language: "en" }),
    outboxPage({ ...LANGUAGE, mails: [], tee: "simulated", language: "en" }),
    errorPage({ ...ERROR, tee: "simulated", language: "en" }),
    errorPage({ ...ERROR, account }),
    keysPage({ ...KEYS, account }),
  ];
  for (const page of pages) {
    assert.match(`${page}`, /<p class="strip"><strong>Development:<\/strong> simulated TEE/);
  }
  for (const page of [homePage(LANGUAGE), homePage({ tee: "hardware", language: "en" })]) {
    assert.doesNotMatch(`${page}`, /class="strip"/);
  }
});

test("keysPage() says why the list is empty", () => {
  const empty = { ...KEYS, keys: [] };
  assert.match(`${keysPage({ ...empty, owned: 0 })}`, /You have no keys yet/);
  assert.match(`${keysPage(empty)}`, /All keys are archived\. <a href="\/keys\?archived=true">Show them/);
  assert.match(`${keysPage({ ...empty, search: { ...SEARCH, text: "x" } })}`, /No key has “<bdi>x<\/bdi>”/);
});

test("pages of a signed-in user show the e-mail address and a sign-out form, and public pages do not", () => {
  for (const name of ["keys", "no keys", "key", "archived key"]) {
    const page = PAGES[name]!();
    assert.match(page, /<form method="post" action="\/sign-out">/, name);
    assert.match(page, /ada@example\.com/, name);
    assert.match(page, /<body\s+data-account="acct_1"\s*>/, name);
  }
  for (const name of ["home", "sign-up", "sign-in", "signed-out", "error"]) {
    const page = PAGES[name]!();
    assert.doesNotMatch(page, /sign-out/, name);
    assert.match(page, /<body\s*>/, name);
  }
});

test("signUpPage() links to the outbox in development only", () => {
  assert.match(`${signUpPage({ ...LANGUAGE, tries: 3, mail: "outbox" })}`, /href="\/dev\/outbox"/);
  assert.doesNotMatch(`${signUpPage({ ...LANGUAGE, tries: 3, mail: "sent" })}`, /outbox/);
});

test("signInPage() lets the browser suggest passkeys in its field", () => {
  assert.match(`${signInPage(LANGUAGE)}`, /<input[^>]* autocomplete="username webauthn"/);
});

test("errorPage() ends the detail as a sentence, once", () => {
  assert.match(`${errorPage({ ...ERROR, detail: "Action first" })}`, /<p>Action first\.<\/p>/);
  assert.match(`${errorPage({ ...ERROR, detail: "Is it so?" })}`, /<p>Is it so\?<\/p>/);
});

test("auditPage() shows events as sentences with names, under their day, the rest behind Details", () => {
  const page = `${auditPage({ ...AUDIT, nextPath: "/account/audit?cursor=x" })}`;
  assert.match(page, /<h2>Today<\/h2>/);
  assert.match(
    page,
    /<a class="plain-link" href="\/keys\/key_[0a]+"><strong><bdi>Treasury<\/bdi><\/strong><\/a> was created/,
  );
  assert.match(page, /<summary><time datetime="2026-01-31T09:30:00\.000Z">31 Jan 2026, 09:30 UTC<\/time>/);
  assert.match(page, /<dt>Entry<\/dt>\s*<dd><code>7<\/code>/);
  assert.ok(page.includes(`9:${"ab".repeat(32)}`));
  assert.match(page, /rel="next" href="\/account\/audit\?cursor=x"/);
  assert.doesNotMatch(page, /Newest events|The log was changed/);
});

test("auditPage() draws the days as a picture with a text alternative, and as a table", () => {
  const page = `${auditPage(AUDIT)}`;
  assert.match(page, /aria-label="3 signatures in the last 2 days, most on 31 Jan 2026: 3"/);
  assert.equal([...page.matchAll(/<rect /g)].length, 2 + 3 * 2);
  assert.match(page, /<td>31 Jan 2026<\/td>\s*<td>3<\/td>/);
});

test("auditPage() draws the signatures of each key and program", () => {
  const page = `${auditPage(AUDIT)}`;
  const rows = [...page.matchAll(/<th scope="row">([^]*?)<\/th>[^]*?<td>(\d+)<\/td>/g)];
  const found = rows.map(([, name, sum]) => [name!.replace(/<[^>]*>/g, ""), sum]);
  assert.deepEqual(found, [["Treasury", "3"], ["You", "2"], ["Payroll", "1"]]);
});

test("auditPage() links to each kind of events, and keeps the selected key", () => {
  const page = `${auditPage({ ...AUDIT, kind: "signing", key: { id: "key_1", label: "Treasury" } })}`;
  assert.match(page, /href="\/account\/audit\?kind=sign-ins&amp;key=key_1"/);
  assert.match(
    page,
    /href="\/account\/audit\?kind=signing&amp;key=key_1"\s+aria-current="true"\s*>Signatures/,
  );
  assert.match(page, /href="\/account\/audit\.csv\?kind=signing&amp;key=key_1"/);
});

test("activity shows what was signed, for whom and where", () => {
  const messages = (event: string, detail: object, subject = KEY.id) => {
    const names = new Map([[KEY.id, "Treasury"], ["books", "Books"], ["token_b", "Payroll"]]);
    const events = [{ ...EVENT, event, subject, detail: { ...detail } }];
    return `${activityList({ events, names }, "en")}`.replace(/<details[^]*?<summary>/, " ").replace(
      /<dl[^]*<\/dl>/,
      "",
    )
      .replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();
  };
  const when = "31 Jan 2026, 09:30 UTC";
  const digest = "0xab";
  assert.match(
    messages("typed_data_signed", { digest, standard: "permit2_allowance", by: "token_b" }),
    new RegExp(
      `^Treasury signed a Permit2 approval ${when} · requested by Payroll`,
    ),
  );
  assert.match(messages("typed_data_signed", { digest }), /^Treasury signed typed data/);
  assert.match(messages("message_signed", { digest, format: "raw" }), /^Treasury signed raw bytes, blind/);
  const transaction = {
    digest,
    chainId: "1",
    recipient: `0x${"11".repeat(20)}`,
    value: "1500000000000000000",
    selector: null,
  };
  assert.match(
    messages("transaction_signed", transaction),
    /^Treasury signed a transaction on Ethereum: 1\.5 ETH to 0x1111…1111 31/,
  );
  assert.match(
    messages("transaction_signed", { ...transaction, chainId: "5", value: "0", selector: "0xa9059cbb" }),
    /on chain 5: 0 of its currency to 0x1111…1111, with a call/,
  );
  assert.match(messages("consent_given", { scope: "openid" }, "books"), /^You gave Books access/);
  assert.match(
    messages("grant_ended", { clientId: "books", reason: "revoked" }, "grant_1"),
    /^Books gave up its access/,
  );
  assert.match(messages("key_archived", {}, "key_gone"), /^A key was archived/);
});

test("auditPage() says that the log was edited when entries or the head cannot be verified", () => {
  const page = PAGES["audit, edited"]!();
  assert.match(page, /they could not be verified: 2\./);
  assert.match(page, /The last entry was not written by this service/);
  assert.match(page, /Newest events/);
});

test("auditPage() shows an event of another version with its name", () => {
  const events = [{ ...EVENT, event: "toString" }, { ...EVENT, event: "moved_to_mars" }];
  const page = `${auditPage({ ...AUDIT, activity: { ...NO_ACTIVITY, events } })}`;
  assert.match(page, /<p>toString<\/p>/);
  assert.match(page, /<p>moved_to_mars<\/p>/);
});
