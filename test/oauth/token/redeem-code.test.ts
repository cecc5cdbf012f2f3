import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { revokeSession } from "../../../src/accounts/session/session.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { DAY, MINUTE, SECOND } from "../../../src/lib/time.ts";
import { createRateLimiter } from "../../../src/limits/rate-limit.ts";
import { changeClient, deleteClient } from "../../../src/oauth/client/client-administration.ts";
import type { ClientChange } from "../../../src/oauth/client/client-metadata.ts";
import { withdrawConsent } from "../../../src/oauth/authorize/consent.ts";
import { readUserInfo } from "../../../src/oauth/token/userinfo.ts";
import {
  auditOf,
  CHALLENGE,
  deleteAccount,
  NETWORK,
  NOW,
  oauthError,
  random,
  register,
  signInAgain,
  signInPerson,
  VERIFIER,
} from "../fixture.ts";
import {
  disabledAtCommit,
  getCode,
  getTokens,
  openStory,
  redeem,
  refreshWith,
  requestToken,
  sentToken,
} from "../story.ts";
import type { Fields, Story } from "../story.ts";

const INVALID_GRANT = oauthError("invalid_grant");

function change({ db, services, client: { clientId } }: Story, changed: ClientChange): Promise<unknown> {
  return transaction(db, (tx) => changeClient(tx, services, { random, clientId, change: changed, now: NOW }));
}

function userInfo({ db, services }: Story, accessToken: string, now = NOW) {
  return readUserInfo(db, services, { sent: sentToken(accessToken), now });
}

