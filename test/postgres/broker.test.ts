import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verifyAudit } from "../../src/audit/verify.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { programs } from "../commands/run-command.ts";
import { ask, auditOf, challengeOf, createBrokerStage, release, requestOf } from "../support/broker.ts";
import type { BrokerStage } from "../support/broker.ts";
import {
  clientOf,
  guestEnv,
  keyOf,
  onBrokerServices,
  startBroker,
  startGuest,
} from "../support/broker-service.ts";
import { signUp } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import type { ServiceRuntime } from "../support/service.ts";
import { inSeveral } from "../support/lent-postgres.ts";

const LIMIT = { timeout: 120_000 };

/** Runs a job with four processes of one broker that trust the same platform. */
async function onStages(
  job: (stages: readonly BrokerStage[]) => Promise<void>,
  limits: "on" | "off" = "off",
): Promise<void> {
  await inSeveral(4, async (engines) => {
    const stages: BrokerStage[] = [];
    for (const engine of engines) {
      const stage = await createBrokerStage({}, { limits, db: connectDatabase(engine) });
      const { platform, allowList, collateral } = stages[0] ?? stage;
      stages.push(Object.assign(stage, { platform, allowList, collateral }));
    }
    await job(stages);
    assert.equal((await verifyAudit(stages[0]!.db, stages[0]!.vault)).fault, undefined);
  });
}

/** Runs `act` concurrently, at each process in turn. */
function concurrently<T>(
  stages: readonly BrokerStage[],
  count: number,
  act: (at: BrokerStage) => Promise<T>,
) {
  return Promise.all(Array.from({ length: count }, (_, index) => act(stages[index % stages.length]!)));
}

describe("four processes of a broker over one database", () => {
  test("create one key when all get their first request at once", LIMIT, () =>
    onStages(async (stages) => {
      const keys = await concurrently(stages, 16, (stage) => ask(stage));
      assert.equal(new Set(keys.map((key) => key.toHex())).size, 1);
      const events = (await auditOf(stages[0]!)).map(({ event }) => event);
      assert.equal(events.filter((event) => event === "release_key_made").length, 1);
      assert.equal(events.filter((event) => event === "sealing_key_released").length, 16);
    }));

  test(
    "accept a nonce once in 20 requests, whichever process issued it",
    LIMIT,
    () =>
      onStages(async (stages) => {
        const request = await requestOf(stages[0]!);
        const answers = await concurrently(stages, 20, (stage) => release(stage, request));
        const refused = new Array<number>(19).fill(403);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...refused]);
      }),
  );

  test("count nonces together: 30 a minute for a network", LIMIT, () =>
    onStages(async (stages) => {
      const asked = await concurrently(stages, 40, (stage) => challengeOf(stage).then(() => 1, () => 0));
      assert.equal(asked.reduce((sum: number, one) => sum + one, 0), 30);
    }, "on"));
});

const [[name, program]] = Object.entries(programs()) as [[string, readonly string[]]];

test("two brokers that start together are one, and a guest gets its key from either", LIMIT, async () => {
  await onBrokerServices(name as ServiceRuntime, program, async (stage) => {
    const ports = [stage.port, await findFreePort()];
    const brokers = await Promise.all(ports.map((port) => startBroker(stage, { PORT: String(port) })));
    const [key, other] = brokers.map(keyOf);
    assert.equal(key, other);
    let address: string | undefined;
    let cookies: ReadonlyMap<string, string> | undefined;
    for (const port of ports) {
      await using guest = await startGuest(stage, guestEnv({ ...stage, port }, key!));
      const client = clientOf(guest, cookies);
      address ??= (await signUp(client, "ada@example.com")).body.key.address;
      cookies ??= client.cookies;
      assert.equal((await client.get("/api/keys")).body.keys[0].address, address);
      assert.equal((await guest.stop()).code, 0);
    }
    for (const broker of brokers) assert.equal((await broker.stop()).code, 0);
  });
});
