import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../../src/db/transaction.ts";
import { HOUR, MINUTE } from "../../../src/lib/time.ts";
import { authorize } from "../../../src/oauth/authorize/authorize.ts";
import { changeClient } from "../../../src/oauth/client/client-administration.ts";
import type { ClientChange } from "../../../src/oauth/client/client-metadata.ts";
import type { OAuthErrorCode } from "../../../src/oauth/error.ts";
import {
  auditOf,
  CHALLENGE,
  ISSUER,
  NETWORK,
  NOW,
  oauthError,
  random,
  register,
  signInAgain,
  signInPerson,
} from "../fixture.ts";
import {
  ask,
  authorizeFully,
  decide,
  decideStep,
  getTokens,
  goodRequest,
  goOn,
  openStory,
} from "../story.ts";
import type { Fields, Story } from "../story.ts";

const PAGE = oauthError("invalid_request", "page");

function change({ db, services, client: { clientId } }: Story, changed: ClientChange): Promise<unknown> {
  return transaction(db, (tx) => changeClient(tx, services, { random, clientId, change: changed, now: NOW }));
}

/** Returns the error of a redirect to the client and checks its other parameters. */
async function errorOf(asked: ReturnType<typeof ask>, state: string | null = "the state"): Promise<string> {
  const step = await asked;
  assert.equal(step.kind, "redirect");
  const { origin, pathname, searchParams } = new URL(step.kind === "redirect" ? step.uri : "");
  assert.equal(origin + pathname, "https://books.example/cb");
  assert.equal(searchParams.get("iss"), ISSUER);
  assert.equal(searchParams.get("state"), state);
  assert.equal(searchParams.get("code"), null);
  assert.match(searchParams.get("error_description")!, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  return searchParams.get("error")!;
}

async function rows({ db }: Story): Promise<number> {
  const pending = await db.selectFrom("authorization_request").select("id").execute();
  return pending.length;
}

describe("authorize() shows a page and never redirects", () => {
  const UNSAFE: readonly (readonly [string, Fields, string[]?])[] = [
    ["no client_id (T1)", { client_id: undefined }],
    ["an unknown client_id (T2)", { client_id: "0".repeat(26) }],
    ["client_id twice (T4)", {}, ["client_id"]],
    ["redirect_uri twice (T5)", {}, ["redirect_uri"]],
    ["no redirect_uri (T6)", { redirect_uri: undefined }],
    ["an empty redirect_uri", { redirect_uri: "" }],
    ["another redirect_uri (T11)", { redirect_uri: "https://books.example/cb/" }],
    ["a bad redirect_uri and a bad response_type (T8)", {
      redirect_uri: "https://evil.example/",
      response_type: "x",
    }],
    ["a bad redirect_uri and prompt=none (T48b)", { redirect_uri: "https://evil.example/", prompt: "none" }],
  ];
  for (const [what, fields, repeated = []] of UNSAFE) {
    test(`for ${what}, also before the user signs in (T9)`, async () => {
      await using story = await openStory();
      await assert.rejects(ask(story, fields, { repeated }), PAGE);
      await assert.rejects(ask(story, fields, { repeated, signedIn: undefined }), PAGE);
      assert.equal(await rows(story), 0);
    });
  }

  test("and names the fault of client_id", async () => {
    await using story = await openStory();
    const message = /: its client_id is missing or repeated$/;
    await assert.rejects(ask(story, { client_id: undefined }), { message });
    await assert.rejects(ask(story, {}, { repeated: ["client_id"] }), { message });
    await assert.rejects(ask(story, { client_id: "x" }), { message: /: its client_id is wrong$/ });
  });

  test("for no redirect_uri although the client has only one (T7)", async () => {
    await using story = await openStory({ redirectUris: ["https://books.example/cb"] });
    await assert.rejects(ask(story, { redirect_uri: undefined }), PAGE);
  });

  test("for a disabled client (T3)", async () => {
    await using story = await openStory();
    await change(story, { disabled: true });
    await assert.rejects(ask(story), PAGE);
  });
});

describe("authorize() returns to the client", () => {
  const FAULTS: readonly (readonly [OAuthErrorCode, string, Fields])[] = [
    ["invalid_request", "T28", { code_challenge: undefined }],
    ["invalid_request", "T28", { code_challenge: undefined, code_challenge_method: undefined }],
    ["invalid_request", "T29", { code_challenge_method: undefined }],
    ["invalid_request", "T30", { code_challenge_method: "plain" }],
    ["invalid_request", "T31", { code_challenge_method: "s256" }],
    ["invalid_request", "T31", { code_challenge_method: "S512" }],
    ["invalid_request", "T31", { code_challenge_method: "" }],
    ["invalid_request", "T32", { code_challenge: "" }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE.slice(1) }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE + "A" }],
    ["invalid_request", "T33", { code_challenge: "A".repeat(129) }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE.slice(1) + "=" }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE.slice(1) + "+" }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE.slice(1) + "é" }],
    ["invalid_request", "T33", { code_challenge: CHALLENGE + "\n" }],
    ["invalid_request", "T43", { response_type: undefined }],
    ["invalid_request", "T43", { response_type: "" }],
    ["unsupported_response_type", "T44", { response_type: "foo" }],
    ...["token", "id_token", "code id_token", "code token", "none", "CODE", "code "].map((response_type) =>
      ["unsupported_response_type", "T45", { response_type }] as const
    ),
    ...["fragment", "form_post", "web_message", "query.jwt"].map((response_mode) =>
      ["invalid_request", "T46", { response_mode }] as const
    ),
    ["invalid_scope", "T47", { scope: undefined }],
    ["invalid_scope", "T47", { scope: "email" }],
    ["invalid_scope", "T47", { scope: 'openid "' }],
    ["invalid_scope", "T47", { scope: "openid \\" }],
    ["invalid_scope", "T47", { scope: "openid\tx" }],
    ["invalid_scope", "T47", { scope: "openidé" }],
    ["invalid_scope", "T47", { scope: "OPENID" }],
    ["invalid_request", "T49", { prompt: "none login" }],
    ["invalid_request", "T49", { prompt: "none select_account" }],
    ["invalid_request", "T49", { prompt: "create" }],
    ["invalid_request", "T49", { prompt: "login x" }],
    ["request_not_supported", "T59a", { request: "x" }],
    ["request_uri_not_supported", "T59a", { request_uri: "https://books.example/r" }],
    ["registration_not_supported", "T59a", { registration: "{}" }],
    ...["-1", "abc", "1e9", "9007199254740992", "1.5", " 1", "0x1"].map((max_age) =>
      ["invalid_request", "T59c", { max_age }] as const
    ),
    ["invalid_request", "T59f", { nonce: "n".repeat(1025) }],
    ["invalid_request", "T59f", { nonce: "a\0" }],
    ["invalid_request", "T59g", { login_hint: "a".repeat(321) }],
    ["invalid_request", "T59e", { id_token_hint: "x" }],
    ["invalid_request", "T59e", { id_token_hint: "a.b.c" }],
  ];
  for (const [code, number, fields] of FAULTS) {
    test(`${code} for ${JSON.stringify(fields).slice(0, 70)} (${number}, T51)`, async () => {
      await using story = await openStory();
      assert.equal(await errorOf(ask(story, fields)), code);
      assert.equal(await rows(story), 0);
    });
  }

  for (const name of ["code_challenge", "scope", "prompt", "x", "X-\n"]) {
    test(`invalid_request for ${JSON.stringify(name)} twice (T34)`, async () => {
      assert.equal(await errorOf(ask(await openStory(), {}, { repeated: [name] })), "invalid_request");
    });
  }

  test("invalid_request without a state for state twice (T53)", async () => {
    assert.equal(await errorOf(ask(await openStory(), {}, { repeated: ["state"] }), null), "invalid_request");
  });

  test("invalid_request without a state for one that is too long", async () => {
    const fields = { state: "s".repeat(2049) };
    assert.equal(await errorOf(ask(await openStory(), fields), null), "invalid_request");
  });
});

