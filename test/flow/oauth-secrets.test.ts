import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY } from "../support/app.ts";
import { proveAddress } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { setStage } from "../support/hostile-oauth.ts";
import type { Stage } from "../support/hostile-oauth.ts";
import {
  askForConsent,
  authorizePath,
  callAs,
  decide,
  exchange,
  getCode,
  getTokens,
  isActive,
  locationOf,
  pendingOf,
  pkcePair,
  postForm,
  refresh,
  userinfo,
} from "../support/oauth.ts";
import type { Fields, GivenCode } from "../support/oauth.ts";

const TOKEN = "/api/auth/oauth2/token";

/** One secret of each kind, all valid, of one person and one client. */
interface Secrets {
  readonly session: string;
  readonly ticket: string;
  readonly browser: string;
  readonly authorization: string;
  readonly request: string;
  readonly code: string;
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly idToken: string;
  readonly clientSecret: string;
}

async function createSecrets(stage: Stage): Promise<{ secrets: Secrets; given: GivenCode }> {
  const { app, provider, victim, books } = stage;
  const third = app.client("127.0.0.3");
  await third.get(authorizePath(books, pkcePair()));
  await proveAddress(third, "third@example.com");
  const { access_token, refresh_token, id_token } = await getTokens(provider, victim, books);
  const given = await getCode(victim, books);
  const waiting = await victim.get(authorizePath(books, pkcePair(), { prompt: "consent" }));
  const secrets = {
    session: victim.cookies.get("service.session_token")!,
    ticket: third.cookies.get("service.sign_up")!,
    browser: third.cookies.get("service.pre_session")!,
    authorization: victim.cookies.get("service.authorization")!,
    request: pendingOf(waiting, "/consent"),
    code: given.code,
    refreshToken: refresh_token,
    accessToken: access_token,
    idToken: id_token,
    clientSecret: books.clientSecret!,
  };
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret, name);
  return { secrets, given };
}

/** Returns a secret and the parts of it that a lax parser could accept. */
function variantsOf(secret: string): string[] {
  const parts = secret.split(/[._]/);
  const cut = [
    secret.slice(-26),
    secret.slice(0, -26),
    secret.slice(0, 43),
    secret.slice(-43),
    secret.slice(0, 69),
    secret.slice(-95),
  ];
  return [...new Set([secret, ...parts, ...cut])].filter((text) => text !== "");
}

interface Place {
  readonly acceptedKinds: readonly (keyof Secrets)[];
  /** Returns true if the service accepts a text here. */
  readonly accepts: (stage: Stage, text: string, given: GivenCode) => Promise<boolean>;
}

function withCookie({ app }: Stage, name: string, value: string): Client {
  const client = app.client("127.0.0.8");
  client.cookies.set(name, value);
  return client;
}

/** Calls the token endpoint with the client's own authentication. Returns true if it issues tokens. */
async function issuesTokens({ provider, books }: Stage, form: Fields): Promise<boolean> {
  return (await callAs(provider, books, TOKEN, form)).status === 200;
}

const PLACES: Readonly<Record<string, Place>> = {
  "the session cookie": {
    acceptedKinds: ["session"],
    accepts: async (stage, text) =>
      (await withCookie(stage, "service.session_token", text).get("/api/keys")).status === 200,
  },
  "the sign-up ticket": {
    acceptedKinds: ["ticket"],
    accepts: async (stage, text) =>
      (await withCookie(stage, "service.sign_up", text).post("/api/auth/passkey/registration/options", {}))
        .status === 200,
  },
  "the bearer token of userinfo": {
    acceptedKinds: ["accessToken"],
    accepts: async ({ provider }, text) => (await userinfo(provider, text)).status === 200,
  },
  "the bearer token of the admin API": {
    acceptedKinds: [],
    accepts: async ({ app }, text) =>
      (await app.client().get("/api/admin/oauth/clients", { headers: { authorization: `Bearer ${text}` } }))
        .status === 200,
  },
  "introspection": {
    acceptedKinds: ["accessToken", "refreshToken"],
    accepts: ({ provider, books }, text) => isActive(provider, books, text),
  },
  "a client's secret": {
    acceptedKinds: ["clientSecret"],
    accepts: async ({ provider, books }, text) =>
      (await callAs(provider, { ...books, clientSecret: text }, "/api/auth/oauth2/introspect", {
        token: "x",
      }))
        .status === 200,
  },
  "the refresh token": {
    acceptedKinds: ["refreshToken"],
    accepts: (stage, text) => issuesTokens(stage, { grant_type: "refresh_token", refresh_token: text }),
  },
  "the code": {
    acceptedKinds: ["code"],
    accepts: ({ provider, books }, text, given) =>
      exchange(provider, books, { ...given, code: text }).then(({ status }) => status === 200),
  },
  "the pending request": {
    acceptedKinds: ["request"],
    accepts: async ({ victim }, text) =>
      (await postForm(victim, "/consent", { request: text, decision: "approve" })).status === 303,
  },
  "the browser of a pending request": {
    acceptedKinds: ["authorization"],
    accepts: async (stage, text) => {
      const request = await askForConsent(stage.victim, stage.books, pkcePair(), { prompt: "consent" });
      const browser = withCookie(stage, "service.authorization", text);
      browser.cookies.set("service.session_token", stage.victim.cookies.get("service.session_token")!);
      return (await decide(browser, request)).status === 303;
    },
  },
  "id_token_hint": {
    acceptedKinds: ["idToken"],
    accepts: async ({ operator, books }, text) => {
      const path = authorizePath(books, pkcePair(), { id_token_hint: text, prompt: "none" });
      return locationOf(await operator.get(path)).searchParams.get("error") === "login_required";
    },
  },
  "the hint of a logout": {
    acceptedKinds: ["idToken"],
    accepts: async ({ app, victim }, text) => {
      const browser = app.client("127.0.0.8");
      browser.cookies.set("service.session_token", victim.cookies.get("service.session_token")!);
      const form = new URLSearchParams({ id_token_hint: text });
      const answer = await browser.get(`/api/auth/oauth2/end-session?${form}`);
      return locationOf(answer).pathname === "/signed-out";
    },
  },
};

