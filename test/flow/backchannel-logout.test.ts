import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { SESSION_LIMIT } from "../../src/accounts/session/session.ts";
import { ADMIN_KEY, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { createListenedApp } from "../support/logout-listener.ts";
import type { LogoutListener, ReceivedLogout } from "../support/logout-listener.ts";
import {
  administer,
  exchange,
  getCode,
  getTokens,
  postForm,
  providerOf,
  registerClient,
} from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { begin, DAY, finish, HOUR, mailsTo, makeCodes, pass } from "../support/recovery.ts";

/** A browser of a person, and the `sid` that each application has for its session. */
interface Browser {
  readonly client: Client;
  readonly books: string;
  readonly ledger: string;
}

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly listener: LogoutListener;
  /** Gets logout tokens without `sid` if all sessions end. */
  readonly books: Registered;
  /** Requires `sid` in logout tokens, which are signed with RS256. */
  readonly ledger: Registered;
  readonly ada: string;
  readonly bob: string;
  readonly laptop: Browser;
  readonly phone: Browser;
  readonly bobs: Browser;
  /** Delivers the due logout tokens and returns "application subject sid" of each, sorted. */
  deliver(): Promise<readonly string[]>;
  /** Returns the `sid` in an ID token of the browser's session. */
  sidAt(client: Client, application: Registered): Promise<string>;
}

const line = (application: string, sub: string, sid: string | undefined): string =>
  `${application} ${sub} ${sid ?? "all"}`;

/** Signs Ada in with two browsers and Bob with one, each at both applications. */
async function openStage(): Promise<Stage> {
  const { app, listener, [Symbol.asyncDispose]: dispose } = await createListenedApp();
  const provider = providerOf(app);
  const books = await registerClient(provider, { backchannelLogoutUri: "https://books.example/bcl?a=1" });
  const ledger = await registerClient(provider, {
    name: "Ledger",
    redirectUris: ["https://ledger.example/cb"],
    backchannelLogoutUri: "https://ledger.example/bcl",
    backchannelLogoutSessionRequired: true,
    idTokenSignedResponseAlg: "RS256",
  });
  // A client without a back-channel logout URI.
  const silent = await registerClient(provider, { redirectUris: ["https://silent.example/cb"] });
  const names = new Map([[books.clientId, "books"], [ledger.clientId, "ledger"]]);
  const sidAt = async (client: Client, application: Registered): Promise<string> =>
    decodeJwt<{ sid: string }>((await getTokens(provider, client, application)).id_token).sid;
  const visit = async (client: Client): Promise<Browser> => {
    await getTokens(provider, client, silent);
    return { client, books: await sidAt(client, books), ledger: await sidAt(client, ledger) };
  };
  const first = app.client();
  const ada = (await signUp(first, "ada@example.com")).body.account.id;
  const laptop = await visit(first);
  // The phone's session is younger, and expires later.
  app.now += 1;
  const second: Client = { ...app.client(), authenticator: first.authenticator };
  assert.equal((await signIn(second)).status, 200);
  const phone = await visit(second);
  const other = app.client();
  const bob = (await signUp(other, "bob@example.com")).body.account.id;
  const deliver = async (): Promise<readonly string[]> => {
    await app.deliverLogoutTokens();
    return listener.take().map(({ aud, sub, sid }) => line(names.get(aud) ?? aud, sub, sid)).toSorted();
  };
  return {
    app,
    listener,
    books,
    ledger,
    ada,
    bob,
    laptop,
    phone,
    bobs: await visit(other),
    deliver,
    sidAt,
    [Symbol.asyncDispose]: dispose,
  };
}

const ofSession = (sub: string, { books, ledger }: Browser): readonly string[] => [
  line("books", sub, books),
  line("ledger", sub, ledger),
];

/** Returns the logout tokens for the end of all sessions of Ada: one without `sid`, or one for each session. */
const allSessions = ({ ada, laptop, phone }: Stage): readonly string[] =>
  [
    line("books", ada, undefined),
    line("ledger", ada, laptop.ledger),
    line("ledger", ada, phone.ledger),
  ].toSorted();

async function sessionIdOf({ client }: Browser): Promise<string> {
  return (await client.get("/api/auth/session")).body.session.id;
}

async function isIn({ client }: Browser): Promise<boolean> {
  return (await client.get("/api/auth/session")).body.session !== null;
}

