import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { startRealUpstream, UPSTREAM_CLIENT, visitUpstream } from "../support/real-upstream.ts";
import type { RealUpstream } from "../support/real-upstream.ts";
import { isOnPostgres, onServer, postgresUrlFor } from "../support/postgres.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 60_000 };

// Two processes, on two runtimes, that serve one base URL from one database.
describe("two processes on one database, with an upstream provider", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let upstream: RealUpstream;
  let services: readonly Service[];
  let baseUrl: string;
  let addresses: readonly string[];

  before(async () => {
    folder = temporaryFolder();
    const ports = [await findFreePort(), await findFreePort()];
    baseUrl = `http://localhost:${ports[0]}`;
    addresses = ports.map((port) => `http://localhost:${port}`);
    upstream = await startRealUpstream(`${baseUrl}/api/auth/identity/upstream/callback`);
    const provider = { id: "upstream", name: "Upstream", issuer: upstream.issuer, ...UPSTREAM_CLIENT };
    const env = { BASE_URL: baseUrl, RATE_LIMITS: "off", IDENTITY_PROVIDERS: JSON.stringify([provider]) };
    const start = (runtime: "bun" | "deno", port: number) =>
      startService({
        runtime: builtRuntime(runtime),
        dataDir: folder.path,
        env: { ...env, PORT: String(port) },
      });
    services = [await start("bun", ports[0]!), await start("deno", ports[1]!)];
  }, LIMIT);
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await upstream.close();
    folder[Symbol.dispose]();
  });

  /** Creates a client whose requests go to the two processes in turn. */
  function newBrowser(): Client {
    let turn = 0;
    const send = (request: Request): Promise<Response> =>
      fetch(new Request(request.url.replace(baseUrl, addresses[turn++ % 2]!), request));
    return createClient(baseUrl, send);
  }

  /** Signs in at the provider, with the request at one process and the callback at the other. */
  async function comeAs(person: string): Promise<Client> {
    const client = newBrowser();
    const begun = await client.get("/api/auth/identity/upstream");
    const back = await client.get(await visitUpstream(begun.headers.get("location")!, person, baseUrl));
    assert.equal(back.headers.get("location"), "/sign-up?identity=upstream", back.text);
    return client;
  }

  /** Prepares a registration. Returns a function that sends it. */
  async function prepare(client: Client): Promise<() => Promise<Answer>> {
    const options = await client.post("/api/auth/passkey/registration/options", {});
    const response = await client.authenticator.register(options.body, { origin: baseUrl });
    return () => client.post("/api/auth/passkey/registration", { response });
  }

  test(
    "create one account when many browsers complete the sign-up of one identity at once",
    LIMIT,
    async () => {
      for (const person of ["grace", "ada"]) {
        const sends: (() => Promise<Answer>)[] = [];
        for (let count = 0; count < 6; count++) sends.push(await prepare(await comeAs(person)));
        const answers = await Promise.all(sends.map((send) => send()));
        assert.equal(
          answers.filter(({ status }) => status === 201).length,
          1,
          answers.map(({ text }) => text).join(),
        );
        const others = answers.filter(({ status }) => status !== 201).map(({ body }) => body.code);
        assert.deepEqual([...new Set(others)], ["account_exists"]);
      }
      for (const table of ["account", "identity", "passkey", "ethereum_key", "session"]) {
        assert.equal(await countRows(table), 2, table);
      }
    },
  );

  test("accept a state once, however many callbacks bring it", LIMIT, async () => {
    const client = newBrowser();
    const begun = await client.get("/api/auth/identity/upstream");
    const back = await visitUpstream(begun.headers.get("location")!, "linus", baseUrl);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.get(back)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...new Array(9).fill(400)]);
  });

  async function countRows(table: string): Promise<number> {
    if (isOnPostgres) {
      const database = new URL(await postgresUrlFor(folder.path)).pathname.slice(1);
      return (await onServer(database, `select from holdfast.${table}`)).rowCount!;
    }
    const db = new DatabaseSync(join(folder.path, "holdfast.db"), { readOnly: true });
    try {
      return Number(db.prepare(`select count(*) as n from ${table}`).get()!["n"]);
    } finally {
      db.close();
    }
  }
});
