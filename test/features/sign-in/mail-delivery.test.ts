import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connectDatabase } from "../../../src/db/database.ts";
import { engineOf } from "../../../src/db/port.ts";
import { setSessionCookie } from "../../../src/http/cookie/cookies.ts";
import { MINUTE } from "../../../src/lib/time.ts";
import { listOutbox } from "../../../src/mail/outbox.ts";
import { createTestApp, NO_PROVIDERS, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { openTestDatabase } from "../../support/database.ts";
import { watched } from "../../support/engine.ts";

const HTTPS = "https://wallet.example.com";
const MAIL = { SMTP_URL: "smtp://mail.example.com", MAIL_FROM: "wallet@example.com" };
const JSON_ONLY = { headers: { accept: "application/json" } };
const PROVIDER = {
  kind: "github",
  id: "github",
  name: "GitHub",
  clientId: "id",
  clientSecret: "secret",
} as const;

/** Returns the headers and cookies of the response to a browser that requests a code. */
async function askForCode(app: TestApp, email: string) {
  const answer = await app.client().post("/api/auth/email-code", { email });
  const headers = [...answer.headers].map(([name, value]) =>
    [name, value.replace(/=[\w-]{20,}(?:\.[\w-]+)?;/, "=;")] as const
  ).filter(([name]) => name !== "request-id" && name !== "x-request-id");
  return { status: answer.status, body: answer.body, headers };
}

describe("an app that sends mail", () => {
  test("GET /dev/outbox answers 404 in development with SMTP_URL, and the sign-up page does not link to an outbox", async () => {
    await using app = await createTestApp({ environment: MAIL });
    const client = app.client();
    assert.equal((await client.post("/api/auth/email-code", { email: "alice@example.com" })).status, 200);
    assert.equal((await client.get("/dev/outbox", JSON_ONLY)).status, 404);
    const page = await app.app(new Request(`${ORIGIN}/sign-up`, { headers: { host: "localhost:3000" } }), {
      clientAddress: "127.0.0.1",
    });
    const text = await page.text();
    assert.match(text, /id="email-form"/);
    assert.doesNotMatch(text, /outbox/);
  });

  test("GET /dev/outbox answers 404 in production, with and without mail", async () => {
    for (const environment of [MAIL, {}]) {
      await using app = await createTestApp({ origin: HTTPS, environment });
      const answer = await app.client().get("/dev/outbox", JSON_ONLY);
      assert.deepEqual([answer.status, answer.body.code], [404, "not_found"]);
    }
  });

  test("GET /account promises mails only if mail is configured", async () => {
    for (const [environment, promise] of [[MAIL, true], [{}, false]] as const) {
      await using app = await createTestApp({ origin: HTTPS, environment });
      const development = await createTestApp({ db: app.db });
      const client = development.client();
      await signUp(client, "alice@example.com");
      const there = app.client();
      for (
        const [, text] of setSessionCookie(
          client.cookies.get("service.session_token")!,
          { isShared: false },
          { baseUrl: HTTPS, sessionLifetimes: { longest: 1000, idle: 1000 } },
        )
      ) {
        const [, name, value] = /^([^=]+)=([^;]+)/.exec(text)!;
        there.cookies.set(name!, value!);
      }
      assert.equal((await there.get("/account")).text.includes("notified by mail"), promise);
    }
  });

  test("POST /api/auth/email-code answers 404 in production without mail, queues nothing and logs no error", async () => {
    await using app = await createTestApp({
      origin: HTTPS,
      identity: { ...NO_PROVIDERS, providers: [PROVIDER] },
    });
    const answer = await app.client().post("/api/auth/email-code", { email: "alice@example.com" });
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, "not_found");
    assert.ok(app.logged.length > 0);
    assert.ok(app.logged.every((line) => JSON.parse(line).level === "info"), app.logged.join("\n"));
    assert.deepEqual(await app.db.selectFrom("outbox").selectAll().execute(), []);
    const page = await app.app(new Request(`${HTTPS}/sign-up`, { headers: { host: "wallet.example.com" } }), {
      clientAddress: "127.0.0.1",
    });
    const text = await page.text();
    assert.match(text, /Continue with <bdi>GitHub/);
    assert.doesNotMatch(text, /email-form|sign-up\.client/);
  });
});

test("POST /api/auth/email-code sends the same response, cookies and number of mails for known and unknown addresses", async () => {
  await using app = await createTestApp();
  await signUp(app.client(), "alice@example.com");
  app.now += 10 * MINUTE;
  const before = await app.db.selectFrom("outbox").select("id").execute();
  const known = await askForCode(app, "alice@example.com");
  const unknown = await askForCode(app, "unknown@example.com");
  assert.deepEqual(known, unknown);
  const mails = (await listOutbox(app.db, app.vault, app.now)).filter(({ createdAt }) =>
    createdAt === app.now
  );
  assert.equal(mails.length, 2);
  const after = await app.db.selectFrom("outbox").select("id").execute();
  assert.equal(after.length - before.length, 2);
  const shapes = mails.map(({ to, subject, text, html }) =>
    [subject, text, html].join("\n").replaceAll(to, "").replace(/\d{6}/g, "000000")
  );
  assert.equal(shapes[0], shapes[1]);
});

test("POST /api/auth/email-code runs the same statements for known and unknown addresses", async () => {
  const statements: string[] = [];
  const db = connectDatabase(watched(engineOf(await openTestDatabase()), ({ sql }) => statements.push(sql)));
  await using app = await createTestApp({ db });
  await signUp(app.client(), "alice@example.com");
  const counted = async (email: string): Promise<readonly string[]> => {
    statements.length = 0;
    assert.equal((await app.client().post("/api/auth/email-code", { email })).status, 200);
    return [...statements];
  };
  const known = await counted("alice@example.com");
  const unknown = await counted("unknown@example.com");
  assert.ok(known.length > 0);
  assert.deepEqual(known, unknown);
  await db.destroy();
});

describe("an app at an https origin", () => {
  test("every cookie is Secure, HttpOnly and host-only, and HSTS is on", async () => {
    await using app = await createTestApp({ origin: HTTPS, environment: MAIL });
    const { headers } = await app.client().post("/api/auth/email-code", { email: "alice@example.com" });
    const cookies = headers.getSetCookie();
    assert.ok(cookies.length > 0);
    for (const cookie of cookies) {
      assert.match(cookie, /; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
      assert.doesNotMatch(cookie, /Domain=/i);
    }
    assert.equal(headers.get("strict-transport-security"), "max-age=63072000");
  });

  test("an http origin has neither", async () => {
    await using app = await createTestApp();
    const { headers } = await app.client().post("/api/auth/email-code", { email: "alice@example.com" });
    assert.ok(headers.getSetCookie().every((cookie) => !cookie.includes("Secure")));
    assert.equal(headers.get("strict-transport-security"), null);
  });

  test("a code is bound to the host of the https origin", async () => {
    await using app = await createTestApp({ origin: HTTPS, environment: MAIL });
    await app.client().post("/api/auth/email-code", { email: "alice@example.com" });
    const [mail] = await listOutbox(app.db, app.vault, app.now);
    assert.match(mail!.text, /\n@wallet\.example\.com #\d{6}\n$/);
  });
});
