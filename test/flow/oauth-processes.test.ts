import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { authorizePath, codeForm, encode, TOKEN, USERINFO } from "../features/authorization/story.ts";
import type { Fields } from "../features/authorization/story.ts";
import { pendingOf } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";

const FORM = "application/x-www-form-urlencoded";
const AT_ONCE = 40;

// Two processes, on two runtimes, that serve one base URL from one database.
describe("two processes on one database", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let services: readonly Service[];
  let addresses: readonly string[];
  let baseUrl: string;
  let client: Registered;
  let person: Client;

  before(async () => {
    folder = temporaryFolder();
    const first = await startService({ runtime: builtRuntime("bun"), dataDir: folder.path });
    baseUrl = first.baseUrl;
    const port = await findFreePort();
    // Announces the base URL of the first process, and listens at another port.
    const env = { BASE_URL: baseUrl, PORT: String(port) };
    services = [first, await startService({ runtime: builtRuntime("deno"), dataDir: folder.path, env })];
    addresses = [baseUrl, `http://localhost:${port}`];
    person = createClient(baseUrl, (request) => fetch(request));
    await signUp(person, "ada@example.com");
    client = await register();
  }, { timeout: 60_000 });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    folder[Symbol.dispose]();
  });

  function adminHeaders(): Readonly<Record<string, string>> {
    const adminKey = readFileSync(join(folder.path, "admin-api-key"), "utf8").trim();
    return { authorization: `Bearer ${adminKey}` };
  }

  async function register(): Promise<Registered> {
    const answer = await person.post("/api/admin/oauth/clients", {
      name: "Books",
      uri: "https://books.example",
      type: "spa",
      redirectUris: ["https://books.example/cb"],
    }, { headers: adminHeaders() });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.client;
  }

  /** Sends a form many times at once, to the processes in turn. */
  function race(path: string, fields: Fields, cookies: ReadonlyMap<string, string>): Promise<Answer[]> {
    return Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => {
      const at = addresses[turn % addresses.length]!;
      const sender = createClient(at, (request) => fetch(request));
      for (const [name, value] of cookies) sender.cookies.set(name, value);
      const headers = { "content-type": FORM, "sec-fetch-site": "same-origin" };
      return sender.request("POST", path, { text: encode(fields), headers });
    }));
  }

  function succeeded(answers: readonly Answer[], status: number): Answer[] {
    for (const answer of answers) assert.ok(answer.status === status || answer.status === 400, answer.text);
    return answers.filter((answer) => answer.status === status);
  }

  async function getCode(of = client): Promise<string> {
    const request = pendingOf(
      await person.get(authorizePath(of, { prompt: "consent" })),
      "/consent",
      baseUrl,
    );
    const headers = { "content-type": FORM, "sec-fetch-site": "same-origin" };
    const text = encode({ request, decision: "approve" });
    const answer = await person.request("POST", "/consent", { text, headers });
    const code = new URL(answer.headers.get("location")!).searchParams.get("code");
    assert.ok(code !== null, answer.text);
    return code;
  }

  function own(fields: Fields): Fields {
    return { client_id: client.clientId, ...fields };
  }

  test(
    "issue one code for a consent that is sent many times at once (T133)",
    { timeout: 60_000 },
    async () => {
      const request = pendingOf(await person.get(authorizePath(client)), "/consent", baseUrl);
      const answers = await race("/consent", { request, decision: "approve" }, person.cookies);
      const won = succeeded(answers, 303);
      assert.equal(won.length, 1);
      assert.ok(new URL(won[0]!.headers.get("location")!).searchParams.has("code"));
    },
  );

  test("redeem a code once, and treat the other attempts as replays (T85)", { timeout: 60_000 }, async () => {
    const answers = await race(TOKEN, own(codeForm(client, await getCode())), new Map());
    const won = succeeded(answers, 200);
    assert.equal(won.length, 1);
    const authorization = `Bearer ${won[0]!.body.access_token}`;
    assert.equal((await person.get(USERINFO, { headers: { authorization } })).status, 401);
  });

  test(
    "issue one successor of a refresh token that is sent many times at once (T99)",
    { timeout: 60_000 },
    async () => {
      const first = await person.request("POST", TOKEN, {
        text: encode(own(codeForm(client, await getCode()))),
        headers: { "content-type": FORM },
      });
      assert.equal(first.status, 200, first.text);
      const form = own({ grant_type: "refresh_token", refresh_token: first.body.refresh_token });
      const successors = succeeded(await race(TOKEN, form, new Map()), 200);
      assert.equal(successors.length, AT_ONCE, "a retry within ten seconds gets the same answer");
      assert.equal(new Set(successors.map(({ body }) => body.refresh_token)).size, 1);
    },
  );

  for (
    const [what, path, body, status] of [
      ["program's token", "/api/auth/tokens", { name: "Bot", keys: "all", actions: ["sign"] }, 201],
      ["key", "/api/keys/generate", { label: "Bot" }, 201],
    ] as const
  ) {
    test(`create one ${what} for an Idempotency-Key that is sent many times at once`, {
      timeout: 60_000,
    }, async () => {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => {
        const sender = createClient(addresses[turn % addresses.length]!, (request) => fetch(request));
        for (const [name, value] of person.cookies) sender.cookies.set(name, value);
        return sender.post(path, body, { headers: { "idempotency-key": "race" } });
      }));
      assert.equal(succeeded(answers, status).length, AT_ONCE);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    });
  }

  test("leave no valid token of a client that is deleted while it redeems", { timeout: 60_000 }, async () => {
    const deletedClient = await register();
    const form = {
      client_id: deletedClient.clientId,
      ...codeForm(deletedClient, await getCode(deletedClient)),
    };
    const path = `/api/admin/oauth/clients/${deletedClient.clientId}`;
    const [answers, deleted] = await Promise.all([
      race(TOKEN, form, new Map()),
      person.request("DELETE", path, { headers: adminHeaders() }),
    ]);
    assert.equal(deleted.status, 200, deleted.text);
    const refused = [400, 401, 429];
    for (const { status, body } of answers) {
      if (refused.includes(status)) continue;
      assert.equal(status, 200);
      const headers = { authorization: `Bearer ${body.access_token}` };
      assert.equal((await person.get(USERINFO, { headers })).status, 401);
    }
    for (const { status } of await race(TOKEN, form, new Map())) assert.ok(refused.includes(status));
  });
});
