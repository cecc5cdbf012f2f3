import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { settleSlots } from "../../src/commands/open/slots.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { refusalsOf } from "../../src/commands/process/refusal.ts";
import { restoreDatabase } from "../../src/commands/restore.ts";
import { addConfiguredSlot } from "../../src/commands/seal-add.ts";
import { listSlots, testConfiguredSlots } from "../../src/commands/seal-list.ts";
import { removeConfiguredSlot } from "../../src/commands/seal-remove.ts";
import { inspectAudit } from "../../src/commands/verify-audit.ts";
import { readConfig } from "../../src/config/config.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { readKeyFile } from "../../src/tee/tdx/key-file.ts";
import { openTdxTee } from "../../src/tee/tdx/tdx.ts";
import { sealingKeysOf, type SealingKeySource } from "../../src/tee/tee.ts";
import { openSeed } from "../../src/vault/seed.ts";
import { memoryKernel } from "../support/configfs.ts";
import { findFreePort } from "../support/free-port.ts";
import { type AgentBehaviour, type GuestAgent, startGuestAgent } from "../support/guest-agent.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addAccount, addressesAfterStart, makeKey, MEANS, random, started } from "./fixture.ts";

// The steps of docs/how-to/keep-the-seed.md, on emulators of dstack.

const TIMEOUT = { timeout: 120_000 };

interface Stage {
  readonly agent: GuestAgent;
  /** A folder outside of the data folder, for keys and backups. */
  readonly folder: string;
  readonly addresses: readonly string[];
  /** Returns the configuration with these variables too. */
  config(more?: Readonly<Record<string, string>>): StorageConfig;
}

async function onDstack(
  behaviour: Partial<AgentBehaviour>,
  job: (stage: Stage) => Promise<void>,
): Promise<void> {
  using data = temporaryFolder();
  using other = temporaryFolder();
  const agent = await startGuestAgent(join(other.path, "dstack.sock"), behaviour);
  const config = (more = {}): StorageConfig =>
    readConfig({ DATA_DIR: data.path, TEE: "dstack", TEE_DSTACK_SOCKET: agent.socketPath, ...more });
  try {
    await started(config(), (openedVault) => addAccount(openedVault, "acct_1", 2));
    await job({ agent, folder: other.path, config, addresses: await addressesAfterStart(config()) });
  } finally {
    await agent.close();
  }
}

/** Returns the source of each slot, and whether it opens with the configured sources. */
async function tested(config: StorageConfig): Promise<readonly string[]> {
  const { slots } = await testConfiguredSlots(config, random);
  return slots.map(({ source, api, opens }) => `${source}${api === undefined ? "" : ` ${api}`} ${opens}`)
    .toSorted();
}

async function removeSlotOf(config: StorageConfig, keyId: string): Promise<void> {
  const { id } = (await listSlots(config)).find((slot) => slot.keyId === keyId)!;
  await removeConfiguredSlot(config, { id, mode: "write" }, MEANS);
}

function refused(message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.match(refusalsOf(error)?.join() ?? `no refusal: ${error}`, message);
    return true;
  };
}

for (const api of ["v0", "v1"] as const) {
  test(`before an owner advances an epoch, with API ${api}`, TIMEOUT, async () => {
    await onDstack({}, async ({ agent, folder, config, addresses }) => {
      const own = { TEE_DSTACK_API: api };
      assert.deepEqual(await addressesAfterStart(config(own)), addresses);
      const before = await listSlots(config());
      const bridge = makeKey(join(folder, "bridge-key"));
      const { keyId } = await addConfiguredSlot(config(own), { to: `file:${bridge}`, mode: "write" }, MEANS);
      agent.behave({ epoch: 1 });
      const bridged = config({ ...own, SEAL_SOURCES: `file:${bridge}` });
      assert.deepEqual(await addressesAfterStart(bridged), addresses);
      assert.deepEqual(await addressesAfterStart(config(own)), addresses);
      await removeSlotOf(config(own), keyId);
      for (const slot of before) await removeSlotOf(config(own), slot.keyId);
      assert.deepEqual(await tested(config(own)), [`dstack ${api} true`]);
      assert.deepEqual(await addressesAfterStart(config(own)), addresses);
      assert.deepEqual((await diagnose(config(own), MEANS)).faults, []);
    });
  });
}

