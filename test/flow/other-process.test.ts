import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Answer, Client } from "../support/client.ts";
import { readCode, signIn, signUp } from "../support/client.ts";
import {
  administer,
  callAs,
  exchange,
  getCode,
  getTokens,
  isActive,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";
import { startTwo } from "../support/two-processes.ts";
import type { TwoProcesses, Which } from "../support/two-processes.ts";

// A change at one process applies to the next request at the other, because processes cache nothing that decides.

/** A person with a key. `go` selects the process that serves the person's browser. */
interface Person {
  readonly go: (to: Which) => Client;
  readonly email: string;
  readonly keyId: string;
}

/** A change at one process, and the answers to a request at either process before and after it. */
interface Case {
  /** Prepares the change. The request runs at both processes before it, so that their caches are filled. */
  readonly prepare: (person: Person, both: TwoProcesses) => Promise<{
    readonly act: (at: Which) => Promise<Answer>;
    readonly ask: (at: Which) => Promise<unknown>;
    readonly before: unknown;
    readonly after: unknown;
  }>;
}

const status = ({ status }: Answer): number => status;
const outcome = ({ status, body }: Answer): string => `${status} ${body?.code ?? body?.error ?? ""}`.trim();

/** Signs the person in with another browser. */
async function secondBrowser({ go, email }: Person, both: TwoProcesses): Promise<(to: Which) => Client> {
  const other = both.browser();
  const client: Client = { ...other.client, authenticator: go(0).authenticator };
  assert.equal((await signIn(client)).status, 200, email);
  return (to) => (other.go(to), client);
}

async function tokenOf(person: Client, terms: object = {}): Promise<{ id: string; text: string }> {
  const { body, status, text } = await person.post("/api/auth/tokens", {
    name: "Bot",
    keys: "all",
    actions: ["read", "sign"],
    ...terms,
  });
  assert.equal(status, 201, text);
  return { id: body.token.id, text: body.text };
}

function asProgram(
  both: TwoProcesses,
  at: Which,
  text: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${text}` };
  const client = both.providers[at].client();
  return body === undefined ? client.get(path, { headers }) : client.post(path, body, { headers });
}

const MESSAGE = { message: "hello" };

const CASES: Readonly<Record<string, Case>> = {
  "signing out": {
    prepare: ({ go }) => {
      const cookies = new Map(go(0).cookies);
      return Promise.resolve({
        act: (at) => go(at).post("/api/auth/sign-out"),
        ask: async (at) => {
          const client = go(at);
          for (const [name, value] of cookies) client.cookies.set(name, value);
          return status(await client.get("/api/keys"));
        },
        before: 200,
        after: 401,
      });
    },
  },
  "ending the other sessions": {
    prepare: async (person, both) => {
      const other = await secondBrowser(person, both);
      return {
        act: (at) => person.go(at).post("/api/auth/sessions/revoke-others"),
        ask: async (at) => status(await other(at).get("/api/keys")),
        before: 200,
        after: 401,
      };
    },
  },
  "revoking a program's token": {
    prepare: async ({ go }, both) => {
      const { id, text } = await tokenOf(go(0));
      return {
        act: (at) => go(at).request("DELETE", `/api/auth/tokens/${id}`),
        ask: async (at) => status(await asProgram(both, at, text, "/api/keys")),
        before: 200,
        after: 401,
      };
    },
  },
  "archiving a key": {
    prepare: async ({ go, keyId }, both) => {
      const { text } = await tokenOf(go(0));
      return {
        act: (at) => go(at).post(`/api/keys/${keyId}/archive`),
        ask: async (at) => outcome(await asProgram(both, at, text, `/api/keys/${keyId}/sign`, MESSAGE)),
        before: "200",
        after: "409 key_archived",
      };
    },
  },
  "making a key deny blind signing": {
    prepare: async ({ go, keyId }, both) => {
      const { text } = await tokenOf(go(0));
      const body = { format: "digest", message: `0x${"11".repeat(32)}` };
      return {
        act: (at) => go(at).request("PATCH", `/api/keys/${keyId}`, { body: { blindSigning: "deny" } }),
        ask: async (at) => outcome(await asProgram(both, at, text, `/api/keys/${keyId}/sign`, body)),
        before: "200",
        after: "403 blind_signing_denied",
      };
    },
  },
  "setting a key's policy": {
    prepare: async ({ go, keyId }, both) => {
      const { text } = await tokenOf(go(0));
      const policy = { version: 1, messages: { text: "deny" } };
      return {
        act: (at) => go(at).request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } }),
        ask: async (at) => outcome(await asProgram(both, at, text, `/api/keys/${keyId}/sign`, MESSAGE)),
        before: "200",
        after: "403 policy_denied",
      };
    },
  },
  "narrowing a program's token": {
    prepare: async ({ go, keyId }, both) => {
      const { id, text } = await tokenOf(go(0));
      const policy = { version: 1, messages: { text: "deny" } };
      return {
        act: (at) => go(at).request("PATCH", `/api/auth/tokens/${id}`, { body: { policy } }),
        ask: async (at) => outcome(await asProgram(both, at, text, `/api/keys/${keyId}/sign`, MESSAGE)),
        before: "200",
        after: "403 policy_denied",
      };
    },
  },
  "withdrawing an application's access": {
    prepare: async ({ go }, both) => {
      const client = await registerClient(both.providers[0]);
      const { access_token } = await getTokens(both.providers[0], go(0), client);
      return {
        act: (at) => go(at).request("DELETE", `/api/auth/grants/${client.clientId}`),
        ask: async (at) => [
          status(await userinfo(both.providers[at], access_token)),
          await isActive(both.providers[at], client, access_token),
        ],
        before: [200, true],
        after: [401, false],
      };
    },
  },
  "revoking an access token": {
    prepare: async ({ go }, both) => {
      const client = await registerClient(both.providers[0]);
      const { access_token } = await getTokens(both.providers[0], go(0), client);
      return {
        act: (at) => callAs(both.providers[at], client, "/api/auth/oauth2/revoke", { token: access_token }),
        ask: async (at) => [
          status(await userinfo(both.providers[at], access_token)),
          await isActive(both.providers[at], client, access_token),
        ],
        before: [200, true],
        after: [401, false],
      };
    },
  },
  "deleting an application": {
    prepare: async ({ go }, both) => {
      const client = await registerClient(both.providers[0]);
      const { access_token } = await getTokens(both.providers[0], go(0), client);
      return {
        act: (at) => administer(both.providers[at], "DELETE", `/${client.clientId}`),
        ask: async (at) => [
          status(await userinfo(both.providers[at], access_token)),
          outcome(await callAs(both.providers[at], client, "/api/auth/oauth2/introspect", { token: "none" })),
        ],
        before: [200, "200"],
        after: [401, "401 invalid_client"],
      };
    },
  },
  "replacing an application's secret": {
    prepare: async (_, both) => {
      const client = await registerClient(both.providers[0]);
      return {
        act: (at) => administer(both.providers[at], "POST", `/${client.clientId}/secret`),
        ask: async (at) =>
          outcome(await callAs(both.providers[at], client, "/api/auth/oauth2/introspect", { token: "none" })),
        before: "200",
        after: "401 invalid_client",
      };
    },
  },
  "removing a redirect URI of an application": {
    prepare: async ({ go }, both) => {
      const client = await registerClient(both.providers[0]);
      const path = "/api/auth/oauth2/authorize?" + new URLSearchParams({
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: client.redirectUris[0]!,
        scope: "openid",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
      });
      return {
        act: (at) =>
          administer(both.providers[at], "PATCH", `/${client.clientId}`, {
            redirectUris: ["https://books.example/other"],
          }),
        ask: async (at) => status(await go(at).get(path)),
        before: 303,
        after: 400,
      };
    },
  },
};

describe("a change at one process", () => {
  let both: TwoProcesses;
  let people = 0;

  before(async () => {
    both = await startTwo({ RATE_LIMITS: "off" });
  }, { timeout: 60_000 });
  after(() => both[Symbol.asyncDispose]());

  async function newPerson(): Promise<Person> {
    const email = `person${++people}@example.com`;
    const { client, go } = both.browser();
    const { body } = await signUp(client, email);
    return { go, email, keyId: body.key.id };
  }

  for (const [what, { prepare }] of Object.entries(CASES)) {
    for (const [there, here] of [[0, 1], [1, 0]] as const) {
      test(
        `${what} at process ${there} applies to the next request at ${here}`,
        { timeout: 60_000 },
        async () => {
          const { act, ask, before, after } = await prepare(await newPerson(), both);
          for (const at of [there, here]) assert.deepEqual(await ask(at), before);
          const answer = await act(there);
          assert.ok(answer.status >= 200 && answer.status < 300, answer.text);
          assert.deepEqual(await ask(here), after);
        },
      );
    }
  }

  test(
    "a refresh token and a code used at one process are used at the other",
    { timeout: 60_000 },
    async () => {
      const { go } = await newPerson();
      const client = await registerClient(both.providers[0]);
      const given = await getCode(go(0), client);
      const { body: first } = await exchange(both.providers[0], client, given);
      const { body: second } = await refresh(both.providers[1], client, first.refresh_token);
      // Within ten seconds, a retry gets the same answer from either process.
      assert.deepEqual((await refresh(both.providers[0], client, first.refresh_token)).body, second);
      assert.equal(outcome(await exchange(both.providers[1], client, given)), "400 invalid_grant");
      // The code was used twice, which revokes its grant at both processes.
      for (const provider of both.providers) {
        assert.equal((await userinfo(provider, second.access_token)).status, 401);
        assert.equal(outcome(await refresh(provider, client, second.refresh_token)), "400 invalid_grant");
      }
    },
  );

  test("three attempts at a code count over both processes", { timeout: 60_000 }, async () => {
    const { client, go } = both.browser();
    const email = "tries@example.com";
    assert.equal((await client.post("/api/auth/email-code", { email })).status, 200);
    // Each process has its own outbox. The code is the same in the database.
    const code = await readCode(client, email);
    const wrong = code === "000000" ? "000001" : "000000";
    for (const at of [0, 1, 0] as const) {
      assert.equal((await go(at).post("/api/auth/email-code/verify", { email, code: wrong })).status, 400);
    }
    assert.equal((await go(1).post("/api/auth/email-code/verify", { email, code })).status, 400);
  });

  test("an Idempotency-Key sent to both processes creates one key", { timeout: 60_000 }, async () => {
    const { go } = await newPerson();
    const headers = { "idempotency-key": "the-same-for-both" };
    const [first, second] = [
      await go(0).post("/api/keys/generate", {}, { headers }),
      await go(1).post("/api/keys/generate", {}, { headers }),
    ];
    assert.deepEqual(second.body, first.body);
    assert.equal((await go(0).get("/api/keys")).body.keys.length, 2);
  });

  test("a sign-in started at one process is completed at the other, once", { timeout: 60_000 }, async () => {
    const { go } = await newPerson();
    const other = both.browser();
    const options = await other.go(0).post("/api/auth/passkey/authentication/options", {});
    const response = await go(0).authenticator.authenticate(options.body, { origin: other.client.origin });
    assert.equal((await other.go(1).post("/api/auth/passkey/authentication", { response })).status, 200);
    assert.equal((await other.go(0).post("/api/auth/passkey/authentication", { response })).status, 401);
  });
});

describe("rate limits", () => {
  test("count the requests to both processes", { timeout: 60_000 }, async () => {
    await using both = await startTwo();
    const { client, go } = both.browser();
    const { body } = await signUp(client, "ada@example.com");
    const quote = async (at: Which): Promise<number> =>
      (await go(at).get(`/api/keys/${body.key.id}/quote?nonce=${"00".repeat(32)}`)).status;
    const answers: number[] = [];
    for (let turn = 0; turn < 11; turn++) answers.push(await quote(turn % 2 as Which));
    assert.deepEqual(answers, [...Array.from({ length: 10 }, () => 200), 429]);
    assert.equal(await quote(0), 429);
  });
});