const admin = (app: TestApp, path: string) =>
  app.client().post(`/api/admin/accounts/${path}`, undefined, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });

describe("the end of one session", () => {
  test("signing out sends each application a token with its own subject and session", async () => {
    await using stage = await openStage();
    const { laptop, ada, deliver } = stage;
    assert.deepEqual(await deliver(), []);
    assert.equal((await laptop.client.post("/api/auth/sign-out")).status, 204);
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
    assert.deepEqual(await deliver(), [], "once");
    const sids = [laptop, stage.phone, stage.bobs].flatMap(({ books, ledger }) => [books, ledger]);
    assert.equal(new Set(sids).size, 6);
    const ids = [await sessionIdOf(stage.phone), await sessionIdOf(stage.bobs)];
    assert.ok(ids.every((id) => !sids.some((sid) => sid.includes(id.slice("session_".length)))));
  });

  test("a logout at a client's request also sends a token to that client", async () => {
    await using stage = await openStage();
    const { app, laptop, books, ada, deliver } = stage;
    const { id_token: hint } = await getTokens(providerOf(app), laptop.client, books);
    const path = `/api/auth/oauth2/end-session?${new URLSearchParams({ id_token_hint: hint })}`;
    assert.equal((await laptop.client.get(path)).headers.get("location"), "/signed-out");
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
  });

  test("the owner ends another session, or all other sessions", async () => {
    await using stage = await openStage();
    const { laptop, phone, ada, deliver } = stage;
    const id = await sessionIdOf(phone);
    assert.equal((await laptop.client.request("DELETE", `/api/auth/sessions/${id}`)).status, 204);
    assert.deepEqual(await deliver(), ofSession(ada, phone));
    const again: Client = { ...stage.app.client(), authenticator: laptop.client.authenticator };
    await signIn(again);
    const sid = await stage.sidAt(again, stage.books);
    const ended = await laptop.client.post("/api/auth/sessions/revoke-others");
    assert.equal(ended.body.ended, 1, ended.text);
    assert.deepEqual(await deliver(), [line("books", ada, sid)]);
  });

  test("the passkey of the session is removed", async () => {
    await using stage = await openStage();
    const { app, laptop, phone, ada, deliver } = stage;
    const tablet = app.client();
    const adding: Client = { ...laptop.client, authenticator: tablet.authenticator };
    const { passkey } = (await registerPasskey(adding, "present")).body;
    await signIn(tablet);
    const sid = await stage.sidAt(tablet, stage.ledger);
    assert.equal((await laptop.client.request("DELETE", `/api/auth/passkeys/${passkey.id}`)).status, 204);
    assert.deepEqual(await deliver(), [line("ledger", ada, sid)]);
    assert.equal(await isIn(phone), true);
  });

  test("a new session exceeds the limit and ends the oldest", async () => {
    await using stage = await openStage();
    const { app, laptop, ada, deliver } = stage;
    for (let n = 0; n < SESSION_LIMIT - 1; n++) {
      app.now += 1;
      await signIn({ ...app.client(), authenticator: laptop.client.authenticator });
    }
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
  });

  test("another person signs in in the same browser", async () => {
    await using stage = await openStage();
    const { laptop, bobs, ada, deliver } = stage;
    await signIn({ ...laptop.client, authenticator: bobs.client.authenticator });
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
  });

  test("the same person signs in again: the session continues for applications", async () => {
    await using stage = await openStage();
    const { laptop, ada, deliver, sidAt, books, ledger } = stage;
    const before = await sessionIdOf(laptop);
    await signIn(laptop.client);
    assert.notEqual(await sessionIdOf(laptop), before);
    assert.deepEqual(await deliver(), []);
    assert.deepEqual(
      [await sidAt(laptop.client, books), await sidAt(laptop.client, ledger)],
      [laptop.books, laptop.ledger],
    );
    await laptop.client.post("/api/auth/sign-out");
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
  });

  test("a session that expires sends no token", async () => {
    await using stage = await openStage();
    stage.app.now += 31 * DAY;
    await stage.app.maintain();
    assert.deepEqual(await stage.deliver(), []);
    const rows = await stage.app.db.selectFrom("application_session").selectAll().execute();
    assert.deepEqual(rows, []);
  });

  test("a code issued in an ended session is refused", async () => {
    await using stage = await openStage();
    const { app, laptop, phone, books } = stage;
    const [ended, other] = [await getCode(laptop.client, books), await getCode(phone.client, books)];
    await laptop.client.post("/api/auth/sign-out");
    const refused = await exchange(providerOf(app), books, ended);
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_grant"]);
    assert.equal((await exchange(providerOf(app), books, other)).status, 200);
  });
});

