import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import type { Answer, Client } from "../../support/client.ts";
import { administer, postForm, providerOf, registerClient } from "../../support/oauth.ts";
import type { Fields, Registered } from "../../support/oauth.ts";

const BEFORE = {
  redirectUris: ["https://books.example/cb", "https://old.example/cb"],
  backchannelLogoutUri: "https://old.example/bcl",
};

/** What another administrator changes while the form is open. */
const CHANGES: Readonly<Record<string, unknown>> = {
  name: "Shelves",
  uri: "https://shelves.example",
  redirectUris: ["https://books.example/cb"],
  postLogoutRedirectUris: ["https://books.example/out"],
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: true,
  idTokenSignedResponseAlg: "EdDSA",
  scopes: ["openid", "keys:read"],
};

async function openForm(app: TestApp, { clientId }: Registered): Promise<{ admin: Client; form: Fields }> {
  const admin = app.client();
  assert.equal((await postForm(admin, "/admin/enter", { key: ADMIN_KEY, next: "" })).status, 303);
  return { admin, form: formIn(await admin.get(`/admin/applications/${clientId}`)) };
}

/** The fields of the form in a page, as a browser sends them. */
function formIn({ text }: Answer): Fields {
  const fields = [...text.matchAll(/<input[^>]* name="([a-zA-Z]+\d*)"[^>]* value="([^"]*)"/g)]
    .filter(([tag]) => !tag.includes("checkbox")).map(([, name, value]) => [name!, value!]);
  return { algorithm: "ES256", ...Object.fromEntries(fields) };
}

describe("the form of an application that somebody else changes while it is open", () => {
  for (const [member, value] of Object.entries(CHANGES)) {
    test(`changes nothing where ${member} is another one now`, async () => {
      await using app = await createTestApp();
      const provider = providerOf(app);
      const client = await registerClient(provider, BEFORE);
      const path = `/admin/applications/${client.clientId}`;
      const { admin, form } = await openForm(app, client);
      const patched = await administer(provider, "PATCH", `/${client.clientId}`, { [member]: value });
      assert.equal(patched.status, 200, patched.text);
      const answer = await postForm(admin, path, { ...form, uri: "https://mine.example" });
      assert.equal(answer.status, 409, answer.text);
      assert.match(answer.text, /role="alert">Not saved: the application was changed/);
      const kept = await administer(provider, "GET", `/${client.clientId}`);
      assert.deepEqual(kept.body.client, patched.body.client);
      // The page has the application as it is now, and is taken.
      const again = await postForm(admin, path, { ...formIn(answer), uri: "https://mine.example" });
      assert.equal(again.status, 200, again.text);
    });
  }

  test("is taken after a fault, and after what it does not show was changed", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const client = await registerClient(provider, BEFORE);
    const path = `/admin/applications/${client.clientId}`;
    const { admin, form } = await openForm(app, client);
    await postForm(admin, `${path}/secret`, { overlap: "3600" });
    await postForm(admin, `${path}/disable`, {});
    const faulty = await postForm(admin, path, { ...form, redirect0: "x" });
    assert.equal(faulty.status, 400);
    assert.equal(formIn(faulty)["seen"], form["seen"]);
    const saved = await postForm(admin, path, { ...formIn(faulty), redirect0: "https://new.example/cb" });
    assert.equal(saved.status, 200, saved.text);
    assert.notEqual(formIn(saved)["seen"], form["seen"]);
  });
});
