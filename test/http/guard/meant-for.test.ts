import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

interface Person {
  readonly browser: Client;
  readonly accountId: string;
  readonly keyId: string;
}

async function newPerson(app: TestApp, email: string): Promise<Person> {
  const browser = app.client();
  const { account, key } = (await signUp(browser, email)).body;
  return { browser, accountId: account.id, keyId: key.id };
}

/** Sends a request as a page of that account does. */
function askFor(
  accountId: string,
  { browser }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { "holdfast-account": accountId };
  return browser.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
}

test("a request from a page of another account than the session's is refused", async () => {
  await using app = await createTestApp();
  const ada = await newPerson(app, "ada@example.com");
  const bob = await newPerson(app, "bob@example.com");
  const asks = [
    ["PATCH", "/api/auth/account", { name: "Ada" }],
    ["POST", "/api/auth/account/export", {}],
    ["POST", "/api/auth/way-back/codes", {}],
    ["POST", "/api/keys/generate", {}],
    ["POST", `/api/keys/${bob.keyId}/sign`, { message: "hello" }],
    ["POST", "/api/auth/sessions/revoke-all", {}],
    ["GET", "/api/keys", undefined],
  ] as const;
  for (const [method, path, body] of asks) {
    const refused = await askFor(ada.accountId, bob, method, path, body);
    assert.deepEqual([refused.status, refused.body.code], [401, "authentication_required"], path);
  }
  const { account } = (await bob.browser.get("/api/auth/session")).body;
  assert.equal(account.name, null);
  const page = await askFor(ada.accountId, bob, "GET", "/account/settings");
  assert.deepEqual([page.status, page.headers.get("location")], [303, "/sign-in?next=%2Faccount%2Fsettings"]);
});

test("a request from a page of the session's account is handled", async () => {
  await using app = await createTestApp();
  const bob = await newPerson(app, "bob@example.com");
  const page = await bob.browser.get("/account/settings");
  const [, named] = /data-account="([^"]+)"/.exec(page.text)!;
  assert.equal(named, bob.accountId);
  const answer = await askFor(named, bob, "PATCH", "/api/auth/account", { name: "Bob" });
  assert.deepEqual([answer.status, answer.body.account.name], [200, "Bob"], answer.text);
});