describe("the end of all sessions of an account", () => {
  const acts: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
    "the owner signs out everywhere": ({ laptop }) => laptop.client.post("/api/auth/sessions/revoke-all"),
    "the administrator disables the account": ({ app, ada }) => admin(app, `${ada}/disable`),
    "the administrator ends its sessions": ({ app, ada }) => admin(app, `${ada}/sessions/revoke-all`),
    "the owner requests deletion": ({ laptop }) =>
      laptop.client.post("/api/auth/account/deletion", { confirm: "ada@example.com" }),
    "an e-mail change is reverted": async ({ app, laptop }) => {
      const email = "new@example.com";
      assert.equal((await laptop.client.post("/api/auth/account/email/code", { email })).status, 200);
      const code = await readCode(laptop.client, email);
      const changed = await laptop.client.post("/api/auth/account/email", { email, code });
      assert.equal(changed.status, 200, changed.text);
      const [notice] = await mailsTo(app.client(), "ada@example.com");
      const link = new URL(/\bhttp\S+\/take-back\S+/.exec(notice!.text)![0]);
      const back = await postForm(app.client(), "/take-back", { token: link.searchParams.get("token")! });
      assert.equal(back.status, 303, back.text);
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    test(`${name}sends one token without sid, or one for each session to a client that requires it`, async () => {
      await using stage = await openStage();
      await act(stage);
      assert.deepEqual(await stage.deliver(), allSessions(stage));
      assert.equal(await isIn(stage.laptop), false);
      assert.equal(await isIn(stage.bobs), true);
    });
  }

  test("a recovery is finished", async () => {
    await using stage = await openStage();
    const { app, laptop } = stage;
    const [code] = await makeCodes(laptop.client);
    const browser = app.client();
    assert.equal((await begin(browser, "ada@example.com", code)).status, 201);
    await pass(app, 72 * HOUR);
    assert.deepEqual(await stage.deliver(), []);
    const finished = await finish(browser, "ada@example.com");
    assert.equal(finished.status, 201, finished.text);
    assert.deepEqual(await stage.deliver(), allSessions(stage));
  });

  test("the account is deleted: its applications get a token after its rows are gone", async () => {
    await using stage = await openStage();
    const { app, laptop, ada } = stage;
    await laptop.client.post("/api/auth/account/deletion", { confirm: "ada@example.com" });
    assert.equal((await stage.deliver()).length, 3);
    app.now += 8 * DAY;
    await app.maintain();
    assert.equal((await app.db.selectFrom("account").selectAll().where("id", "=", ada).execute()).length, 0);
    assert.equal(
      (await app.db.selectFrom("consent").selectAll().where("account_id", "=", ada).execute()).length,
      0,
    );
    // A client that requires `sid` gets no token, because no session is left.
    assert.deepEqual(await stage.deliver(), [line("books", ada, undefined)]);
  });

  test("without sid the token also covers expired sessions", async () => {
    await using stage = await openStage();
    stage.app.now += 31 * DAY;
    await stage.app.maintain();
    await admin(stage.app, `${stage.ada}/disable`);
    assert.deepEqual(await stage.deliver(), [line("books", stage.ada, undefined)]);
  });
});

describe("what does not log out", () => {
  test("withdrawing access ends the grant; the token is sent when the session ends", async () => {
    await using stage = await openStage();
    const { laptop, books, ada, deliver } = stage;
    const path = `/api/auth/grants/${books.clientId}`;
    const answer = await laptop.client.request("DELETE", path);
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual(await deliver(), []);
    await laptop.client.post("/api/auth/sign-out");
    assert.deepEqual(await deliver(), ofSession(ada, laptop));
  });
});

