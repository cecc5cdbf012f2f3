import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextEvent } from "node:timers/promises";
import { WRONG_TRIES_A_DAY } from "../../src/accounts/email/code-use.ts";
import { ADMIN_KEY, createTestApp, ORIGIN } from "../support/app.ts";
import { REQUESTS } from "../support/asking.ts";
import { proveAddress, readCode, registerPasskey, signIn } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { authorizePath, exchange, getCode, getTokens, pkcePair, postForm } from "../support/oauth.ts";
import { providerOf, refresh, registerClient, userinfo } from "../support/oauth.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import { onStage, restoreRow, type Stage } from "../support/editor-stage.ts";
import { stepUp } from "../support/recovery.ts";

/** Creates an API token. Returns its id and header. */
async function makeToken(
  owner: Client,
  terms: object = {},
): Promise<{ id: string; headers: { authorization: string } }> {
  const made = await owner.post("/api/auth/tokens", {
    name: "CI",
    keys: "all",
    actions: ["read", "sign"],
    ...terms,
  });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.token.id, headers: { authorization: `Bearer ${made.body.text}` } };
}

const POLICY = { version: 1, messages: "any", perDay: 1 };
const HELLO = { message: "hello" };

/** Rows that are restored: what the attacker then tries at a process that has not cached what the owner ended. */
const RESTORED: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a session that was signed out": async ({ owner, elsewhere, undo }) => {
    const thief = elsewhere(owner);
    await undo(["session"], () => owner.post("/api/auth/sign-out"));
    assertInconsistent(await thief.get("/api/keys"));
  },
  "a token that was revoked": async ({ owner, other, undo }) => {
    const { id, headers } = await makeToken(owner);
    await undo(["api_token"], () => owner.request("DELETE", `/api/auth/tokens/${id}`));
    assertInconsistent(await other.client().get("/api/keys", { headers }));
  },
  "a token from before it was narrowed": async ({ owner, other, keyPath, undo }) => {
    const { id, headers } = await makeToken(owner);
    const narrowed = await undo(
      ["api_token"],
      () => owner.request("PATCH", `/api/auth/tokens/${id}`, { body: { actions: ["read"] } }),
    );
    assert.equal(narrowed.status, 200, narrowed.text);
    assertInconsistent(await other.client().post(`${keyPath}/sign`, HELLO, { headers }));
  },
  "the used-up count of a policy": async ({ owner, other, keyPath, undo }) => {
    const { headers } = await makeToken(owner, { policy: POLICY });
    await undo(["policy_use"], () => owner.post(`${keyPath}/sign`, HELLO, { headers }));
    assertInconsistent(await other.client().post(`${keyPath}/sign`, HELLO, { headers }));
  },
  "a refresh token that was used": async ({ app, owner, other, undo }) => {
    const application = await registerClient(providerOf(app));
    const { refresh_token: used } = await getTokens(providerOf(app), owner, application);
    await undo(["refresh_token"], async () => {
      const { body } = await refresh(providerOf(app), application, used!);
      return await refresh(providerOf(app), application, body.refresh_token);
    });
    // It counts as a reuse, which ends the grant.
    assert.equal((await refresh(providerOf(other), application, used!)).body.error, "invalid_grant");
    assert.deepEqual((await owner.get("/api/auth/grants")).body.grants.length, 1);
  },
  "an authorization code that was redeemed": async ({ app, owner, other, undo }) => {
    const application = await registerClient(providerOf(app));
    const given = await getCode(owner, application);
    const redeemed = await undo(
      ["authorization_grant", "refresh_token"],
      () => exchange(providerOf(app), application, given),
    );
    assert.equal(redeemed.status, 200, redeemed.text);
    assertInconsistent(await exchange(providerOf(other), application, given));
  },
  "an application's session of a sign-out, with a code from before": async ({ app, owner, other, undo }) => {
    const application = await registerClient(providerOf(app));
    const given = await getCode(owner, application);
    // Its row refers to the session's.
    await undo(["session", "application_session"], () => owner.post("/api/auth/sign-out"));
    assertInconsistent(await exchange(providerOf(other), application, given));
  },
  "a ticket that made an account": async ({ app, db, elsewhere, undo }) => {
    const carol = app.client();
    await proveAddress(carol, "carol@example.com");
    const thief = { ...elsewhere(carol), authenticator: app.client().authenticator };
    assert.equal((await undo(["sign_up_ticket"], () => registerPasskey(carol, "new"))).status, 201);
    const { length } = await db.selectFrom("passkey").select("id").execute();
    assert.ok((await registerPasskey(thief, "new")).status >= 400);
    assert.equal((await db.selectFrom("passkey").select("id").execute()).length, length);
  },
  "a challenge that was answered": async ({ db, owner, elsewhere, undo }) => {
    const { body } = await owner.post("/api/auth/passkey/authentication/options", {});
    const response = await owner.authenticator.authenticate(body, { origin: ORIGIN });
    const answer = (client: Client) => client.post("/api/auth/passkey/authentication", { response });
    const thief = elsewhere(owner);
    assert.equal((await undo(["challenge"], () => answer(owner))).status, 200);
    // The signature counter is not authenticated.
    await db.updateTable("passkey").set({ sign_count: 0 }).execute();
    await nextEvent();
    const again = await answer(thief);
    assert.deepEqual([again.status, again.body.code], [401, "invalid_passkey"]);
    assert.equal((await signIn(elsewhere(owner))).status, 200);
  },
  "access that was withdrawn": async ({ app, owner, other, undo }) => {
    const application = await registerClient(providerOf(app));
    const tokens = await getTokens(providerOf(app), owner, application);
    await undo(
      ["authorization_grant"],
      () => postForm(owner, "/account/withdraw", { clientId: application.clientId }),
    );
    assertInconsistent(await userinfo(providerOf(other), tokens.access_token));
  },
  "a passkey that was removed": async ({ app, owner, elsewhere, undo }) => {
    const lost = elsewhere({ ...owner, cookies: new Map() });
    const { id } = (await owner.get("/api/auth/passkeys")).body.passkeys[0];
    const kept = { ...owner, authenticator: app.client().authenticator };
    assert.equal((await registerPasskey(kept, "present")).status, 201);
    await undo(["passkey"], () => owner.request("DELETE", `/api/auth/passkeys/${id}`));
    assertInconsistent(await signIn(lost));
  },
  "a key from before it was archived": async ({ owner, elsewhere, keyPath, undo }) => {
    await undo(["ethereum_key"], () => owner.post(`${keyPath}/archive`));
    assertInconsistent(await elsewhere(owner).post(`${keyPath}/sign`, HELLO));
  },
  "a step-up that was used": async ({ app, owner, other, elsewhere, undo }) => {
    app.now = other.now = app.now + 11 * 60_000;
    await stepUp(owner, "export_account");
    await undo(["session"], () => owner.post("/api/auth/account/export"));
    assertInconsistent(await elsewhere(owner).post("/api/auth/account/export"));
  },
  "a signature request that was declined": async ({ owner, elsewhere, keyPath, undo }) => {
    const { headers } = await makeToken(owner, { policy: { version: 1, raw: "ask" } });
    const pending = await owner.post(`${keyPath}/sign`, { message: "0x00", format: "raw" }, { headers });
    const path = `${REQUESTS}/${pending.body.request.id}`;
    const declined = await undo(["signing_request"], () => owner.post(`${path}/decline`));
    assert.equal(declined.status, 200, declined.text);
    assertInconsistent(await elsewhere(owner).get(path));
  },
  "the settings of an application from before it was disabled": async ({ app, owner, elsewhere, undo }) => {
    const application = await registerClient(providerOf(app));
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const path = `/api/admin/oauth/clients/${application.clientId}`;
    const disabled = await undo(
      ["client"],
      () => app.client().request("PATCH", path, { headers, body: { disabled: true } }),
    );
    assert.equal(disabled.status, 200, disabled.text);
    const { status, text } = await elsewhere(owner).get(authorizePath(application, pkcePair()));
    assert.equal(status, 503, text);
  },
};