describe("the code grant", () => {
  for (const type of ["web", "spa", "native"] as const) {
    test(`issues tokens to a ${type} client (T35, T60, T82, T118)`, async () => {
      await using story = await openStory({ type });
      const response = await redeem(story, await getCode(story));
      assert.deepEqual({ ...response, access_token: "", id_token: "", refresh_token: "" }, {
        access_token: "",
        token_type: "Bearer",
        expires_in: 3600,
        id_token: "",
        scope: "openid",
        refresh_token: "",
      });
      assert.match(response.refresh_token, /^[A-Za-z0-9]{95}$/);
      assert.ok((await auditOf(story)).includes("code_redeemed"));
    });
  }

  test("rolls back all writes if the grant is gone when its code is used", async () => {
    await using story = await openStory({ type: "web" });
    const { db, services } = story;
    const code = await getCode(story);
    const groupCommit: typeof services.groupCommit = {
      run: async (job, writeSet) => {
        await db.deleteFrom("authorization_grant").execute();
        return await services.groupCommit.run(job, writeSet);
      },
    };
    const redeemed = redeem({ ...story, services: { ...services, groupCommit } }, code);
    await assert.rejects(redeemed, { code: "not_written" });
    assert.deepEqual(await db.selectFrom("refresh_token").select("id").execute(), []);
    assert.ok(!(await auditOf(story)).includes("code_redeemed"));
  });

  const WRONG: readonly (readonly [string, Fields])[] = [
    ["another verifier (T36)", { code_verifier: "x".repeat(43) }],
    ["no verifier (T37)", { code_verifier: undefined }],
    ["an empty verifier (T38)", { code_verifier: "" }],
    ["a verifier of 42 characters (T39)", { code_verifier: VERIFIER.slice(1) }],
    ["a verifier of 129 characters (T39)", { code_verifier: VERIFIER.repeat(3) }],
    ["a verifier with other characters (T39)", { code_verifier: VERIFIER + "+" }],
    ["a verifier with a line feed (T39)", { code_verifier: VERIFIER + "\n" }],
    ["the challenge as verifier (T40)", { code_verifier: CHALLENGE }],
    ["another redirect_uri (T87)", { redirect_uri: "https://books.example/other?a=1" }],
  ];
  for (const [what, fields] of WRONG) {
    test(`refuses ${what}, and the correct request afterwards succeeds (T42)`, async () => {
      await using story = await openStory();
      const code = await getCode(story);
      await assert.rejects(redeem(story, code, fields), INVALID_GRANT);
      await redeem(story, code);
    });
  }

  for (const code_verifier of ["x".repeat(42), "x".repeat(129), "x".repeat(42) + "+"]) {
    test(`refuses a verifier of ${code_verifier.length} that matches the challenge but not RFC 7636 (T39)`, async () => {
      await using story = await openStory();
      const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
      const code = await getCode(story, { code_challenge });
      await assert.rejects(redeem(story, code, { code_verifier }), INVALID_GRANT);
    });
  }

  test("is refused when the client is disabled while its tokens are being signed", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    await assert.rejects(redeem(disabledAtCommit(story), code), oauthError("invalid_client"));
    await change(story, { disabled: false });
    await redeem(story, code);
  });

  for (const name of ["code", "redirect_uri"]) {
    for (const value of [undefined, ""]) {
      test(`is invalid_request with ${name} ${value === undefined ? "missing" : "empty"} (T80, T88)`, async () => {
        await using story = await openStory();
        const sent = redeem(story, await getCode(story), { [name]: value });
        await assert.rejects(sent, oauthError("invalid_request"));
      });
    }
  }

  test("requires the port that was used (T89)", async () => {
    await using story = await openStory({ type: "native", redirectUris: ["http://127.0.0.1/cb"] });
    const redirect_uri = "http://127.0.0.1:51004/cb";
    const code = await getCode(story, { redirect_uri });
    for (const other of ["http://127.0.0.1/cb", "http://127.0.0.1:51005/cb"]) {
      await assert.rejects(redeem(story, code, { redirect_uri: other }), INVALID_GRANT);
    }
    await redeem(story, code, { redirect_uri });
  });

  test("lasts 60 seconds (T90)", async () => {
    for (
      const [age, works] of [[59 * SECOND, true], [60 * SECOND - 1, true], [60 * SECOND, false]] as const
    ) {
      await using story = await openStory();
      const redeeming = redeem(story, await getCode(story), {}, { now: NOW + age });
      if (works) await redeeming;
      else await assert.rejects(redeeming, INVALID_GRANT);
    }
  });

  test("stays expired when the clock goes back (T149)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    await assert.rejects(redeem(story, code, {}, { now: NOW + 61 * SECOND }), INVALID_GRANT);
    await assert.rejects(redeem(story, code), INVALID_GRANT);
    const future = await getCode(story, {}, { now: NOW + MINUTE });
    await assert.rejects(redeem(story, future, {}, { now: NOW - 5 * MINUTE }), INVALID_GRANT);
  });

  test("accepts a code of a process whose clock is up to five seconds ahead, and no more", async () => {
    for (const [ahead, isTaken] of [[5000, true], [5001, false]] as const) {
      await using story = await openStory();
      const code = await getCode(story, {}, { now: NOW + ahead });
      const redeemed = redeem(story, code);
      if (isTaken) assert.equal((await redeemed).token_type, "Bearer");
      else await assert.rejects(redeemed, INVALID_GRANT);
    }
  });

  test("refuses another client's code and does not use it up (T86)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    for (const type of ["web", "spa"] as const) {
      const by = await register(story, { type });
      await assert.rejects(redeem(story, code, {}, { by }), INVALID_GRANT);
    }
    await redeem(story, code);
  });

  test("refuses other texts and tokens (T91, T92)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    const tokens = await getTokens(story);
    const others = [
      code.slice(0, -1),
      code + "A",
      code.slice(0, 43).toLowerCase() + code.slice(43),
      code.toUpperCase(),
      code + "=",
      " " + code,
      code + "\n",
      "code_" + code,
      code.slice(0, 43) + "." + code.slice(43),
      "0".repeat(95),
      code.slice(0, 69) + "0".repeat(26),
      "A".repeat(43) + code.slice(43),
      tokens.refresh_token,
      tokens.access_token,
      tokens.id_token,
      story.clientSecret!,
    ].filter((text) => text !== code);
    for (const other of others) await assert.rejects(redeem(story, other), INVALID_GRANT);
    await assert.rejects(refreshWith(story, code), INVALID_GRANT);
    await redeem(story, code);
  });

  test("is refused once used, and a correct replay revokes the tokens of the first use (T82, T83)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    const tokens = await redeem(story, code);
    await userInfo(story, tokens.access_token);
    await assert.rejects(redeem(story, code), INVALID_GRANT);
    await assert.rejects(userInfo(story, tokens.access_token), oauthError("invalid_token"));
    await assert.rejects(refreshWith(story, tokens.refresh_token), INVALID_GRANT);
    assert.ok((await auditOf(story)).includes("grant_ended"));
    await assert.rejects(redeem(story, code), INVALID_GRANT);
  });

  test("detects a replay as long as the grant is valid", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    const tokens = await redeem(story, code);
    await assert.rejects(redeem(story, code, {}, { now: NOW + 6 * DAY }), INVALID_GRANT);
    await assert.rejects(refreshWith(story, tokens.refresh_token, NOW + 6 * DAY), INVALID_GRANT);
  });

  test("revokes nothing at a replay with any fault (T84)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    const tokens = await redeem(story, code);
    const other = await register(story, { type: "spa" });
    const wrong = { ...story, clientSecret: "x".repeat(43) };
    await assert.rejects(redeem(story, code, {}, { by: other }), INVALID_GRANT);
    await assert.rejects(redeem(story, code, {}, { by: wrong }), oauthError("invalid_client"));
    await assert.rejects(redeem(story, code, { code_verifier: "x".repeat(43) }), INVALID_GRANT);
    await assert.rejects(
      redeem(story, code, { redirect_uri: "https://books.example/other?a=1" }),
      INVALID_GRANT,
    );
    await assert.rejects(redeem(story, "A".repeat(43) + code.slice(43)), INVALID_GRANT);
    await userInfo(story, tokens.access_token);
    await refreshWith(story, tokens.refresh_token);
  });

  test("issues tokens to one of many concurrent requests, and these are revoked (T85)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => redeem(story, code)));
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    for (const answer of answers) if (answer.status === "rejected") INVALID_GRANT(answer.reason);
    for (const answer of answers) {
      if (answer.status === "fulfilled") {
        await assert.rejects(refreshWith(story, answer.value.refresh_token), INVALID_GRANT);
      }
    }
    assert.deepEqual(await story.db.selectFrom("authorization_grant").select("id").execute(), []);
  });

  test("is refused when the account was deleted (T93), consent was withdrawn (T94) or the client deleted", async () => {
    const endings: ((story: Story) => Promise<unknown>)[] = [
      (story) => deleteAccount(story, story.signedIn.account.id),
      ({ db, services, signedIn, client: { clientId } }) =>
        transaction(db, (tx) => {
          const accountId = signedIn.account.id;
          return withdrawConsent(tx, services, { accountId, clientId, now: NOW });
        }),
    ];
    for (const end of endings) {
      await using story = await openStory();
      const code = await getCode(story);
      await end(story);
      await assert.rejects(redeem(story, code), INVALID_GRANT);
    }
    await using story = await openStory();
    const code = await getCode(story);
    const { clientId } = story.client;
    await transaction(story.db, (tx) => deleteClient(tx, story.services, { clientId, now: NOW }));
    await assert.rejects(redeem(story, code), oauthError("invalid_client"));
  });

  test("is refused when its session has ended, unless another of the same person replaced it", async () => {
    for (const successor of ["none", "another person's", "the same person's"] as const) {
      await using story = await openStory();
      const { db, services, signedIn: { account, session } } = story;
      const code = await getCode(story);
      const others = successor === "none"
        ? undefined
        : successor === "the same person's"
        ? await signInAgain(story, account)
        : await signInPerson(story, "bob@example.com");
      const replaced = others === undefined ? {} : { successor: others.session };
      await revokeSession(db, services, { session, ...replaced, now: NOW, random });
      if (successor === "the same person's") assert.ok((await redeem(story, code)).access_token);
      else await assert.rejects(redeem(story, code), INVALID_GRANT);
    }
  });

  test("is refused when the redirect URI was removed meanwhile (T95)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    await change(story, { redirectUris: ["https://books.example/new"] });
    await assert.rejects(redeem(story, code), INVALID_GRANT);
  });

  test("is refused when the client is disabled (T63)", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    await change(story, { disabled: true });
    await assert.rejects(redeem(story, code), oauthError("invalid_client"));
  });
});

