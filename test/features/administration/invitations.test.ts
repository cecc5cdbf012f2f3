import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp, TestAppOptions } from "../../support/app.ts";
import { proveAddress, readCode, registerPasskey, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client, RequestOptions } from "../../support/client.ts";
import { createIdentityStage, visitProvider } from "../../support/identity.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { PERSON } from "../../support/upstream.ts";

const INVITATIONS = "/api/admin/invitations";
const DAY = 24 * 60 * 60_000;

function inviting(more: TestAppOptions = {}): Promise<TestApp> {
  return createTestApp({ ...more, environment: { SIGN_UP: "invite", ...more.environment } });
}

function ask(app: TestApp, method: string, path = "", options: RequestOptions = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  return app.client().request(method, INVITATIONS + path, { headers, ...options });
}

async function invite(app: TestApp, body: object = {}): Promise<{ id: string; path: string }> {
  const answer = await ask(app, "POST", "", { body });
  assert.equal(answer.status, 201, answer.text);
  const link = new URL(answer.body.link);
  return { id: answer.body.invitation.id, path: link.pathname + link.search };
}

async function open(app: TestApp, path: string): Promise<Client> {
  const client = app.client();
  const answer = await client.get(path);
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/sign-up"]);
  return client;
}

async function usedOf(app: TestApp, id: string): Promise<number> {
  const { body } = await ask(app, "GET");
  return body.invitations.find((one: { id: string }) => one.id === id).used;
}

const codeOf = ({ status, body }: Answer): string => `${status} ${body?.code}`;

describe("an invitation", () => {
  test("creates one account by its link, and is used up", async () => {
    await using app = await inviting();
    const { id, path } = await invite(app);
    const ada = await open(app, path);
    assert.match((await ada.get("/sign-up")).text, /You are invited to create an account here\./);
    await signUp(ada, "ada@example.com");
    assert.equal(await usedOf(app, id), 1);
    assert.equal(ada.cookies.has("service.invitation"), false);
    const events = (await ada.get("/api/audit")).body.events;
    assert.ok(
      events.some((entry: { event: string; subject: string }) =>
        entry.event === "invitation_used" && entry.subject === id
      ),
    );

    const late = app.client();
    const answer = await late.get(path);
    assert.match(answer.text, /This invitation is no longer valid/);
    assert.equal(
      codeOf(await late.post("/api/auth/email-code", { email: "eve@example.com" })),
      "403 invitation_required",
    );
    // An existing account signs in without an invitation.
    assert.equal((await signIn(ada)).status, 200);
  });

  test("for an address is deleted with its account, and others are not", async () => {
    await using app = await inviting();
    const expiresAt = new Date(app.now + 300 * DAY).toISOString();
    const own = await invite(app, { email: "ada@example.com", expiresAt });
    const [general, others] = [
      await invite(app, { uses: 2, expiresAt }),
      await invite(app, { email: "bob@example.com", expiresAt }),
    ];
    const [ada, bob, cleo] = [
      await open(app, own.path),
      await open(app, others.path),
      await open(app, general.path),
    ];
    await signUp(ada, "ada@example.com");
    await signUp(bob, "bob@example.com");
    await signUp(cleo, "cleo@example.com");
    for (const [client, confirm] of [[ada, "ada@example.com"], [cleo, "cleo@example.com"]] as const) {
      assert.equal((await client.post("/api/auth/account/deletion", { confirm })).status, 200);
    }
    app.now += 7 * DAY;
    await app.maintain();
    assert.equal((await signIn(ada)).status, 401);
    const left = (await ask(app, "GET")).body.invitations.map(({ id }: { id: string }) => id);
    assert.deepEqual(left.sort(), [general.id, others.id].sort());
    assert.equal((await signIn(bob)).status, 200);
  });

  test("for an address is mailed to it, and creates an account with that address only", async () => {
    await using app = await inviting();
    const { path } = await invite(app, { email: "Ada@Example.com" });
    const mails = await app.client().get("/dev/outbox", { headers: { accept: "application/json" } });
    assert.deepEqual(mails.body.messages.map(({ to }: { to: string }) => to), ["ada@example.com"]);
    assert.ok(mails.body.messages[0].text.includes(path));
    const client = await open(app, path);
    assert.match((await client.get("/sign-up")).text, /value="ada@example\.com"/);
    assert.equal(
      codeOf(await client.post("/api/auth/email-code", { email: "eve@example.com" })),
      "403 invitation_required",
    );
    await signUp(client, "ada@example.com");
  });

  test("for three accounts is used up by the third, for every holder of its link", async () => {
    await using app = await inviting();
    const { id, path } = await invite(app, { uses: 3 });
    const browsers = await Promise.all([1, 2, 3, 4, 5].map(() => open(app, path)));
    const proven = await Promise.all(browsers.map((one, n) => proveAddress(one, `visitor${n}@example.com`)));
    assert.deepEqual(new Set(proven), new Set(["register_passkey"]));
    const answers = await Promise.all(browsers.map((one) => registerPasskey(one, "new")));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 403, 403]);
    assert.equal(await usedOf(app, id), 3);
    assert.equal((await app.db.selectFrom("account").selectAll().execute()).length, 3);
    const refused = answers.filter(({ status }) => status === 403);
    assert.deepEqual(refused.map(codeOf), ["403 invitation_required", "403 invitation_required"]);
  });

  test("that expired or was withdrawn creates no account, at any step", async () => {
    await using app = await inviting();
    for (const end of ["expires", "is withdrawn"]) {
      const { id, path } = await invite(app, { uses: 9 });
      const opened = await open(app, path);
      const proven = await open(app, path);
      await proveAddress(proven, `${end.length}@example.com`);
      if (end === "expires") app.now += 7 * DAY;
      else assert.equal((await ask(app, "DELETE", `/${id}`)).status, 200);
      const code = () => opened.post("/api/auth/email-code", { email: "x@example.com" });
      assert.equal(codeOf(await code()), "403 invitation_required", end);
      assert.match((await app.client().get(path)).text, /This invitation is no longer valid/, end);
      // With an expired ticket, the error is another one.
      if (end !== "expires") {
        assert.equal(codeOf(await registerPasskey(proven, "new")), "403 invitation_required");
      }
    }
    assert.deepEqual(await app.db.selectFrom("account").selectAll().execute(), []);
  });

  test("is refused without its secret and with another's secret", async () => {
    await using app = await inviting();
    const [one, other] = [await invite(app), await invite(app)];
    const secretOf = ({ path }: { path: string }) => path.split(".")[1]!;
    for (
      const path of [
        `/sign-up?invitation=${one.id}`,
        `/sign-up?invitation=${one.id}.${secretOf(other)}`,
        "/sign-up?invitation=x",
      ]
    ) assert.match((await app.client().get(path)).text, /This invitation is no longer valid/, path);
    const rows = JSON.stringify(await app.db.selectFrom("invitation").selectAll().execute());
    assert.ok(!rows.includes(secretOf(one)), "only a hash is stored");
  });

  test("is refused as inconsistent after an edit", async () => {
    await using app = await inviting();
    const { id, path } = await invite(app);
    await app.db.updateTable("invitation").set({ uses: 1000 }).execute();
    dropMemory(app.db);
    assert.equal((await app.client().get(path)).status, 503);
    assertInconsistent(await ask(app, "GET"));
    assertInconsistent(await ask(app, "DELETE", `/${id}`));
  });

  test("that was used up is not valid again when its earlier row is restored", async () => {
    await using app = await inviting();
    const { path } = await invite(app);
    const before = await app.db.selectFrom("invitation").selectAll().executeTakeFirstOrThrow();
    await signUp(await open(app, path), "ada@example.com");
    await app.db.updateTable("invitation").set(before).execute();
    assert.match((await app.client().get(path)).text, /This invitation is no longer valid/);
    dropMemory(app.db);
    assert.equal((await app.client().get(path)).status, 503);
  });
});