describe("a row restored after a start, or at another process, gives an attacker nothing:", () => {
  for (const [what, attempt] of Object.entries(RESTORED)) test(what, () => onStage(attempt));
});

describe("a row hidden or edited while its owner acts is not acknowledged as ended:", () => {
  test("a session that is hidden while its owner ends all others", async () => {
    await onStage(async ({ app, db, owner }) => {
      const hidden = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
      const browser = { ...app.client(), authenticator: owner.authenticator };
      assert.equal((await signIn(browser)).status, 200);
      await db.deleteFrom("session").where("id", "=", hidden.id).execute();
      assertInconsistent(await browser.post("/api/auth/sessions/revoke-others"));
      await restoreRow(db, "session", hidden);
      await nextEvent();
      assert.equal((await browser.post("/api/auth/sessions/revoke-others")).status, 200);
      assert.equal((await owner.get("/api/keys")).status, 401);
    });
  });

  test("a session that is invalidated while its owner signs out", async () => {
    await onStage(async ({ db, owner }) => {
      await db.updateTable("session").set({ mac: new Uint8Array(32) }).execute();
      assertInconsistent(await owner.post("/api/auth/sign-out"));
    });
  });

  test("the count of a key's policy while its owner makes the policy stricter", () =>
    onStage(async ({ db, owner, keyPath }) => {
      const set = (perDay: number) =>
        owner.request("PUT", `${keyPath}/policy`, { body: { policy: { ...POLICY, delayHours: 1, perDay } } });
      await set(2);
      for (const status of [200, 200, 403]) {
        assert.equal((await owner.post(`${keyPath}/sign`, HELLO)).status, status);
      }
      await db.deleteFrom("policy_use").execute();
      assertInconsistent(await set(1));
      const { status, body } = await owner.post(`${keyPath}/sign`, HELLO);
      assert.equal(status, 403);
      assert.match(body.detail, /record of what was signed/);
    }));

  test("a key whose row is deleted is not made again with default settings", async () => {
    await onStage(async ({ db, owner, elsewhere, keyPath }) => {
      await owner.request("PATCH", keyPath, { body: { blindSigning: "deny" } });
      await db.deleteFrom("ethereum_key").execute();
      assertInconsistent(await elsewhere(owner).post("/api/keys/generate"));
    });
  });
});