describe("handleTokenRequest()", () => {
  for (const grant_type of [undefined, ""]) {
    test(`throws invalid_request when grant_type is ${JSON.stringify(grant_type)} (T74, T75)`, async () => {
      await using story = await openStory();
      await assert.rejects(requestToken(story, story, { grant_type }), oauthError("invalid_request"));
    });
  }
  for (const grant_type of ["password", "implicit", "client_credentials", "foo", "constructor", "toString"]) {
    test(`throws unsupported_grant_type for ${grant_type} (T74)`, async () => {
      await using story = await openStory();
      await assert.rejects(requestToken(story, story, { grant_type }), oauthError("unsupported_grant_type"));
    });
  }

  test("counts every request of a client once", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    story.taken.length = 0;
    const { refresh_token } = await redeem(story, code);
    const { refresh_token: next } = await refreshWith(story, refresh_token);
    await refreshWith(story, refresh_token);
    await assert.rejects(refreshWith(story, next, NOW, { scope: "email" }), oauthError("invalid_scope"));
    await assert.rejects(redeem(story, code), INVALID_GRANT);
    const subject = `${NETWORK} ${story.client.clientId}`;
    assert.deepEqual(story.taken, Array.from({ length: 5 }, () => ({ name: "token_request", subject })));
  });

  test("does not use up the code of a request over the limit", async () => {
    await using story = await openStory();
    const limits = createRateLimiter(story.services.vault);
    const limited = { ...story, services: { ...story.services, limits } };
    const code = await getCode(story);
    const sent = Array.from({ length: 600 }, () => redeem(limited, "wrong"));
    await Promise.allSettled(sent);
    await assert.rejects(
      redeem(limited, code),
      (error) => error instanceof ProtocolError && error.code === "rate_limited",
    );
    await redeem(limited, code, {}, { now: NOW + SECOND });
  });
});

test("no two of many codes and tokens have the same prefix (T110)", async () => {
  const story = await openStory();
  const seen = new Set<string>();
  for (let count = 0; count < 50; count++) {
    const tokens = await getTokens(story);
    seen.add(tokens.refresh_token.slice(0, 8));
  }
  assert.equal(seen.size, 50);
});
