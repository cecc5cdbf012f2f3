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

/** The changes that another administrator makes while the form is open. */
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
  const path = `/admin/applications/${clientId}`;
  const admin = app.client();
  assert.equal((await postForm(admin, "/admin/enter", { key: ADMIN_KEY, next: "" })).status, 303);
  return { admin, form: formIn(await admin.get(path), path) };
}

/** Returns the fields of the form that posts to this path, as a browser sends them. */
function formIn({ text }: Answer, path: string): Fields {
  const form = text.split("<form").find((part) => part.includes(`action="${path}"`))!.split("</form>")[0]!;
  const fields = [...form.matchAll(/<input[^>]* name="([a-zA-Z]+\d*)"[^>]* value="([^"]*)"/g)]
    .filter(([tag]) => !tag.includes("checkbox")).map(([, name, value]) => [name!, value!]);
  const chosen = [...form.matchAll(/<select[^>]* name="(\w+)"[^>]*>.*?<option value="(\w+)"/gs)]
    .map(([, name, value]) => [name!, value!]);
  return Object.fromEntries([...fields, ...chosen]);
}

describe("the form of an application that another administrator changes while it is open", () => {
  for (const [member, value] of Object.entries(CHANGES)) {
    test(`changes nothing if ${member} was changed meanwhile`, async () => {
      await using app = await createTestApp();
      const provider = providerOf(app);
      const client = await registerClient(provider, BEFORE);
      const path = `/admin/applications/${client.clientId}`;
      const { admin, form } = await openForm(app, client);
      const patched = await administer(provider, "PATCH", `/${client.clientId}`, { [member]: value });
      assert.equal(patched.status, 200, patched.text);
      const answer = await postForm(admin, path, { ...form, uri: "https://mine.example" });
      assert.equal(answer.status, 409, answer.text);
      assert.match(answer.text, /role="alert">Not saved. The application was changed/);
      const kept = await administer(provider, "GET", `/${client.clientId}`);
      assert.deepEqual(kept.body.client, patched.body.client);
      // The page shows the current application, and its form is accepted.
      const again = await postForm(admin, path, { ...formIn(answer, path), uri: "https://mine.example" });
      assert.equal(again.status, 200, again.text);
    });
  }

  test("is accepted after an error, and after a change of what it does not show", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const client = await registerClient(provider, BEFORE);
    const path = `/admin/applications/${client.clientId}`;
    const { admin, form } = await openForm(app, client);
    await postForm(admin, `${path}/secret`, { overlap: "3600" });
    await postForm(admin, `${path}/disable`, {});
    const faulty = await postForm(admin, path, { ...form, redirect0: "x" });
    assert.equal(faulty.status, 400);
    assert.equal(formIn(faulty, path)["seen"], form["seen"]);
    const saved = await postForm(admin, path, {
      ...formIn(faulty, path),
      redirect0: "https://new.example/cb",
    });
    assert.equal(saved.status, 200, saved.text);
    assert.notEqual(formIn(saved, path)["seen"], form["seen"]);
  });
});

function secretIn({ text }: Answer): string {
  return /id="client-secret"[^>]*>([^<]+)</.exec(text)![1]!;
}

const NEW = {
  name: "Books",
  uri: "https://books.example",
  type: "web",
  redirect0: "https://books.example/cb",
};

async function enter(app: TestApp): Promise<Client> {
  const admin = app.client();
  assert.equal((await postForm(admin, "/admin/enter", { key: ADMIN_KEY, next: "" })).status, 303);
  return admin;
}