test("an e-mail code that was used and restored is not used again, in any browser and process", () =>
  onStage(async ({ app, elsewhere, undo }) => {
    const browser = app.client();
    const body = { email: "new@example.com" };
    await browser.post("/api/auth/email-code", body);
    const proof = { ...body, code: await readCode(browser, body.email) };
    const thief = elsewhere(browser);
    await undo(["email_code"], () => browser.post("/api/auth/email-code/verify", proof));
    for (const each of [thief, elsewhere(app.client())]) {
      assert.equal((await each.post("/api/auth/email-code/verify", proof)).body.code, "invalid_code");
    }
  }));

test("wrong tries at the codes of an address are bounded, whatever an attacker resets", () =>
  onStage(async ({ app, db, undo }) => {
    const browser = { ...app.client(), authenticator: app.client().authenticator };
    const body = { email: "new@example.com" };
    await browser.post("/api/auth/email-code", body);
    const code = await readCode(browser, body.email);
    const wrong = code === "000000" ? "000001" : "000000";
    const attempt = async (text: string) => {
      await db.updateTable("email_code").set({ attempts: 0 }).execute();
      return (await browser.post("/api/auth/email-code/verify", { ...body, code: text })).body.code;
    };
    for (let tries = 0; tries < WRONG_TRIES_A_DAY; tries++) {
      assert.equal(await attempt(wrong), "invalid_code");
    }
    assert.equal(await attempt(code), "rate_limited");
    await undo(["code_use", "owner_state"], async () => {
      await db.deleteFrom("code_use").execute();
      dropMemory(db);
      assert.equal(await attempt(code), "inconsistent_store");
      await db.deleteFrom("owner_state").where("owner", "like", "address_%").execute();
      dropMemory(db);
      assert.equal(await attempt(code), "inconsistent_store");
    });
    assert.equal(await attempt(code), "rate_limited");
    app.now += 25 * 3_600_000;
    await app.maintain();
    assert.deepEqual(
      await db.selectFrom("owner_state").selectAll().where("owner", "like", "address_%").execute(),
      [],
    );
  }));

test("an attacker with database access resets a rate limit by deleting its rows", async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const attempt = async (): Promise<number> => {
    const body = { email: "alice@example.com", code: "000000" };
    return (await app.client().post("/api/auth/email-code/verify", body)).status;
  };
  const statuses: number[] = [];
  for (let tries = 0; tries < 30 && statuses.at(-1) !== 429; tries++) statuses.push(await attempt());
  assert.equal(statuses.at(-1), 429);
  await app.db.deleteFrom("rate_limit").execute();
  assert.notEqual(await attempt(), 429);
});
