import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connectDatabase } from "../../../src/db/database.ts";
import { engineOf } from "../../../src/db/port.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { DAY, HOUR, SECOND } from "../../../src/lib/time.ts";
import { changeClient } from "../../../src/oauth/client/client-administration.ts";
import { withdrawConsent } from "../../../src/oauth/authorize/consent.ts";
import { introspectToken } from "../../../src/oauth/token/introspection.ts";
import { readUserInfo } from "../../../src/oauth/token/userinfo.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import { watched } from "../../support/engine.ts";
import { deleteAccount, NOW, oauthError, random, register } from "../fixture.ts";
import {
  credentials,
  disabledAtCommit,
  getTokens,
  jwtPart,
  openStory,
  refreshWith,
  requestToken,
  sentToken,
} from "../story.ts";
import type { Story } from "../story.ts";

const INVALID_GRANT = oauthError("invalid_grant");

function userInfo({ db, services }: Story, accessToken: string, now = NOW) {
  return readUserInfo(db, services, { sent: sentToken(accessToken), now });
}

async function withTokens(type: "web" | "spa" = "web") {
  const story = await openStory({ type });
  const tokens = await getTokens(story);
  return { story, tokens, token: tokens.refresh_token };
}

describe("the refresh grant", () => {
  for (const type of ["web", "spa"] as const) {
    test(`issues new tokens to a ${type} client and another refresh token (T96)`, async () => {
      const { story, tokens, token } = await withTokens(type);
      const next = await refreshWith(story, token, NOW + HOUR);
      assert.notEqual(next.refresh_token, token);
      assert.notEqual(next.access_token, tokens.access_token);
      assert.equal(next.scope, "openid");
      await userInfo(story, next.access_token, NOW + HOUR);
      await refreshWith(story, next.refresh_token, NOW + 2 * HOUR);
    });
  }

  test("issues an ID token about the same sign-in, without the nonce (T109)", async () => {
    const { story, tokens, token } = await withTokens();
    const next = await refreshWith(story, token, NOW + HOUR);
    const [before, after] = [jwtPart(tokens.id_token, 1), jwtPart(next.id_token, 1)];
    for (const claim of ["iss", "sub", "aud", "auth_time"]) {
      assert.deepEqual(after[claim], before[claim], claim);
    }
    assert.equal(after["iat"], (NOW + HOUR) / 1000);
    assert.equal("nonce" in after, false);
  });

  test("returns the same answer again for ten seconds (T100)", async () => {
    const { story, token } = await withTokens();
    const first = await refreshWith(story, token);
    for (const now of [NOW, NOW + 5 * SECOND, NOW + 10 * SECOND - 1]) {
      assert.deepEqual(await refreshWith(story, token, now), first);
    }
    await refreshWith(story, first.refresh_token, NOW + 11 * SECOND);
  });

  test("revokes the family at a use after ten seconds (T97)", async () => {
    const { story, token } = await withTokens();
    const next = await refreshWith(story, token);
    await assert.rejects(refreshWith(story, token, NOW + 10 * SECOND), INVALID_GRANT);
    await assert.rejects(refreshWith(story, next.refresh_token, NOW + 10 * SECOND), INVALID_GRANT);
    await assert.rejects(userInfo(story, next.access_token), oauthError("invalid_token"));
  });

  test("revokes the family at a use when the clock was set back, which would prolong the ten seconds", async () => {
    const { story, token } = await withTokens();
    const next = await refreshWith(story, token);
    assert.deepEqual(await refreshWith(story, token, NOW - 10 * SECOND + 1), next);
    await assert.rejects(refreshWith(story, token, NOW - 10 * SECOND), INVALID_GRANT);
    await assert.rejects(refreshWith(story, next.refresh_token, NOW - 10 * SECOND), INVALID_GRANT);
  });

  test("revokes the family at a use after the new token was used, also within ten seconds", async () => {
    const { story, token } = await withTokens();
    const next = await refreshWith(story, token);
    const last = await refreshWith(story, next.refresh_token, NOW + 1);
    await assert.rejects(refreshWith(story, token, NOW + 2), INVALID_GRANT);
    await assert.rejects(refreshWith(story, last.refresh_token, NOW + 2), INVALID_GRANT);
  });

  test("looks in a transaction for a token that one read lacks, before anything is reported", async () => {
    const { story, token } = await withTokens();
    const engine = engineOf(story.db);
    let lacked = 0;
    const db = connectDatabase({
      ...engine,
      run: async (query) => {
        const result = await engine.run(query);
        if (!query.sql.includes('from "refresh_token"')) return result as never;
        lacked++;
        return { ...result, rows: [] };
      },
    });
    dropMemory(story.db);
    await refreshWith({ ...story, db }, token);
    assert.equal(lacked, 1);
  });

  test("stores the answer so that only its own retry can read it", async () => {
    const { story, token } = await withTokens();
    const next = await refreshWith(story, token);
    const rows = await story.db.selectFrom("refresh_token").selectAll().execute();
    const text = rows.map((row) => new TextDecoder("latin1").decode(row.answer ?? new Uint8Array())).join("");
    for (const secret of [next.refresh_token, next.access_token]) assert.equal(text.includes(secret), false);
    assert.equal(JSON.stringify(rows).includes(next.refresh_token.slice(0, -26)), false);
  });

  test("revokes a family of any size at once: its tokens remain, and are refused", async () => {
    const { story, token } = await withTokens();
    let latest = token;
    for (let count = 0; count < 9; count++) latest = (await refreshWith(story, latest)).refresh_token;
    const { db, services } = story;
    const grant = await db.selectFrom("authorization_grant").selectAll().executeTakeFirstOrThrow();
    let changed = 0;
    const counting = connectDatabase(watched(engineOf(db), ({ sql }) => {
      if (!sql.startsWith("select")) changed++;
    }));
    await transaction(
      counting,
      (tx) =>
        withdrawConsent(tx, services, { accountId: grant.account_id, clientId: grant.client_id, now: NOW }),
    );
    // The other handle is like another process, but over the same connection.
    dropMemory(db);
    assert.equal((await db.selectFrom("refresh_token").select("id").execute()).length, 10);
    assert.ok(changed < 8, `${changed} statements wrote`);
    for (const text of [token, latest]) {
      await assert.rejects(refreshWith(story, text), INVALID_GRANT);
      const introspection = await introspectToken(db, services, credentials(story, { token: text }));
      assert.deepEqual(introspection, { active: false });
    }
  });

  test("issues nothing when the grant ends between the check and the commit", async () => {
    const { story, token } = await withTokens();
    const { db, services } = story;
    const groupCommit: typeof services.groupCommit = {
      run: (job) =>
        services.groupCommit.run(async (tx) => {
          const { signedIn: { account }, client: { clientId } } = story;
          await withdrawConsent(tx, services, { accountId: account.id, clientId, now: NOW });
          return await job(tx);
        }),
    };
    const meanwhile = { ...story, services: { ...services, groupCommit } };
    await assert.rejects(refreshWith(meanwhile, token), INVALID_GRANT);
    const rows = await db.selectFrom("refresh_token").select("parent_id").execute();
    assert.deepEqual(rows, [{ parent_id: null }]);
  });

  test("revokes one family and no other (T98)", async () => {
    const { story, token } = await withTokens();
    const other = await getTokens(story);
    await refreshWith(story, token);
    await assert.rejects(refreshWith(story, token, NOW + HOUR), INVALID_GRANT);
    await refreshWith(story, other.refresh_token, NOW + HOUR);
  });

  test("creates one successor for many concurrent requests (T99)", async () => {
    const { story, token } = await withTokens();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshWith(story, token)));
    assert.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 1);
    const rows = await story.db.selectFrom("refresh_token").select("parent_id").execute();
    assert.equal(rows.length, 2);
    assert.equal(rows.filter(({ parent_id }) => parent_id !== null).length, 1);
  });

  test("refuses another client's token and does not use it up (T101)", async () => {
    const { story, token } = await withTokens();
    const stranger = await register(story, { type: "spa" });
    await assert.rejects(refreshWith(story, token, NOW, {}, stranger), INVALID_GRANT);
    const next = await refreshWith(story, token);
    await assert.rejects(refreshWith(story, token, NOW + HOUR, {}, stranger), INVALID_GRANT);
    await refreshWith(story, next.refresh_token, NOW + HOUR);
  });

  test("requires client authentication (T102)", async () => {
    const { story, token } = await withTokens();
    const { clientSecret: _, ...unauthenticated } = story;
    const sent = refreshWith(story, token, NOW, {}, { ...unauthenticated, clientSecret: undefined });
    await assert.rejects(sent, oauthError("invalid_client"));
  });

  test("refuses other texts and tokens (T103)", async () => {
    const { story, tokens, token } = await withTokens();
    const others = [
      "x",
      token + "A",
      token.slice(1),
      "A".repeat(43) + token.slice(43),
      token.slice(0, 69) + "0".repeat(26),
      tokens.access_token,
    ];
    for (const other of others) await assert.rejects(refreshWith(story, other), INVALID_GRANT);
    for (const refresh_token of [undefined, ""]) {
      const sent = requestToken(story, story, { grant_type: "refresh_token", refresh_token });
      await assert.rejects(sent, oauthError("invalid_request"));
    }
    await refreshWith(story, token);
  });

  test("lasts 7 days from each issue (T104)", async () => {
    const { story, token } = await withTokens();
    const next = await refreshWith(story, token, NOW + 7 * DAY - 1);
    await assert.rejects(refreshWith(story, next.refresh_token, NOW + 14 * DAY - 1), INVALID_GRANT);
    await refreshWith(story, next.refresh_token, NOW + 14 * DAY - 2);
  });

  test("lasts 90 days in all (T104)", async () => {
    const { story, tokens } = await withTokens();
    let current = tokens;
    for (let day = 6; day < 90; day += 6) {
      current = await refreshWith(story, current.refresh_token, NOW + day * DAY);
    }
    current = await refreshWith(story, current.refresh_token, NOW + 90 * DAY - 1);
    await assert.rejects(refreshWith(story, current.refresh_token, NOW + 90 * DAY), INVALID_GRANT);
    await assert.rejects(userInfo(story, current.access_token, NOW + 90 * DAY), oauthError("invalid_token"));
  });

  test("is refused when the token has expired, although the grant is valid", async () => {
    const { story, token } = await withTokens();
    const [row] = await story.db.selectFrom("refresh_token").selectAll().execute();
    const ended = { ...row!, expires_at: NOW };
    const mac = story.services.authority.mac("refresh_token", ended);
    await story.db.updateTable("refresh_token").set({ expires_at: NOW, mac }).execute();
    const introspection = introspectToken(story.db, story.services, credentials(story, { token }));
    assert.deepEqual(await introspection, { active: false });
    await assert.rejects(refreshWith(story, token), INVALID_GRANT);
  });

  test("is refused when the client is disabled while its tokens are being signed", async () => {
    const { story, token } = await withTokens();
    await assert.rejects(refreshWith(disabledAtCommit(story), token), oauthError("invalid_client"));
  });

  test("accepts the granted scope and no other (T105)", async () => {
    const { story, token } = await withTokens();
    for (const scope of ["email", "openid email", '"', " "]) {
      await assert.rejects(refreshWith(story, token, NOW, { scope }), oauthError("invalid_scope"));
    }
    assert.equal((await refreshWith(story, token, NOW, { scope: "openid" })).scope, "openid");
  });

  test("is refused when account or consent were deleted (T106) and the client is disabled (T107)", async () => {
    const gone = await withTokens();
    await deleteAccount(gone.story, gone.story.signedIn.account.id);
    await assert.rejects(refreshWith(gone.story, gone.token), INVALID_GRANT);

    const { story, tokens, token } = await withTokens();
    const { clientId } = story.client;
    const disable = (disabled: boolean) =>
      transaction(
        story.db,
        (tx) => changeClient(tx, story.services, { random, clientId, change: { disabled }, now: NOW }),
      );
    await disable(true);
    await assert.rejects(refreshWith(story, token), oauthError("invalid_client"));
    await assert.rejects(userInfo(story, tokens.access_token), oauthError("invalid_token"));
    await disable(false);
    await userInfo(story, tokens.access_token);
    const accountId = story.signedIn.account.id;
    await transaction(
      story.db,
      (tx) => withdrawConsent(tx, story.services, { accountId, clientId, now: NOW }),
    );
    await assert.rejects(refreshWith(story, token), INVALID_GRANT);
    await assert.rejects(userInfo(story, tokens.access_token), oauthError("invalid_token"));
  });
});