test("from API v0 to v1 without a bridge", TIMEOUT, async () => {
  await onDstack({}, async ({ config, addresses }) => {
    assert.deepEqual(await tested(config()), ["dstack v0 true"]);
    const v1 = config({ TEE_DSTACK_API: "v1" });
    assert.deepEqual(await addressesAfterStart(v1), addresses);
    assert.deepEqual(await tested(v1), ["dstack v0 true", "dstack v1 true"]);
    assert.deepEqual(await addressesAfterStart(v1), addresses);
    assert.equal((await listSlots(v1)).length, 2);
  });
});

test("after an epoch advanced without warning, the start names the slots and the page", TIMEOUT, async () => {
  await onDstack({}, async ({ agent, folder, config, addresses }) => {
    const spare = makeKey(join(folder, "spare"));
    await addConfiguredSlot(config(), { to: `file:${spare}`, mode: "write" }, MEANS);
    agent.behave({ epoch: 1 });
    const [first, file] = await listSlots(config());
    await assert.rejects(
      openConfiguredVault(config(), MEANS),
      refused(new RegExp(`${first!.id} \\(\\w+.*key ${first!.keyId}.*keep-the-seed\\.md#when-nothing-opens`)),
    );
    assert.ok(file !== undefined);
    // The old epoch can come back.
    agent.behave({ epoch: 0 });
    assert.deepEqual(await addressesAfterStart(config()), addresses);
    // Or another slot has a key.
    agent.behave({ epoch: 2 });
    assert.deepEqual(await addressesAfterStart(config({ SEAL_SOURCES: `file:${spare}` })), addresses);
    assert.deepEqual(await addressesAfterStart(config()), addresses);
  });
});

test("move to another KMS over a bridge", TIMEOUT, async () => {
  await onDstack({}, async ({ folder, config, addresses }) => {
    const bridge = makeKey(join(folder, "bridge"));
    await addConfiguredSlot(config(), { to: `file:${bridge}`, mode: "write" }, MEANS);
    const backup = join(folder, "move.db");
    await backupDatabase(config(), backup, MEANS);
    using fresh = temporaryFolder();
    const other = await startGuestAgent(join(folder, "other.sock"), { root: "66".repeat(32) });
    try {
      const there = (more = {}): StorageConfig =>
        readConfig({ DATA_DIR: fresh.path, TEE: "dstack", TEE_DSTACK_SOCKET: other.socketPath, ...more });
      const bridged = there({ SEAL_SOURCES: `file:${bridge}` });
      await assert.rejects(
        restoreDatabase(there(), backup, "write", MEANS),
        refused(/sealed under another key/),
      );
      await restoreDatabase(bridged, backup, "write", MEANS);
      assert.deepEqual(await addressesAfterStart(bridged), addresses);
      assert.deepEqual(await addressesAfterStart(there()), addresses);
      assert.deepEqual(await tested(there()), ["dstack v0 null", "dstack v0 true", "file null"]);
    } finally {
      await other.close();
    }
  });
});

test("a key server that answers no more, while another source opens", TIMEOUT, async () => {
  await onDstack({}, async ({ agent, folder, config, addresses }) => {
    const spare = makeKey(join(folder, "spare"));
    await addConfiguredSlot(config(), { to: `file:${spare}`, mode: "write" }, MEANS);
    // The agent still quotes, and its key is of another application now.
    agent.behave({ appId: "99".repeat(20) });
    const own = config({ SEAL_SOURCES: `file:${join(folder, "none")},file:${spare}` });
    assert.deepEqual(await addressesAfterStart(own), addresses);
    assert.deepEqual(await addressesAfterStart(config()), addresses);
  });
});