describe("authorize() returns", () => {
  const STATES = ['&=%"<>é+ #?', "s".repeat(2000), "a", "\u{1F511}", "%41"];
  for (const state of STATES) {
    test(`the state ${JSON.stringify(state.slice(0, 20))} unchanged (T53)`, async () => {
      const answer = await authorizeFully(await openStory(), { state });
      assert.deepEqual([...answer.searchParams.keys()], ["code", "state", "iss"]);
      assert.equal(answer.searchParams.get("state"), state);
      assert.equal(answer.searchParams.get("iss"), ISSUER);
    });
  }

  for (const state of [undefined, ""]) {
    test(`no state for ${JSON.stringify(state)} (T53)`, async () => {
      const answer = await authorizeFully(await openStory(), { state });
      assert.deepEqual([...answer.searchParams.keys()], ["code", "iss"]);
    });
  }

  test("the redirect URI's own query (T16)", async () => {
    await using story = await openStory();
    const answer = await authorizeFully(story, { redirect_uri: "https://books.example/other?a=1" });
    assert.match(answer.href, /^https:\/\/books\.example\/other\?a=1&code=[A-Za-z0-9]{95}&state=/);
  });

  test("the port that a native client listens on (T25)", async () => {
    await using story = await openStory({ type: "native", redirectUris: ["http://127.0.0.1/cb"] });
    const answer = await authorizeFully(story, { redirect_uri: "http://127.0.0.1:51004/cb" });
    assert.equal(answer.host, "127.0.0.1:51004");
    assert.notEqual(answer.searchParams.get("code"), null);
  });

  test("no unknown parameters and scopes (T47, T59b)", async () => {
    await using story = await openStory();
    const fields = {
      scope: "email  openid profile",
      extra: "1",
      display: "popup",
      acr_values: "x",
      claims: "{}",
    };
    assert.notEqual((await authorizeFully(story, fields)).searchParams.get("code"), null);
    const { scope } = await story.db.selectFrom("authorization_grant").select("scope")
      .executeTakeFirstOrThrow();
    assert.equal(scope, "openid");
  });
});

