import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, signUp } from "../support/client.ts";
import { createPostgresDatabase, dropPostgresDatabase, onServer, postgresUrl } from "../support/postgres.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { commandOf, pidsOf } from "../support/several-processes.ts";
import { temporaryFolder } from "../support/temporary.ts";

function processesIn(lines: readonly string[], event: string): number[] {
  return lines.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line).process);
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 20_000; waited += 50) await sleep(50);
  assert.ok(isSo());
}

describe("several processes over PostgreSQL", () => {
  // By the shipped command, which on Bun runs the executable.
  test(
    "serve on one port, outlive one another, and end together with 0",
    { timeout: 180_000 },
    async () => {
      using folder = temporaryFolder();
      const database = await createPostgresDatabase("empty");
      const env = {
        DATABASE_URL: postgresUrl(database),
        RATE_LIMITS: "off",
        PROCESSES: "3",
        METRICS_ADDRESS: "127.0.0.1:0",
      };
      const service = await startService({ ...commandOf(3), dataDir: folder.path, env });
      assert.deepEqual(processesIn(service.stdout, "audit_log_proven").sort(), [1, 2, 3]);
      const person = createClient(service.baseUrl, (request) => fetch(request));
      const { body } = await signUp(person, "ada@example.com");
      const sign = async (message: string) => {
        // A new connection each time, because the kernel distributes connections.
        const headers = { connection: "close" };
        return (await person.post(`/api/keys/${body.key.id}/sign`, { message }, { headers })).status;
      };
      const statuses = await Promise.all(Array.from({ length: 60 }, (_, turn) => sign(`turn ${turn}`)));
      assert.ok(statuses.every((status) => status === 200), statuses.join());
      await until(() => new Set(processesIn(service.stdout, "request")).size === 3);

      const metrics = service.stdout.filter((line) => line.startsWith("metrics at "));
      assert.equal(metrics.length, 1, metrics.join());
      const signatures = async () => {
        const text = await (await fetch(metrics[0]!.slice("metrics at ".length))).text();
        assert.match(text, /^holdfast_database_bytes [1-9]\d{6,}$/m);
        return Number(/^holdfast_signatures_total\{kind="message"\} (\d+)$/m.exec(text)?.[1]);
      };
      assert.equal(await signatures(), 60);

      // Under load, one reading of /proc had none of them.
      await until(() => pidsOf(service).size === 3);
      const before = pidsOf(service);
      assert.deepEqual([...before.keys()].sort(), [1, 2, 3]);
      process.kill(before.get(2)!, "SIGKILL");
      await until(() => processesIn(service.stdout, "audit_log_proven").length === 4);
      assert.deepEqual(processesIn(service.stdout, "process_ended"), [2]);
      const now = pidsOf(service);
      assert.deepEqual([now.get(1), now.get(3)], [before.get(1), before.get(3)]);
      assert.equal(await sign("and on"), 200);
      assert.equal(await signatures(), 61, "What the ended process counted is lost");

      const { rows: [{ seeds }] } = await onServer(
        database,
        "select count(*) as seeds from holdfast.seal_slot",
      );
      assert.equal(Number(seeds), 1);
      const exit = await service.stop();
      assert.deepEqual([exit.code, pidsOf(service).size], [0, 0], service.stderr.join("\n"));
      assert.equal(service.stdout.filter((line) => line.startsWith("listening on")).length, 1);
      await dropPostgresDatabase(database);
    },
  );

  test("only the first refuses a file of declared clients", { timeout: 120_000 }, async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "clients.json");
    const redirectUris = ["https://books.example/cb"];
    const books = { name: "Books", uri: "https://books.example/", type: "spa", redirectUris };
    writeFileSync(file, JSON.stringify([{ ...books, clientId: "0".repeat(26) }]));
    const database = await createPostgresDatabase("empty");
    const env = { DATABASE_URL: postgresUrl(database), CLIENTS_FILE: file, PROCESSES: "3" };
    await using service = await startService({ runtime: builtRuntime(), dataDir: folder.path, env });
    writeFileSync(file, "broken");
    process.kill(pidsOf(service).get(2)!, "SIGKILL");
    await until(() => processesIn(service.stdout, "audit_log_proven").length === 4);
    const { rows } = await onServer(
      database,
      "select subject from holdfast.audit_event where event = 'client_registered'",
    );
    assert.deepEqual(rows, [{ subject: "0".repeat(26) }]);
    assert.equal((await service.stop()).code, 0);
    await dropPostgresDatabase(database);
  });

  test("report once that their port is in use", { timeout: 60_000 }, async () => {
    using folder = temporaryFolder();
    const database = await createPostgresDatabase("empty");
    const env = { DATABASE_URL: postgresUrl(database), PROCESSES: "2" };
    await using first = await startService({ runtime: builtRuntime(), dataDir: folder.path, env });
    const port = new URL(first.baseUrl).port;
    const second = startService({
      runtime: builtRuntime(),
      dataDir: folder.path,
      env: { ...env, PORT: port },
    });
    const error = await second.then(() => assert.fail("it started"), (error: unknown) => error);
    assert.ok(error instanceof ServiceStartError);
    assert.deepEqual([error.exit.code, error.stderr.filter((line) => line.startsWith("holdfast"))], [2, [
      `holdfast: PORT ${port} is in use by another program`,
    ]]);
    await first.stop();
    await dropPostgresDatabase(database);
  });
});