describe("what is delivered", () => {
  async function signOutNotifications({ app, listener, laptop }: Stage): Promise<readonly ReceivedLogout[]> {
    await laptop.client.post("/api/auth/sign-out");
    await app.deliverLogoutTokens();
    return listener.take();
  }

  test("is a logout token as in section 2.4, signed with the client's algorithm", async () => {
    await using stage = await openStage();
    const { app, books, ledger } = stage;
    const received = await signOutNotifications(stage);
    const jwks = createLocalJWKSet((await app.client().get("/api/auth/jwks")).body);
    for (const [{ clientId }, alg] of [[books, "ES256"], [ledger, "RS256"]] as const) {
      const { token, sub, sid } = received.find(({ aud }) => aud === clientId)!;
      const { payload, protectedHeader } = await jwtVerify(token, jwks, {
        issuer: ORIGIN,
        audience: clientId,
        algorithms: [alg],
        typ: "logout+jwt",
        currentDate: new Date(app.now),
      });
      assert.deepEqual(Object.keys(protectedHeader).toSorted(), ["alg", "kid", "typ"]);
      const { jti, ...claims } = payload;
      assert.match(jti!, /^jti_[0-9a-v]{26}$/);
      const iat = Math.floor(app.now / 1000);
      assert.deepEqual(claims, {
        iss: ORIGIN,
        sub,
        aud: clientId,
        iat,
        exp: iat + 120,
        toe: iat,
        events: { "http://schemas.openid.net/event/backchannel-logout": {} },
        sid,
      });
    }
    assert.equal(new Set(received.map(({ token }) => decodeJwt(token).jti)).size, 2);
  });

  test("is posted as a form to the registered URI with its query", async () => {
    await using stage = await openStage();
    const received = await signOutNotifications(stage);
    assert.deepEqual(received.map(({ url }) => url).toSorted(), [
      "https://books.example/bcl?a=1",
      "https://ledger.example/bcl",
    ]);
    for (const { init } of received) {
      assert.equal(init.method, "POST");
      assert.deepEqual(init.addresses, ["93.184.216.34"]);
      assert.equal(init.headers["content-type"], "application/x-www-form-urlencoded");
      assert.deepEqual(Object.keys(init.headers).toSorted(), ["content-type", "user-agent"]);
    }
  });

  test("is no ID token: as a hint it signs no session out and names no account", async () => {
    await using stage = await openStage();
    const { phone } = stage;
    const [received] = await signOutNotifications(stage);
    const path = `/api/auth/oauth2/end-session?${new URLSearchParams({ id_token_hint: received!.token })}`;
    assert.match((await phone.client.get(path)).headers.get("location")!, /^\/end-session\?/);
    assert.equal(await isIn(phone), true);
  });

  test("goes to a changed URI, and nowhere once the client is disabled, deleted or has none", async () => {
    await using stage = await openStage();
    const { app, listener, books, ledger } = stage;
    const provider = providerOf(app);
    listener.answer = () => new Response(null, { status: 503 });
    assert.equal((await signOutNotifications(stage)).length, 2);
    const elsewhere = { backchannelLogoutUri: "https://new.example/bcl" };
    assert.equal((await administer(provider, "PATCH", `/${books.clientId}`, elsewhere)).status, 200);
    await administer(provider, "PATCH", `/${ledger.clientId}`, { disabled: true });
    listener.answer = () => new Response(null);
    app.now += HOUR;
    await app.deliverLogoutTokens();
    assert.deepEqual(listener.take().map(({ url }) => url), ["https://new.example/bcl"]);
    assert.equal((await app.db.selectFrom("logout_notice").selectAll().execute()).length, 0);

    listener.answer = () => new Response(null, { status: 503 });
    await stage.phone.client.post("/api/auth/sign-out");
    await app.deliverLogoutTokens();
    assert.equal(listener.take().length, 1, "nothing is queued for a disabled client");
    await administer(provider, "PATCH", `/${books.clientId}`, { backchannelLogoutUri: null });
    app.now += HOUR;
    await app.deliverLogoutTokens();
    assert.deepEqual(listener.take(), []);
    assert.equal((await app.db.selectFrom("logout_notice").selectAll().execute()).length, 0);

    await administer(provider, "PATCH", `/${books.clientId}`, elsewhere);
    await stage.bobs.client.post("/api/auth/sign-out");
    assert.equal((await app.db.selectFrom("logout_notice").selectAll().execute()).length, 1);
    assert.equal((await administer(provider, "DELETE", `/${books.clientId}`)).status, 200);
    await app.deliverLogoutTokens();
    assert.deepEqual(listener.take(), []);
  });
});