describe("authorize() requires a sign-in", () => {
  test("when no user is signed in, and continues afterwards in that browser", async () => {
    await using story = await openStory();
    const step = await ask(story, { login_hint: "alice@example.com" }, { signedIn: undefined });
    assert.deepEqual(step, {
      kind: "sign_in",
      requestId: (step as { requestId: string }).requestId,
      client: story.client,
      loginHint: "alice@example.com",
    });
    const { requestId } = step as { requestId: string };
    await assert.rejects(goOn(story, requestId, { browserHash: "another" }), PAGE);
    assert.equal((await goOn(story, requestId, { signedIn: undefined })).kind, "sign_in");
    const next = await goOn(story, requestId);
    assert.equal(next.kind, "consent");
  });

  test("and counts the stored requests of the network", async () => {
    await using story = await openStory();
    await ask(story, {}, { signedIn: undefined });
    assert.deepEqual(story.taken, [
      { name: "authorization_request", subject: NETWORK },
      { name: "authorization_request_site", subject: "192.0.2.0/24" },
    ]);
  });

  for (const prompt of ["login", "select_account", "login consent"]) {
    test(`when prompt is ${prompt}, until a user signs in after the request (T49)`, async () => {
      await using story = await openStory();
      await authorizeFully(story);
      const step = await ask(story, { prompt });
      assert.equal(step.kind, "sign_in");
      const { requestId } = step as { requestId: string };
      assert.equal((await goOn(story, requestId)).kind, "sign_in");
      const signedIn = await signInAgain(story, story.signedIn.account, NOW + 1);
      const next = await goOn(story, requestId, { signedIn, now: NOW + 2 });
      assert.equal(next.kind, prompt === "login consent" ? "consent" : "redirect");
    });
  }

  const AGES = [["0", "sign_in"], ["59", "sign_in"], ["60", "sign_in"], ["61", "redirect"]] as const;
  for (const [max_age, kind] of AGES) {
    test(`or not, when max_age is ${max_age} and the session 60 seconds old (T59c, T59d)`, async () => {
      await using story = await openStory();
      await authorizeFully(story);
      const step = await ask(story, { max_age });
      assert.equal(step.kind, kind);
      if (step.kind !== "sign_in") return;
      const signedIn = await signInAgain(story, story.signedIn.account, NOW + 1);
      const asking = { signedIn, now: NOW + 30 * MINUTE };
      assert.equal((await goOn(story, step.requestId, asking)).kind, "redirect");
    });
  }

  for (const asked of [{ prompt: "login" }, { max_age: "3600" }]) {
    test(`for ${JSON.stringify(asked)} when the session began before the clock was set back`, async () => {
      await using story = await openStory();
      await authorizeFully(story);
      const before = await signInAgain(story, story.signedIn.account, NOW + 10 * MINUTE);
      const step = await ask(story, asked, { signedIn: before });
      assert.equal(step.kind, "sign_in");
      const { requestId } = step as { requestId: string };
      assert.equal((await goOn(story, requestId, { signedIn: before, now: NOW })).kind, "sign_in");
      const signedIn = await signInAgain(story, story.signedIn.account, NOW + 1);
      assert.equal((await goOn(story, requestId, { signedIn, now: NOW + 2 })).kind, "redirect");
    });
  }

  test("when id_token_hint names another account, and refuses any other that signs in (T59e)", async () => {
    await using story = await openStory();
    const { id_token: id_token_hint } = await getTokens(story);
    assert.equal((await ask(story, { id_token_hint })).kind, "redirect");
    const other = await signInPerson(story, "bob@example.com", NOW - 1);
    const step = await ask(story, { id_token_hint }, { signedIn: other });
    assert.equal(step.kind, "sign_in");
    const fresh = await signInAgain(story, other.account, NOW + 1);
    const next = goOn(story, (step as { requestId: string }).requestId, { signedIn: fresh, now: NOW + 1 });
    assert.equal(await errorOf(next), "login_required");
    assert.equal(await rows(story), 0);
  });

  test("or not, when the hint is an expired ID token of the client's, and refuses another client's", async () => {
    await using story = await openStory();
    const { id_token: id_token_hint } = await getTokens(story);
    const later = { now: NOW + 2 * HOUR };
    assert.equal((await ask(story, { id_token_hint, prompt: "none" }, later)).kind, "redirect");
    const other = { ...story, ...await register(story) };
    assert.equal(await errorOf(ask(other, { id_token_hint })), "invalid_request");
  });

  test("refuses an access token as a hint", async () => {
    await using story = await openStory();
    const { access_token: id_token_hint } = await getTokens(story);
    assert.equal(await errorOf(ask(story, { id_token_hint })), "invalid_request");
  });
});

