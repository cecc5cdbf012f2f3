import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { verifyAudit } from "../../src/audit/verify.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { proveAddress, registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import {
  exchange,
  getCode,
  getTokens,
  providerOf,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { startPostgresProxy } from "../support/postgres-proxy.ts";
import type { Fault, PostgresProxy } from "../support/postgres-proxy.ts";
import {
  createPostgresDatabase,
  dropPostgresDatabase,
  openPostgresSession,
  postgresAt,
  postgresUrl,
} from "../support/postgres.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const CUT_BEFORE: Fault = { when: "before", how: "cut" };
const CUT_AFTER: Fault = { when: "after", how: "cut" };
/** Every fault at every statement, by hand. */
const IS_ALL = process.env["FAULTS"] === "all";
/** The faults at the statements of each act. A stall lasts until the statement timeout, so stalls are by hand. */
const FAULTS: readonly Fault[] = IS_ALL
  ? [CUT_BEFORE, CUT_AFTER, { when: "before", how: "reset" }, { when: "before", how: "stall" }, {
    when: "after",
    how: "stall",
  }]
  : [CUT_BEFORE, CUT_AFTER];

/** The gate strikes one of so many statements, selected by its seed. */
const PARTS = 3;
const SEED = Number(process.env["FUZZ_SEED"] ?? 0);

/** An act that one request finishes, and how a client recovers that gets no response. */
interface Act {
  readonly prepare: () => Promise<{
    readonly act: () => Promise<Answer>;
    /** Ends in a correct state, whether the act was done or not. */
    readonly recover: () => Promise<void>;
  }>;
}

describe("a connection that breaks at each statement", () => {
  let database: string;
  let proxy: PostgresProxy;
  let app: TestApp;
  let person: Client;
  let keyId: string;
  let client: Registered;
  let people = 0;
  let signed = 0;

  before(async () => {
    database = await createPostgresDatabase();
    const address = postgresAt(database);
    proxy = await startPostgresProxy(address.port);
    app = await createTestApp({ db: connectDatabase(await openPostgres({ ...address, port: proxy.port })) });
    person = app.client();
    keyId = (await signUp(person, "ada@example.com")).body.key.id;
    client = await registerClient(providerOf(app));
  });
  after(async () => {
    await app.db.destroy();
    await proxy[Symbol.asyncDispose]();
    await dropPostgresDatabase(database);
  });

  async function sign(message: string): Promise<Answer> {
    const answer = await person.post(`/api/keys/${keyId}/sign`, { message });
    if (answer.status === 200) signed++;
    return answer;
  }

  const ACTS: Readonly<Record<string, Act>> = {
    "signing": {
      prepare: () =>
        Promise.resolve({
          act: () => sign("once"),
          recover: async () => assert.equal((await sign("again")).status, 200),
        }),
    },
    "signing up": {
      prepare: async () => {
        const newcomer = app.client();
        const email = `newcomer${people++}@example.com`;
        assert.equal(await proveAddress(newcomer, email), "register_passkey");
        const options = await newcomer.post("/api/auth/passkey/registration/options", { account: "new" });
        const response = await newcomer.authenticator.register(options.body, { origin: newcomer.origin });
        return {
          act: () => newcomer.post("/api/auth/passkey/registration", { response, account: "new" }),
          recover: async () => {
            // Either an account with that passkey exists, or another attempt creates one.
            if ((await signIn(newcomer)).status !== 200) {
              assert.equal((await registerPasskey(newcomer, "new")).status, 201);
            }
            assert.equal((await newcomer.get("/api/keys")).body.keys.length, 1);
          },
        };
      },
    },
    "redeeming a code": {
      prepare: async () => {
        const given = await getCode(person, client);
        return {
          act: () => exchange(providerOf(app), client, given),
          recover: async () => {
            const again = await exchange(providerOf(app), client, given);
            // If the code was redeemed without a response, it is used and its tokens are revoked.
            if (again.status !== 200) assert.equal(again.body.error, "invalid_grant");
            const tokens = again.status === 200
              ? again.body
              : await getTokens(providerOf(app), person, client);
            assert.equal((await userinfo(providerOf(app), tokens.access_token)).status, 200);
          },
        };
      },
    },
    "refreshing": {
      prepare: async () => {
        const { refresh_token } = await getTokens(providerOf(app), person, client);
        return {
          act: () => refresh(providerOf(app), client, refresh_token),
          recover: async () => {
            const again = await refresh(providerOf(app), client, refresh_token);
            assert.equal(again.status, 200, again.text);
            assert.equal((await refresh(providerOf(app), client, again.body.refresh_token)).status, 200);
          },
        };
      },
    },
  };

  for (const [what, { prepare }] of Object.entries(ACTS)) {
    test(
      `${what}: 503 and a time to come back, and then all is as it should be`,
      { timeout: 600_000 },
      async () => {
        // The first act of its kind creates rows that the others find.
        assert.ok((await (await prepare()).act()).status < 300);
        const clean = await prepare();
        const begun = proxy.statements();
        assert.ok((await clean.act()).status < 300);
        const statements = proxy.statements() - begun;
        assert.ok(statements >= 3, `${statements}`);
        let refused = 0;
        const cases = FAULTS.flatMap((fault) =>
          Array.from({ length: statements }, (_, index) => [fault, index] as const)
        ).filter((_, index) => IS_ALL || (index + SEED) % PARTS === 0);
        for (const [fault, statement] of cases) {
          const { act, recover } = await prepare();
          proxy.strike(fault, statement);
          const answer = await act();
          const at = `${fault.how} ${fault.when} statement ${statement} of ${statements}: ${answer.text}`;
          if (proxy.hasStruck()) {
            assert.equal(answer.status, 503, at);
            assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/, at);
            refused++;
          }
          proxy.heal();
          await recover();
        }
        assert.ok(refused >= cases.length - FAULTS.length, `${refused} of ${cases.length}`);
        assert.ok(refused > 0);
        const { fault } = await verifyAudit(app.db, app.vault, {});
        assert.equal(fault, undefined);
        const { count } = await app.db.selectFrom("audit_event").select(({ fn }) => fn.countAll().as("count"))
          .where("event", "=", "message_signed").executeTakeFirstOrThrow();
        assert.ok(Number(count) >= signed, `${count} entries for ${signed} received signatures`);
      },
    );
  }

  test(
    "a server that no longer responds is given up",
    { timeout: 120_000 },
    async () => {
      proxy.strike({ when: "after", how: "stall" }, 2);
      const answer = await sign("into the void");
      assert.equal(answer.status, 503, answer.text);
      proxy.heal();
      // Until the pool has noticed that its idle connections are closed.
      for (let again = await sign("again"); again.status !== 200; again = await sign("again")) {
        assert.equal(again.status, 503, again.text);
      }
    },
  );

  test(
    "another client's lock on a table uses up every connection only while it is held",
    { timeout: 120_000 },
    async () => {
      const holder = await openPostgresSession(
        database,
        "begin; lock table holdfast.owner_state in access exclusive mode",
      );
      const answers = await Promise.all(Array.from({ length: 40 }, () => person.get("/api/keys")));
      for (const { status, headers } of answers) {
        assert.equal(status, 503);
        assert.match(headers.get("retry-after") ?? "", /^\d+$/);
      }
      await holder.end();
      assert.equal((await person.get("/api/keys")).status, 200);
    },
  );
});