describe("no kind of secret is accepted in place of another:", () => {
  for (const [place, { acceptedKinds, accepts }] of Object.entries(PLACES)) {
    test(place, { timeout: 60_000 }, async () => {
      await using stage = await setStage();
      const { secrets, given } = await createSecrets(stage);
      for (const [kind, secret] of Object.entries(secrets) as [keyof Secrets, string][]) {
        if (acceptedKinds.includes(kind)) continue;
        for (const text of variantsOf(secret)) {
          assert.equal(await accepts(stage, text, given), false, `${kind} is accepted as ${place}`);
        }
      }
      for (const kind of acceptedKinds) {
        assert.equal(await accepts(stage, secrets[kind], given), true, `${kind} is accepted as ${place}`);
      }
    });
  }
});

test("no answer contains a secret except its own, and no log line contains one", async () => {
  await using stage = await setStage();
  const { app, provider, victim, operator, books } = stage;
  const answers = new Map<string, Answer>();
  const record = async (name: string, sent: Promise<Answer>): Promise<Answer> => {
    const answer = await sent;
    answers.set(name, answer);
    return answer;
  };
  const { secrets, given } = await createSecrets(stage);
  const tokens = (await record("exchange", exchange(provider, books, given))).body;
  const next = (await record("refresh", refresh(provider, books, tokens.refresh_token))).body;
  await record("replay", exchange(provider, books, given));
  await record("userinfo", userinfo(provider, secrets.accessToken));
  await record("keys", victim.get("/api/keys"));
  await record("session", victim.get("/api/auth/session"));
  await record("grants", victim.get("/api/auth/grants"));
  await record("jwks", operator.get("/api/auth/jwks"));
  await record("metadata", operator.get("/.well-known/openid-configuration"));
  await record("outbox", operator.get("/dev/outbox"));
  await record("authorize", operator.get(authorizePath(books, pkcePair())));
  await record("other's request", operator.get(`/consent?request=${secrets.request}`));
  await record("consent page", victim.get(`/consent?request=${secrets.request}`));
  await record(
    "introspect",
    callAs(provider, books, "/api/auth/oauth2/introspect", { token: secrets.accessToken }),
  );
  const admin = { headers: { authorization: `Bearer ${ADMIN_KEY}` } };
  await record("admin list", operator.get("/api/admin/oauth/clients", admin));
  await record("admin get", operator.get(`/api/admin/oauth/clients/${books.clientId}`, admin));

  // The token endpoint also issued these.
  const issued = ["access_token", "refresh_token", "id_token"].flatMap((name) => [
    [name, tokens[name]],
    [`next ${name}`, next[name]],
  ]);
  const all = [...Object.entries(secrets), ...issued] as [string, string][];
  const expected: Readonly<Record<string, readonly string[]>> = {
    exchange: ["access_token", "refresh_token", "id_token"],
    refresh: ["next access_token", "next refresh_token", "next id_token"],
    "consent page": ["request", "authorization"],
    "other's request": [],
  };
  for (const [place, { headers, text }] of answers) {
    const whole = [...headers].map((pair) => pair.join(": ")).join("\n") + text;
    for (const [kind, secret] of all) {
      if (expected[place]?.includes(kind)) continue;
      const core = kind === "session" || kind === "ticket" ? secret.split(".")[1]! : secret;
      assert.equal(whole.includes(core), false, `${kind} shows in ${place}`);
    }
    assert.doesNotMatch(whole, /secret_hash|secretHash|"sealed"|"mac"|"d":/, place);
  }
  for (const [kind, secret] of all) {
    assert.equal(app.logged.some((line) => line.includes(secret)), false, `${kind} is in the log`);
  }
});
