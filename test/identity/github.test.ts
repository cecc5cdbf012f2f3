import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FetchInit } from "../../src/lib/outgoing.ts";
import type { GitHubProviderConfig } from "../../src/identity/provider.ts";
import { createTestApp, NO_PROVIDERS } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { registerPasskey } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { lastReason } from "../support/identity.ts";

const CONFIG: GitHubProviderConfig = {
  kind: "github",
  id: "github",
  name: "GitHub",
  clientId: "Iv1.0123456789",
  clientSecret: "gh secret",
};
const CALLBACK = "/api/auth/identity/github/callback";
const TOKEN = { access_token: "gho_x", token_type: "bearer", scope: "user:email" };
const USER = { id: 583231, login: "octocat", name: "The Octocat", email: "public@example.com" };
const EMAILS = [
  { email: "second@example.com", primary: false, verified: true, visibility: null },
  { email: "octocat@example.com", primary: true, verified: true, visibility: "private" },
];

interface GitHub extends AsyncDisposable {
  readonly app: TestApp;
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
}

/** Opens the service with a GitHub whose responses are given. An endpoint without a response returns 404. */
async function openGitHub(
  answers: { token?: unknown; user?: unknown; emails?: unknown } = {},
): Promise<GitHub> {
  const requests: GitHub["requests"] = [];
  const { token = TOKEN, user = USER, emails = EMAILS } = answers;
  const byUrl: Readonly<Record<string, unknown>> = {
    "https://github.com/login/oauth/access_token": token,
    "https://api.github.com/user": user,
    "https://api.github.com/user/emails": emails,
  };
  const app = await createTestApp({
    identity: {
      ...NO_PROVIDERS,
      providers: [CONFIG],
      fetch: (url, init) => {
        requests.push({ url, init });
        const headers = { "content-type": "application/json; charset=utf-8" };
        const status = url in byUrl ? 200 : 404;
        return Promise.resolve(new Response(JSON.stringify(byUrl[url] ?? null), { status, headers }));
      },
    },
  });
  return { app, requests, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function visit(client: Client, further = ""): Promise<Answer> {
  const begun = await client.get("/api/auth/identity/github");
  const state = new URL(begun.headers.get("location")!).searchParams.get("state");
  return await client.get(`${CALLBACK}?code=abc&state=${state}${further}`);
}

describe("sign-in with GitHub", () => {
  test("sends the browser to GitHub with state and PKCE, and requests addresses only", async () => {
    await using github = await openGitHub();
    const answer = await github.app.client().get("/api/auth/identity/github");
    const url = new URL(answer.headers.get("location")!);
    assert.equal(url.origin + url.pathname, "https://github.com/login/oauth/authorize");
    assert.equal(url.searchParams.get("scope"), "user:email");
    assert.equal(url.searchParams.get("code_challenge_method"), "S256");
    assert.equal(url.searchParams.get("redirect_uri"), `http://localhost:3000${CALLBACK}`);
  });

  test("links the numeric id under https://github.com and uses the primary verified address", async () => {
    await using github = await openGitHub();
    const client = github.app.client();
    const answer = await visit(client);
    assert.equal(answer.headers.get("location"), "/sign-up?identity=github");
    const { body } = await registerPasskey(client);
    assert.deepEqual([body.account.email, body.account.name], ["octocat@example.com", "The Octocat"]);
    const { issuer, subject } = await github.app.db.selectFrom("identity").selectAll()
      .executeTakeFirstOrThrow();
    assert.deepEqual([issuer, subject], ["https://github.com", "583231"]);
    const [token, user] = github.requests;
    assert.equal(new URLSearchParams(token!.init.body).get("client_secret"), "gh secret");
    assert.equal(token!.init.headers["accept"], "application/json");
    assert.equal(user!.init.headers["authorization"], "Bearer gho_x");
  });

  test("recognises a renamed account by its number", async () => {
    await using github = await openGitHub();
    const client = github.app.client();
    await visit(client);
    await registerPasskey(client);
    github.app.now += 1000;
    await using renamed = await createTestApp({
      db: github.app.db,
      identity: {
        ...NO_PROVIDERS,
        providers: [CONFIG],
        fetch: (url) =>
          Promise.resolve(
            Response.json(
              url.endsWith("token") ? TOKEN : url.endsWith("user") ? { ...USER, login: "x" } : [],
            ),
          ),
      },
    });
    const answer = await visit(renamed.client());
    assert.equal(answer.headers.get("location"), "/sign-in?identity=github");
  });

  for (
    const [what, emails] of [
      ["no address", []],
      ["no primary address", [{ email: "a@example.com", primary: false, verified: true }]],
      ["an unverified one", [{ email: "a@example.com", primary: true, verified: false }]],
      ["one verified in words", [{ email: "a@example.com", primary: true, verified: "true" }]],
      ["an address that is a number", [{ email: 1, primary: true, verified: true }]],
      ["entries that are none", [null, "a@example.com"]],
    ] as const
  ) {
    test(`uses no address with ${what}, not even the public one`, async () => {
      await using github = await openGitHub({ emails });
      const client = github.app.client();
      await visit(client);
      assert.equal((await registerPasskey(client)).body.account.email, null);
    });
  }

  test("uses the login as name if there is none", async () => {
    await using github = await openGitHub({ user: { ...USER, name: null } });
    const client = github.app.client();
    await visit(client);
    assert.equal((await registerPasskey(client)).body.account.name, "octocat");
  });

  for (
    const [what, answers, reason] of [
      ["an error with status 200", { token: { error: "bad_verification_code" } }, "token_refused"],
      ["a user without a number", { user: { login: "octocat" } }, "user_answer"],
      ["a number in words", { user: { ...USER, id: "583231" } }, "user_answer"],
      ["a number that is none", { user: { ...USER, id: -1 } }, "user_answer"],
      ["a number too large", { user: { ...USER, id: 2 ** 53 } }, "user_answer"],
      ["a user that is a list", { user: [USER] }, "user_answer"],
      ["addresses that are no list", { emails: { message: "Not Found" } }, "user_answer"],
    ] as const
  ) {
    test(`signs no user in for ${what}: ${reason}`, async () => {
      await using github = await openGitHub(answers);
      const client = github.app.client();
      assert.equal((await visit(client)).status, 400);
      assert.equal(lastReason(github.app), reason);
      assert.equal(client.cookies.has("service.sign_up"), false);
    });
  }

  test("accepts only GitHub's own issuer, if one is sent (RFC 9207)", async () => {
    await using github = await openGitHub();
    const visitWithIssuer = (issuer: string) =>
      visit(github.app.client(), `&iss=${encodeURIComponent(issuer)}`);
    assert.equal((await visitWithIssuer("https://github.com/login/oauth")).status, 303);
    assert.equal((await visitWithIssuer("https://id.example")).status, 400);
    assert.equal(lastReason(github.app), "callback_issuer");
  });
});