describe("a form that creates something, sent twice", () => {
  const count = async (app: TestApp, table: "client" | "invitation"): Promise<number> =>
    (await app.db.selectFrom(table).select("id").execute()).length;

  test("registers one application, and shows its secret again", async () => {
    await using app = await createTestApp();
    const admin = await enter(app);
    const path = "/admin/applications";
    const form = { ...formIn(await admin.get(`${path}/new`), path), ...NEW };
    const [first, again] = await Promise.all([postForm(admin, path, form), postForm(admin, path, form)]);
    assert.deepEqual([first.status, again.status, await count(app, "client")], [200, 200, 1]);
    assert.equal(secretIn(first), secretIn(again));
    // Other content creates another secret, and so does each form without the field.
    assert.equal((await postForm(admin, path, { ...form, name: "Shelves" })).status, 200);
    app.now += 11 * 60_000;
    const late = await postForm(admin, path, form);
    assert.deepEqual([late.status, late.headers.get("location")], [303, path]);
    const bare = Object.fromEntries(Object.entries(form).filter(([name]) => name !== "once"));
    for (const _ of [1, 2]) assert.equal((await postForm(admin, path, bare)).status, 200);
    assert.equal(await count(app, "client"), 4);
  });

  test("creates one new secret, so that the previous one stays valid for the chosen time", async () => {
    await using app = await createTestApp();
    const admin = await enter(app);
    const { clientId } = await registerClient(providerOf(app), BEFORE);
    const path = `/admin/applications/${clientId}`;
    const hashes = () =>
      app.db.selectFrom("client").select(["secret_hash", "previous_secret_hash"]).executeTakeFirstOrThrow();
    const before = await hashes();
    const form = { ...formIn(await admin.get(path), `${path}/secret`), overlap: "86400" };
    const first = await postForm(admin, `${path}/secret`, form);
    const again = await postForm(admin, `${path}/secret`, form);
    assert.deepEqual([first.status, again.status, secretIn(again)], [200, 200, secretIn(first)]);
    const after = await hashes();
    assert.equal(after.previous_secret_hash, before.secret_hash);
    app.now += 11 * 60_000;
    const late = await postForm(admin, `${path}/secret`, form);
    assert.deepEqual([late.status, late.headers.get("location")], [303, path]);
    assert.deepEqual(await hashes(), after);
    const next = { ...formIn(again, `${path}/secret`), overlap: "86400" };
    assert.notEqual(secretIn(await postForm(admin, `${path}/secret`, next)), secretIn(first));
    assert.equal((await hashes()).previous_secret_hash, after.secret_hash);
  });

  test("creates one invitation with one mail", async () => {
    await using app = await createTestApp({ environment: { SIGN_UP: "invite" } });
    const admin = await enter(app);
    const path = "/admin/invitations";
    const form = { ...formIn(await admin.get(path), path), email: "ada@example.com" };
    const answers = [await postForm(admin, path, form), await postForm(admin, path, form)];
    assert.deepEqual(answers.map(({ status }) => status), [200, 200]);
    const links = answers.map(({ text }) => /sign-up\?invitation=[^"<\s]+/.exec(text)![0]);
    assert.equal(links[0], links[1]);
    const { body } = await admin.get("/dev/outbox", { headers: { accept: "application/json" } });
    app.now += 11 * 60_000;
    const late = await postForm(admin, path, form);
    assert.deepEqual([late.status, late.headers.get("location")], [303, path]);
    assert.deepEqual([await count(app, "invitation"), body.messages.length], [1, 1]);
  });
});

describe("the form of an application that authenticates by keys of its own", () => {
  test("registers it, changes its keys, and gives it a secret again", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const admin = await enter(app);
    const path = "/admin/applications";
    const { kty, crv, x, y } = await crypto.subtle.exportKey(
      "jwk",
      (await crypto.subtle.generateKey(
        { name: "ECDSA", namedCurve: "P-256" },
        true,
        ["sign"],
      )).publicKey,
    );
    const jwks = { keys: [{ kty, crv, x, y, kid: "one" }] };
    const form = { ...formIn(await admin.get(`${path}/new`), path), ...NEW, method: "private_key_jwt" };
    const wrong: readonly (readonly [change: Fields, name: string])[] = [
      [{}, "jwks"],
      [{ jwks: "{" }, "jwks"],
      [{ jwks: JSON.stringify({ keys: [] }) }, "jwks"],
      [{ jwksUri: "ftp://books.example/jwks" }, "jwksUri"],
      [{ jwks: JSON.stringify(jwks), type: "spa" }, "method"],
      [{ jwks: JSON.stringify(jwks), method: "usual" }, "method"],
    ];
    for (const [change, name] of wrong) {
      const { status, text } = await postForm(admin, path, { ...form, ...change });
      assert.equal(status, 400, JSON.stringify(change));
      const after = text.slice(text.indexOf(`name="${name}"`));
      assert.match(after.slice(0, 1_500), /notice danger/, JSON.stringify(change));
    }
    const made = await postForm(admin, path, { ...form, jwks: JSON.stringify(jwks) });
    assert.equal(made.status, 200, made.text);
    assert.match(made.text, /PrivateKeyJwt/);
    assert.doesNotMatch(made.text, /id="secret"/);
    const [, clientId] = /action="\/admin\/applications\/([0-9a-v]{26})"/.exec(made.text)!;
    const client = async () => (await administer(provider, "GET", `/${clientId}`)).body.client;
    assert.deepEqual((await client()).jwks, jwks);

    const change = async (fields: Fields): Promise<Answer> => {
      const at = `${path}/${clientId}`;
      const answer = await postForm(admin, at, { ...formIn(await admin.get(at), at), ...fields });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    await change({ method: "private_key_jwt", jwks: "", jwksUri: "https://books.example/jwks" });
    assert.deepEqual([(await client()).jwks, (await client()).jwksUri], [null, "https://books.example/jwks"]);
    const back = await change({ method: "client_secret_basic" });
    assert.match(back.text, /id="secret"/);
    assert.equal((await client()).tokenEndpointAuthMethod, "client_secret_basic");
  });
});