describe("authorize() with prompt=none", () => {
  test("is login_required when no user is signed in (T48)", async () => {
    await using story = await openStory();
    assert.equal(await errorOf(ask(story, { prompt: "none" }, { signedIn: undefined })), "login_required");
    assert.equal(await rows(story), 0);
  });

  test("is consent_required until the person consented (T49)", async () => {
    await using story = await openStory();
    assert.equal(await errorOf(ask(story, { prompt: "none" })), "consent_required");
    await authorizeFully(story);
    const answer = await authorizeFully(story, { prompt: "none" });
    assert.notEqual(answer.searchParams.get("code"), null);
  });

  test("is login_required when the session is too old or another account's (T59d, T59e)", async () => {
    await using story = await openStory();
    const { id_token: id_token_hint } = await getTokens(story);
    assert.equal(await errorOf(ask(story, { prompt: "none", max_age: "1" })), "login_required");
    const signedIn = await signInPerson(story, "bob@example.com", NOW - 1);
    assert.equal(
      await errorOf(ask(story, { prompt: "none", id_token_hint }, { signedIn })),
      "login_required",
    );
  });
});

describe("authorize() without cookies", () => {
  test("binds the request to the first browser that sends its id (T58)", async () => {
    await using story = await openStory();
    const posted = (fields: Fields) =>
      authorize(story.db, story.services, {
        parameters: new Map(Object.entries(goodRequest(story, fields)) as [string, string][]),
        repeated: new Set(),
        visitor: undefined,
        network: NETWORK,
        now: NOW,
        random,
      });
    const step = await posted({});
    assert.equal(step.kind, "continue");
    const { requestId } = step as { requestId: string };
    assert.equal((await goOn(story, requestId)).kind, "consent");
    await assert.rejects(goOn(story, requestId, { browserHash: "another" }), PAGE);
    const silent = await posted({ prompt: "none" });
    const refused = goOn(story, (silent as { requestId: string }).requestId);
    assert.equal(await errorOf(refused), "consent_required");
    await assert.rejects(goOn(story, (silent as { requestId: string }).requestId), PAGE);
  });
});