for (const fault of ["error_400", "html_500", "zero_key"] as const) {
  for (const api of ["v0", "v1"] as const) {
    test(
      `an agent that gives no key with API ${api}, while another source opens: ${fault}`,
      TIMEOUT,
      async () => {
        await onDstack({}, async ({ agent, folder, config, addresses }) => {
          const own = { TEE_DSTACK_API: api };
          const spare = makeKey(join(folder, "spare"));
          await addConfiguredSlot(config(own), { to: `file:${spare}`, mode: "write" }, MEANS);
          agent.behave({ faults: { GetKey: fault, "v1/GetKey": fault } });
          const before = await listSlots(config());
          const named = before.map(({ id, keyId }) => `${id} \\(\\w+.*key ${keyId}\\)`).join("; ");
          const found = `Found: dstack ${api}: Cannot use the guest agent at .*GetKey`;
          await assert.rejects(
            openConfiguredVault(config(own), MEANS),
            refused(new RegExp(`slots: ${named}\\. ${found}.*keep-the-seed\\.md#when-nothing-opens`)),
          );
          const other = config({ ...own, SEAL_SOURCES: `file:${spare}` });
          assert.deepEqual(await addressesAfterStart(other), addresses);
          assert.equal((await listSlots(config())).length, before.length);
          assert.match((await inspectAudit(other, {})).chain!.head.toHex(), /^\w{64}$/);
          const { faults, slots } = await diagnose(other, MEANS);
          assert.match(faults.join(), /^Cannot use the guest agent at [^,]*GetKey/);
          assert.equal(slots!.find(({ source }) => source === "file")!.opens, true);
          agent.behave({ faults: {} });
          assert.deepEqual(await addressesAfterStart(config(own)), addresses);
        });
      },
    );
  }
}

/** Opens and settles the seed as a start does, with a broker as the configured source and a file as another. */
async function startWithBroker(
  places: StorageConfig,
  [broker, file]: readonly [SealingKeySource, string],
): Promise<readonly string[]> {
  const sources = [broker, { source: "file", sealingKey: () => readKeyFile(file) } as const];
  const logged: string[] = [];
  await started(places, async ({ db }) => {
    const opened = await openSeed(db, { sources, primitives, random });
    await settleSlots(db, opened, {
      databasePath: places.databasePath,
      ...MEANS,
      log: (_level, event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`),
    });
  });
  return logged;
}

test(
  "a configured broker that does not answer, and then one with a key that has no slot",
  TIMEOUT,
  async () => {
    await onDstack({}, async ({ folder, config, addresses }) => {
      const spare = makeKey(join(folder, "spare"));
      await addConfiguredSlot(config(), { to: `file:${spare}`, mode: "write" }, MEANS);
      const kernel = "/sys/kernel/config/tsm/report";
      let time = MEANS.now;
      const tee = await openTdxTee({
        reportPath: kernel,
        files: memoryKernel(kernel).files,
        sealingKeyFile: undefined,
        broker: {
          url: `http://127.0.0.1:${await findFreePort()}`,
          publicKey: new Uint8Array(32).fill(9),
          workload: "holdfast",
        },
        now: () => time += 5000,
        wait: () => Promise.resolve(),
        random,
        log: () => {},
      });
      const before = await listSlots(config());
      const [silent] = sealingKeysOf(tee);
      const logged = await startWithBroker(config(), [silent!, spare]);
      assert.equal(logged.length, 1);
      assert.match(logged[0]!, /^seal_source_unavailable \{"source":"broker","reason":"[^"]*127\.0\.0\.1/);
      assert.deepEqual(await listSlots(config()), before);
      const key = random(32);
      const back = { source: "broker", sealingKey: () => Promise.resolve(key.slice()) } as const;
      const again = await startWithBroker(config(), [back, spare]);
      assert.match(
        again.join(),
        /^seal_slot_added \{"slot":"slot_\w+","source":"broker","openedBy":"file"\}$/,
      );
      assert.deepEqual(await startWithBroker(config(), [back, join(folder, "none")]), []);
      assert.equal((await listSlots(config())).length, before.length + 1);
      assert.deepEqual(await addressesAfterStart(config()), addresses);
    });
  },
);
