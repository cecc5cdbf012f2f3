import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN_KEY, createTestApp, NO_PROVIDERS } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { heldLookup } from "../../support/identity.ts";
import { postForm } from "../../support/oauth.ts";

const PAGE = "/admin/webhooks";
const GOOD = { url: "http://localhost:9/in", events: "webhook_added, log_fault_noticed", signature: "hmac" };

test("an administrator adds a webhook by a form, which shows its secret once", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  assert.notEqual((await postForm(browser, PAGE, GOOD)).status, 200);
  await postForm(browser, "/admin/enter", { key: ADMIN_KEY, next: PAGE });
  assert.equal((await postForm(browser, PAGE, GOOD, { "sec-fetch-site": "cross-site" })).status, 403);
  const added = await postForm(browser, PAGE, GOOD);
  assert.equal(added.status, 200, added.text);
  const [secret] = /whsec_[A-Za-z0-9+/]{43}=/.exec(added.text)!;
  assert.ok(!(await browser.get(PAGE)).text.includes(secret));
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const { body } = await browser.get("/api/admin/webhooks", { headers });
  assert.deepEqual(body.webhooks[0].events, ["webhook_added", "log_fault_noticed"]);
  const signed = await postForm(browser, PAGE, { ...GOOD, signature: "ed25519" });
  assert.match(signed.text, /The webhook was added\.(?!.*whsec_)/s);
});

test("the form keeps what was sent and names the wrong field", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  await postForm(browser, "/admin/enter", { key: ADMIN_KEY, next: PAGE });
  const wrong = [
    [{ url: "ftp://localhost/" }, "url"],
    [{ events: "no_event" }, "events"],
    [{ events: " " }, "events"],
    [{ events: "webhook_added webhook_added" }, "events"],
  ] as const;
  for (const [change, field] of wrong) {
    const answer = await postForm(browser, PAGE, { ...GOOD, ...change });
    assert.equal(answer.status, 400, JSON.stringify(change));
    assert.match(answer.text, new RegExp(`id="${field}-fault"`));
  }
  assert.equal((await postForm(browser, PAGE, { ...GOOD, signature: "none" })).status, 400);
  assert.match((await browser.get(PAGE)).text, /There is no webhook/);
});

test("an administrator who is disabled during the lookup of the host adds none", async () => {
  const { lookup, asked, answer } = heldLookup();
  const environment = { ADMIN_ACCOUNTS: "ada@example.com" };
  await using app = await createTestApp({ environment, identity: { ...NO_PROVIDERS, lookup } });
  const ada = app.client();
  const { body: { account } } = await signUp(ada, "ada@example.com");
  assert.equal((await postForm(ada, "/admin/enter/passkey", { next: PAGE })).status, 303);
  const adding = postForm(ada, PAGE, { ...GOOD, url: "https://hooks.example/in" });
  await asked;
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const disabled = await app.client().post(`/api/admin/accounts/${account.id}/disable`, {}, { headers });
  assert.equal(disabled.status, 200, disabled.text);
  answer();
  assert.doesNotMatch((await adding).text, /whsec_/);
  assert.deepEqual(await app.db.selectFrom("webhook").selectAll().execute(), []);
});