describe("without an invitation", () => {
  test("every address gets the same answer, also one that has an account, and no mail is sent", async () => {
    await using app = await inviting();
    const ada = await open(app, (await invite(app)).path);
    await signUp(ada, "ada@example.com");
    const sent = () => app.db.selectFrom("outbox").selectAll().execute().then((rows) => rows.length);
    const before = await sent();
    const stranger = app.client();
    const answers = [];
    for (const email of ["ada@example.com", "eve@example.com"]) {
      const { status, body } = await stranger.post("/api/auth/email-code", { email });
      answers.push([status, body.code, body.detail]);
      const verified = await stranger.post("/api/auth/email-code/verify", { email, code: "123456" });
      answers.push([verified.status, verified.body.code, verified.body.detail]);
    }
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assert.equal(await sent(), before);
    const { text } = await stranger.get("/sign-up?next=%2Fdeveloper");
    assert.match(text, /By invitation only/);
    assert.match(text, /href="\/sign-in\?next=%2Fdeveloper"/);
    assert.match(
      (await stranger.get("/sign-up", { headers: { "accept-language": "de" } })).text,
      /Nur auf Einladung/,
    );
  });

  test("a ticket from before the rule was set does not bypass it", async () => {
    await using before = await createTestApp();
    const client = before.client();
    await proveAddress(client, "ada@example.com");
    const after = await inviting({ db: before.db });
    const again = after.client();
    for (const [name, value] of client.cookies) again.cookies.set(name, value);
    assert.equal(codeOf(await registerPasskey(again, "new")), "403 invitation_required");
  });

  test("a link for the address of an account leads to sign-in", async () => {
    await using app = await inviting();
    const ada = await open(app, (await invite(app)).path);
    await signUp(ada, "ada@example.com");
    const { id, path } = await invite(app);
    const other = await open(app, path);
    assert.equal(await proveAddress(other, "ada@example.com"), "sign_in");
    assert.equal(await usedOf(app, id), 0);
  });
});