describe("decideAuthorization()", () => {
  async function asked(fields: Fields = {}) {
    const story = await openStory();
    const step = await ask(story, fields);
    assert.equal(step.kind, "consent");
    return { story, step, requestId: (step as { requestId: string }).requestId };
  }

  test("shows client, host, claims and account (T132)", async () => {
    const { story, step } = await asked();
    assert.deepEqual(step.kind === "consent" && step.consentRequest, {
      client: story.client,
      target: { kind: "https", text: "https://books.example" },
      scope: "openid",
      claims: ["email", "email_verified", "name"],
      keys: undefined,
      account: story.signedIn.account,
    });
  });

  test("issues a code once when approved, and fails the second time (T133, T140)", async () => {
    const { story, requestId } = await asked();
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => decide(story, requestId)));
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
    await assert.rejects(decide(story, requestId), PAGE);
    assert.equal(await rows(story), 0);
    const grants = await story.db.selectFrom("authorization_grant").select("id").execute();
    assert.equal(grants.length, 1);
  });

  test("returns access_denied when denied, and stores no consent (T59h)", async () => {
    const { story, requestId } = await asked();
    const { searchParams } = await decide(story, requestId, "deny");
    assert.deepEqual([searchParams.get("error"), searchParams.get("state"), searchParams.get("iss")], [
      "access_denied",
      "the state",
      ISSUER,
    ]);
    assert.equal((await ask(story)).kind, "consent");
    assert.ok((await auditOf(story)).includes("authorization_denied"));
  });

  test("refuses another browser, session, request and time, and does not change the request (T133)", async () => {
    const { story, requestId } = await asked();
    const other = await signInPerson(story, "bob@example.com", NOW);
    const again = await signInAgain(story, story.signedIn.account);
    await assert.rejects(decide(story, requestId, "approve", { browserHash: "another" }), PAGE);
    for (const signedIn of [other, again]) {
      // This session has not seen the consent page, so nothing is decided.
      const step = await decideStep(story, requestId, "approve", { signedIn });
      assert.deepEqual(step, { kind: "continue", requestId });
    }
    await assert.rejects(decide(story, "request_" + "0".repeat(26)), PAGE);
    await assert.rejects(decide(story, requestId, "approve", { now: NOW + HOUR }), PAGE);
    assert.notEqual((await decide(story, requestId)).searchParams.get("code"), null);
  });

  test("refuses a request that no session has seen", async () => {
    await using story = await openStory();
    const { requestId } = await ask(story, {}, { signedIn: undefined }) as { requestId: string };
    assert.deepEqual(await decideStep(story, requestId), { kind: "continue", requestId });
    assert.equal(await rows(story), 1);
  });

  test("refuses the page that was open for another account, after switching (T133)", async () => {
    const { story, requestId } = await asked();
    const bob = await signInPerson(story, "bob@example.com", NOW + 1);
    const step = await goOn(story, requestId, { signedIn: bob, now: NOW + 1 });
    assert.equal(step.kind, "consent");
    const next = (step as { requestId: string }).requestId;
    assert.notEqual(next, requestId);
    assert.equal(step.kind === "consent" && step.consentRequest.account.id, bob.account.id);
    for (const signedIn of [bob, story.signedIn]) {
      await assert.rejects(decide(story, requestId, "approve", { signedIn }), PAGE);
    }
    await decide(story, next, "approve", { signedIn: bob });
  });

  test("refuses when the client was disabled, deleted or lost the redirect URI meanwhile", async () => {
    for (const changed of [{ disabled: true }, { redirectUris: ["https://books.example/new"] }]) {
      const { story, requestId } = await asked();
      await change(story, changed);
      await assert.rejects(decide(story, requestId), PAGE);
      await assert.rejects(goOn(story, requestId), PAGE);
    }
  });

  test("completes the requests of two tabs independently (T139)", async () => {
    const { story, requestId } = await asked({ state: "one" });
    const second = await ask(story, { state: "two" });
    const two = await decide(story, (second as { requestId: string }).requestId);
    const one = await decide(story, requestId);
    assert.deepEqual([one, two].map(({ searchParams }) => searchParams.get("state")), ["one", "two"]);
  });
});
