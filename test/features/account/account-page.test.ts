import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accountPage } from "../../../src/features/account/account-page.ts";
import type { AccountPageData } from "../../../src/features/account/account-page.ts";
import type { PasskeyView } from "../../../src/api/passkey.ts";
import type { SessionView } from "../../../src/api/session.ts";

// pages.test.ts covers what every page promises. The browser tests cover the scripts.

const AT = "2026-01-31T09:30:00.000Z";

function passkey(change: Partial<PasskeyView> = {}): PasskeyView {
  return {
    id: "passkey_a",
    credentialId: "AAAA",
    name: "Laptop",
    provider: null,
    transports: [],
    backupEligible: false,
    backedUp: false,
    createdAt: AT,
    lastUsedAt: null,
    current: false,
    ...change,
  };
}

function session(change: Partial<SessionView> = {}): SessionView {
  return {
    id: "session_a",
    device: "Firefox on Linux",
    network: "192.0.2.1",
    passkeyId: "passkey_a",
    createdAt: AT,
    lastSeenAt: AT,
    expiresAt: AT,
    current: true,
    ...change,
  };
}

function page(change: Partial<AccountPageData> = {}): string {
  const data: AccountPageData = {
    account: { accountId: "acct_1", email: "ada@example.com", language: "en" },
    person: { id: "account_a", email: "ada@example.com", name: null, createdAt: AT },
    notifications: "mailed",
    passkeys: [passkey(), passkey({ id: "passkey_b", name: "Blue key" })],
    sessions: [session()],
    applications: [],
    activity: { events: [], names: new Map(), unverified: 0 },
    ...change,
  };
  return `${accountPage(data)}`.replace(/\s+/g, " ");
}

/** Returns the rows of a list on the page. */
function rowsOf(text: string, list: string): readonly string[] {
  const part = text.slice(text.indexOf(`id="${list}"`));
  return [...part.slice(0, part.indexOf("</ul>")).matchAll(/<li class="row">.*?<\/li>/g)].map(([row]) => row);
}

/** Returns the visible text: strips the tags. */
function words(text: string): string {
  return text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

describe("accountPage(), passkeys", () => {
  test("states whether a passkey is backed up", () => {
    const kept = (backupEligible: boolean, backedUp: boolean): string =>
      words(rowsOf(page({ passkeys: [passkey({ backupEligible, backedUp })] }), "passkey-list")[0]!);
    assert.match(kept(true, true), /Synced/);
    assert.match(kept(true, false), /Not backed up yet .*Turn on syncing/);
    assert.match(kept(false, false), /On one device/);
    assert.doesNotMatch(kept(false, false), /Synced|syncing/);
  });

  test("names the provider unless the passkey has its name", () => {
    const row = (provider: string | null) =>
      words(rowsOf(page({ passkeys: [passkey({ name: "Bitwarden", provider })] }), "passkey-list")[0]!);
    assert.equal(row("Bitwarden").split("Bitwarden").length, 3, "the title and the button");
    assert.match(row("iCloud Keychain"), /iCloud Keychain Created/);
  });

  test("marks the passkey of this session, and states when each was used", () => {
    const [first, second, third] = rowsOf(
      page({
        passkeys: [
          passkey({ current: true }),
          passkey({ id: "passkey_b", lastUsedAt: "2026-02-01T10:00:00.000Z" }),
          passkey({ id: "passkey_c" }),
        ],
      }),
      "passkey-list",
    ).map(words);
    assert.match(first!, /Used for this session/);
    assert.doesNotMatch(first!, /Not used yet/, "it opened the session when it was made");
    assert.match(second!, /Last used 1 Feb 2026, 10:00 UTC/);
    assert.match(third!, /Not used yet/);
    for (const row of [second, third]) assert.doesNotMatch(row!, /this session/);
  });

  test("has no button to delete the only passkey, and recommends a second one", () => {
    const one = page({ passkeys: [passkey()] });
    assert.doesNotMatch(one, /data-act="delete"/);
    assert.match(one, /Add a second passkey/);
    assert.match(one, /Your only passkey cannot be deleted/);
    const two = page();
    assert.equal(two.split('data-act="delete"').length, 3);
    assert.doesNotMatch(two, /Add a second passkey|only passkey/);
  });

  test("promises mails only if mail is configured", () => {
    assert.match(page(), /You are notified by mail/);
    const person = { id: "account_a", email: null, name: "Ada", createdAt: AT };
    const text = page({ person, notifications: "none" });
    assert.doesNotMatch(text, /by mail/);
    assert.match(words(text), /Name Ada E-mail address None/);
  });

  test("disables every button that needs the script", () => {
    for (const [button] of page().matchAll(/<button[^>]*data-act[^>]*>/g)) {
      assert.match(button, / disabled>$/);
    }
  });
});

describe("accountPage(), sessions", () => {
  test("offers to end every session but this one", () => {
    const text = page({
      sessions: [session(), session({ id: "session_b", device: "Chrome on Android", current: false })],
    });
    const [here, there] = rowsOf(text, "session-list");
    assert.match(here!, /This session/);
    assert.doesNotMatch(here!, /<button/);
    assert.match(words(there!), /End the session of Chrome on Android/);
    assert.match(text, /End all other sessions/);
  });

  test("does not offer to end other sessions if there are none", () => {
    assert.doesNotMatch(page(), /End all other sessions/);
    assert.match(page(), /Sign out everywhere/);
  });

  test("names the passkey of a session", () => {
    assert.match(words(rowsOf(page(), "session-list")[0]!), /From 192\.0\.2\.1 With Laptop Since/);
    const other = page({ sessions: [session({ passkeyId: "passkey_z" })] });
    assert.doesNotMatch(words(rowsOf(other, "session-list")[0]!), /With/);
  });
});

describe("accountPage(), applications and activity", () => {
  test("shows each application with a form that works without a script, and the claims that it receives", () => {
    const text = page({
      applications: [{
        clientId: "client1",
        name: "Books",
        uri: "https://books.example",
        scope: "openid",
        sees: ["The id of your account"],
        consentedAt: AT,
        keyGrants: [],
      }],
    });
    assert.match(text, /<summary [^]*<form method="post" action="\/account\/withdraw">/);
    assert.match(text, /<input type="hidden" name="clientId" value="client1">/);
    assert.match(text, /<a href="https:\/\/books\.example" rel="noreferrer">/);
    assert.match(words(text), /Withdraw… from Books It loses its access at once/);
    assert.match(words(page({ withdrawn: "Books" })), /“ Books ” has no access any more/);
    assert.match(words(text), /It sees: The id of your account/);
  });

  test("says that no application can see anything if none was let in", () => {
    assert.match(page(), /No application has access to your account\./);
    assert.doesNotMatch(page(), /It sees/);
  });

  test("warns if the latest entries could not be verified", () => {
    assert.doesNotMatch(page(), /could not be verified/);
    assert.match(
      page({ activity: { events: [], names: new Map(), unverified: 2 } }),
      /could not be verified/,
    );
  });

  test("says that the page needs JavaScript if it is off", () => {
    const [, notice] = /<noscript>(.*?)<\/noscript>/.exec(page())!;
    assert.match(words(notice!), /Managing passkeys and ending sessions/);
  });
});