test("SIGN_UP=closed creates no account, with or without an invitation", async () => {
  await using app = await createTestApp({ environment: { SIGN_UP: "closed" } });
  const { path } = await invite(app);
  const client = app.client();
  assert.match((await client.get(path)).text, /No new accounts/);
  assert.equal(
    codeOf(await client.post("/api/auth/email-code", { email: "ada@example.com" })),
    "403 sign_up_closed",
  );
});

test("SIGN_UP=open creates every account, and uses up no invitation", async () => {
  await using app = await createTestApp();
  const { id, path } = await invite(app);
  const client = await open(app, path);
  await signUp(client, "ada@example.com");
  assert.equal(await usedOf(app, id), 0);
});

describe("POST, GET and DELETE /api/admin/invitations", () => {
  test("need the admin key", async () => {
    await using app = await inviting();
    const { id } = await invite(app);
    for (const [method, path] of [["POST", ""], ["GET", ""], ["DELETE", `/${id}`]] as const) {
      assert.equal((await ask(app, method, path, { headers: {} })).status, 401, method);
    }
  });

  test("refuse invalid input, and name the member", async () => {
    await using app = await inviting();
    const at = (after: number) => new Date(app.now + after).toISOString();
    const wrong: readonly (readonly [path: string, body: object])[] = [
      ["/email", { email: "no address" }],
      ["/uses", { uses: 0 }],
      ["/uses", { uses: 1001 }],
      ["/uses", { uses: 1.5 }],
      ["/uses", { email: "ada@example.com", uses: 2 }],
      ["/expiresAt", { expiresAt: at(0) }],
      ["/expiresAt", { expiresAt: at(366 * DAY) }],
      ["/expiresAt", { expiresAt: "tomorrow" }],
      ["/more", { more: 1 }],
    ];
    for (const [path, body] of wrong) {
      const answer = await ask(app, "POST", "", { body });
      assert.deepEqual([answer.status, answer.body.errors[0].path], [400, path], JSON.stringify(body));
    }
    assert.equal((await ask(app, "DELETE", "/invitation_" + "0".repeat(26))).status, 404);
    assert.equal((await ask(app, "POST", "", { body: { expiresAt: at(DAY) } })).status, 201);
  });

  test("list page by page, without the links", async () => {
    await using app = await inviting();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await invite(app)).id);
      app.now++;
    }
    const first = await ask(app, "GET", "?limit=2");
    const second = await ask(app, "GET", `?limit=2&cursor=${first.body.nextCursor}`);
    const listed = [...first.body.invitations, ...second.body.invitations];
    assert.deepEqual(listed.map(({ id }: { id: string }) => id), ids);
    assert.deepEqual(Object.keys(listed[0]), ["id", "email", "uses", "used", "createdAt", "expiresAt"]);
    assert.equal(second.body.nextCursor, null);
  });
});

test("a code requested with an invitation is invalid after the invitation is withdrawn", async () => {
  await using app = await inviting();
  const { id, path } = await invite(app);
  const client = await open(app, path);
  await client.post("/api/auth/email-code", { email: "ada@example.com" });
  const code = await readCode(app.client(), "ada@example.com");
  await ask(app, "DELETE", `/${id}`);
  const answer = await client.post("/api/auth/email-code/verify", { email: "ada@example.com", code });
  assert.equal(codeOf(answer), "403 invitation_required");
});

describe("an invitation and an identity provider", () => {
  const environment = { SIGN_UP: "invite" };
  const locationOf = ({ headers }: Answer): string | null => headers.get("location");

  test("create an account together, and the provider alone creates none", async () => {
    await using stage = await createIdentityStage({ environment });
    const { app, upstream } = stage;
    const stranger = app.client();
    assert.equal(locationOf(await visitProvider(stranger, upstream)), "/sign-up?refused=upstream");
    const { text } = await stranger.get("/sign-up?refused=upstream");
    assert.match(text, /By invitation only/);
    assert.match(text, /Upstream<\/bdi> has confirmed who you are/);
    assert.deepEqual(await app.db.selectFrom("sign_up_ticket").selectAll().execute(), []);

    const { id, path } = await invite(app);
    const ada = await open(app, path);
    assert.equal(locationOf(await visitProvider(ada, upstream)), "/sign-up?identity=upstream");
    assert.equal((await registerPasskey(ada, "new")).status, 201);
    assert.equal(await usedOf(app, id), 1);

    // An existing account is identified without an invitation.
    const again = app.client();
    assert.equal(locationOf(await visitProvider(again, upstream)), "/sign-in?identity=upstream");
  });

  test("create none if the invitation is for another address than the provider's", async () => {
    await using stage = await createIdentityStage({ environment });
    const { app, upstream } = stage;
    const { path } = await invite(app, { email: "other@else.example" });
    const ada = await open(app, path);
    assert.equal(locationOf(await visitProvider(ada, upstream)), "/sign-up?refused=upstream");
    assert.match((await ada.get("/sign-up?refused=upstream")).text, /This invitation is for another address/);
    const right = await open(app, (await invite(app, { email: PERSON.email })).path);
    assert.equal(locationOf(await visitProvider(right, upstream)), "/sign-up?identity=upstream");
  });
});