test(
  "a service reports that its server is unreachable, and recovers by itself",
  { timeout: 120_000 },
  async () => {
    using folder = temporaryFolder();
    const database = await createPostgresDatabase("empty");
    await using proxy = await startPostgresProxy(postgresAt(database).port);
    const url = new URL(postgresUrl(database));
    url.port = String(proxy.port);
    const runtime = builtRuntime();
    const service = await startService({ runtime, dataDir: folder.path, env: { DATABASE_URL: url.href } });
    const ready = async () => {
      const answer = await fetch(`${service.baseUrl}/readyz`);
      return [answer.status, await answer.text()] as const;
    };
    assert.equal((await ready())[0], 200);
    proxy.setThere(false);
    const [status, text] = await ready();
    assert.equal(status, 503);
    assert.match(text, /does not answer/);
    const asked = await fetch(`${service.baseUrl}/api/auth/session`, {
      headers: { cookie: `service.session_token=session_${"a".repeat(26)}.${"A".repeat(43)}` },
    });
    assert.ok(asked.status === 503 || asked.status === 200, `${asked.status}`);
    proxy.setThere(true);
    for (let tries = 0; (await ready())[0] !== 200; tries++) {
      assert.ok(tries < 50);
      await sleep(200);
    }
    assert.equal((await fetch(`${service.baseUrl}/livez`)).status, 200);
    const { code } = await service.stop();
    assert.equal(code, 0);
    assert.equal(
      service.stdout.filter((line) => line.includes("database_fault")).length,
      1,
      "one line, not one a request",
    );
    assert.ok(service.stdout.some((line) => line.includes("database_recovered")));
    await dropPostgresDatabase(database);
  },
);
