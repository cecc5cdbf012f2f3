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

/** Every kind of secret that is kept, or that opens something, live and of one person and one client. */
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

async function drawSecrets(stage: Stage): Promise<{ secrets: Secrets; given: GivenCode }> {
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

/** A secret, and the parts that somebody could take for it: what stands before, after and beside its separators. */
function variantsOf(secret: string): string[] {
  const parts = secret.split(/[._]/);
  const cut = [
    secret.slice(-26),
    secret.slice(0, -26),
    secret.slice(0, 43),
    secret.slice(-43),
    secret.slice(-69),
  ];
  return [...new Set([secret, ...parts, ...cut])].filter((text) => text !== "");
}

interface Place {
  readonly opensFor: readonly (keyof Secrets)[];
  /** Whether a text opens anything here. */
  readonly opens: (stage: Stage, text: string, given: GivenCode) => Promise<boolean>;
}

function withCookie({ app }: Stage, name: string, value: string): Client {
  const client = app.client("127.0.0.8");
  client.cookies.set(name, value);
  return client;
}

/** At the token endpoint, as the client itself: the secret alone is foreign. */
async function givesTokens({ provider, books }: Stage, form: Fields): Promise<boolean> {
  return (await callAs(provider, books, TOKEN, form)).status === 200;
}

const PLACES: Readonly<Record<string, Place>> = {
  "the session cookie": {
    opensFor: ["session"],
    opens: async (stage, text) =>
      (await withCookie(stage, "service.session_token", text).get("/api/keys")).status === 200,
  },
  "the sign-up ticket": {
    opensFor: ["ticket"],
    opens: async (stage, text) =>
      (await withCookie(stage, "service.sign_up", text).post("/api/auth/passkey/registration/options", {}))
        .status === 200,
  },
  "the bearer token of userinfo": {
    opensFor: ["accessToken"],
    opens: async ({ provider }, text) => (await userinfo(provider, text)).status === 200,
  },
  "the bearer token of the admin API": {
    opensFor: [],
    opens: async ({ app }, text) =>
      (await app.client().get("/api/admin/oauth/clients", { headers: { authorization: `Bearer ${text}` } }))
        .status === 200,
  },
  "introspection": {
    opensFor: ["accessToken", "refreshToken"],
    opens: ({ provider, books }, text) => isActive(provider, books, text),
  },
  "a client's secret": {
    opensFor: ["clientSecret"],
    opens: async ({ provider, books }, text) =>
      (await callAs(provider, { ...books, clientSecret: text }, "/api/auth/oauth2/introspect", {
        token: "x",
      }))
        .status === 200,
  },
  "the refresh token": {
    opensFor: ["refreshToken"],
    opens: (stage, text) => givesTokens(stage, { grant_type: "refresh_token", refresh_token: text }),
  },
  "the code": {
    opensFor: ["code"],
    opens: ({ provider, books }, text, given) =>
      exchange(provider, books, { ...given, code: text }).then(({ status }) => status === 200),
  },
  "the pending request": {
    opensFor: ["request"],
    opens: async ({ victim }, text) =>
      (await postForm(victim, "/consent", { request: text, decision: "approve" })).status === 303,
  },
  "the browser of a pending request": {
    opensFor: ["authorization"],
    opens: async (stage, text) => {
      const request = await askForConsent(stage.victim, stage.books, pkcePair(), { prompt: "consent" });
      const browser = withCookie(stage, "service.authorization", text);
      browser.cookies.set("service.session_token", stage.victim.cookies.get("service.session_token")!);
      return (await decide(browser, request)).status === 303;
    },
  },
  "id_token_hint": {
    opensFor: ["idToken"],
    opens: async ({ operator, books }, text) => {
      const path = authorizePath(books, pkcePair(), { id_token_hint: text, prompt: "none" });
      return locationOf(await operator.get(path)).searchParams.get("error") === "login_required";
    },
  },
  "the hint of a logout": {
    opensFor: ["idToken"],
    opens: async ({ app, victim }, text) => {
      const browser = app.client("127.0.0.8");
      browser.cookies.set("service.session_token", victim.cookies.get("service.session_token")!);
      const form = new URLSearchParams({ id_token_hint: text });
      const answer = await browser.get(`/api/auth/oauth2/end-session?${form}`);
      return locationOf(answer).pathname === "/signed-out";
    },
  },
};

describe("no kind of secret is good in another's place:", () => {
  for (const [place, { opensFor, opens }] of Object.entries(PLACES)) {
    test(place, { timeout: 60_000 }, async () => {
      await using stage = await setStage();
      const { secrets, given } = await drawSecrets(stage);
      for (const [kind, secret] of Object.entries(secrets) as [keyof Secrets, string][]) {
        if (opensFor.includes(kind)) continue;
        for (const text of variantsOf(secret)) {
          assert.equal(await opens(stage, text, given), false, `${kind} opens ${place}`);
        }
      }
      for (const kind of opensFor) {
        assert.equal(await opens(stage, secrets[kind], given), true, `${kind} is good at ${place}`);
      }
    });
  }
});

/** Who may see which secret: everything that an answer to anybody else contains must be without it. */
test("no answer and no log line has a secret that is not meant for it", async () => {
  await using stage = await setStage();
  const { app, provider, victim, operator, books } = stage;
  const answers = new Map<string, Answer>();
  const note = async (name: string, asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked;
    answers.set(name, answer);
    return answer;
  };
  const { secrets, given } = await drawSecrets(stage);
  const tokens = (await note("exchange", exchange(provider, books, given))).body;
  const next = (await note("refresh", refresh(provider, books, tokens.refresh_token))).body;
  await note("replay", exchange(provider, books, given));
  await note("userinfo", userinfo(provider, secrets.accessToken));
  await note("keys", victim.get("/api/keys"));
  await note("session", victim.get("/api/auth/session"));
  await note("grants", victim.get("/api/auth/grants"));
  await note("jwks", operator.get("/api/auth/jwks"));
  await note("metadata", operator.get("/.well-known/openid-configuration"));
  await note("outbox", operator.get("/dev/outbox"));
  await note("authorize", operator.get(authorizePath(books, pkcePair())));
  await note("other's request", operator.get(`/consent?request=${secrets.request}`));
  await note("consent page", victim.get(`/consent?request=${secrets.request}`));
  await note(
    "introspect",
    callAs(provider, books, "/api/auth/oauth2/introspect", { token: secrets.accessToken }),
  );
  const admin = { headers: { authorization: `Bearer ${ADMIN_KEY}` } };
  await note("admin list", operator.get("/api/admin/oauth/clients", admin));
  await note("admin get", operator.get(`/api/admin/oauth/clients/${books.clientId}`, admin));

  /** Beside the kinds above: what the two calls of the token endpoint gave. */
  const issued = ["access_token", "refresh_token", "id_token"].flatMap((name) => [
    [name, tokens[name]],
    [`next ${name}`, next[name]],
  ]);
  const all = [...Object.entries(secrets), ...issued] as [string, string][];
  const meant: Readonly<Record<string, readonly string[]>> = {
    exchange: ["access_token", "refresh_token", "id_token"],
    refresh: ["next access_token", "next refresh_token", "next id_token"],
    "consent page": ["request", "authorization"],
    "other's request": [],
  };
  for (const [place, { headers, text }] of answers) {
    const whole = [...headers].map((pair) => pair.join(": ")).join("\n") + text;
    for (const [kind, secret] of all) {
      if (meant[place]?.includes(kind)) continue;
      const core = kind === "session" || kind === "ticket" ? secret.split(".")[1]! : secret;
      assert.equal(whole.includes(core), false, `${kind} shows in ${place}`);
    }
    assert.doesNotMatch(whole, /secret_hash|secretHash|"sealed"|"mac"|"d":/, place);
  }
  for (const [kind, secret] of all) {
    assert.equal(app.logged.some((line) => line.includes(secret)), false, `${kind} is in the log`);
  }
});
