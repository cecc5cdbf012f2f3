import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { acknowledge } from "../../src/commands/acknowledge-rollback.ts";
import { readConfig } from "../../src/config/config.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const RUNTIME = builtRuntime();

/** Copies a client to the port of another start. */
function moved(client: Client, { baseUrl }: Service): Client {
  const again = createClient(baseUrl, (request) => fetch(request));
  for (const [name, value] of client.cookies) again.cookies.set(name, value);
  return again;
}

async function enrol({ baseUrl }: Service, email: string): Promise<{ client: Client; keyId: string }> {
  const client = createClient(baseUrl, (request) => fetch(request));
  const answer = await signUp(client, email);
  return { client, keyId: answer.body.key.id };
}

async function statusOf(service: Service): Promise<number> {
  const answer = await fetch(`${service.baseUrl}/readyz`);
  await answer.text();
  return answer.status;
}

test(
  "an older database restored while the service is stopped blocks signing until the operator acknowledges it",
  {
    timeout: 120_000,
  },
  async () => {
    using folder = temporaryFolder();
    using aside = temporaryFolder();
    const dataDir = folder.path;
    const [file, old] = [`${dataDir}/holdfast.db`, `${aside.path}/old.db`];
    const run = async (job: (service: Service) => Promise<void>): Promise<void> => {
      await using service = await startService({ runtime: RUNTIME, dataDir });
      await job(service);
      assert.deepEqual(await service.stop(), { code: 0, signal: null });
    };
    const people: { client: Client; keyId: string }[] = [];
    const enter = async (service: Service, email: string): Promise<void> => {
      people.push(await enrol(service, email));
    };
    /** Returns the status of /readyz, and of a signature for the first person. */
    const statuses = async (service: Service): Promise<readonly number[]> => {
      const { client, keyId } = people[0]!;
      const message = String(Math.random());
      const signed = await moved(client, service).post(`/api/keys/${keyId}/sign`, { message });
      return [await statusOf(service), signed.status];
    };
    /** Sends a request of the second person, who signed up after the copy. */
    const comeBack = async (service: Service): Promise<void> => {
      assert.equal((await moved(people[1]!.client, service).get("/")).status, 200);
    };

    await run((service) => enter(service, "early@example.com"));
    cpSync(file, old);
    await run((service) => enter(service, "late@example.com"));
    for (const sibling of ["", "-wal", "-shm"]) rmSync(file + sibling, { force: true });
    cpSync(old, file);

    await run(async (service) => {
      assert.deepEqual(await statuses(service), [200, 200]);
      await comeBack(service);
      assert.deepEqual(await statuses(service), [503, 503]);
      assert.equal(service.stdout.filter((line) => line.includes("audit_log_fault")).length, 1);
    });
    await run(async (service) => {
      assert.deepEqual(await statuses(service), [503, 503]);
      const means = {
        now: Date.now(),
        random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
      };
      const { detected, brokenAt } = await acknowledge(readConfig({ DATA_DIR: dataDir }), means);
      assert.deepEqual([detected?.includes("receipt"), brokenAt], [true, null]);
      // The service notices it without a request that signs.
      for (let time = 0; time < 100 && await statusOf(service) !== 200; time++) await delay(100);
      await comeBack(service);
      assert.deepEqual(await statuses(service), [200, 200]);
    });
  },
);
