import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { startEmulator } from "../support/emulator.ts";
import { watchFolder } from "../support/configfs.ts";
import type { WatchedFolder } from "../support/configfs.ts";
import { kmsIdOf, kmsRootOf, startGuestAgent } from "../support/guest-agent.ts";
import type { GuestAgent } from "../support/guest-agent.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import type { ServiceRuntime } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addressesAfterStart, configuredKey, contents, makeKey, makeSealed, MEANS } from "./fixture.ts";
import { builtPrograms, runConfigured, serviceOf, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 120_000 };

/** A database sealed by a simulated TEE, with two keys, and every kind of hardware beside it. */
interface Stage {
  readonly dataDir: string;
  readonly places: StorageConfig;
  readonly addresses: readonly string[];
  /** Two guest agents of two applications, and a kernel. */
  readonly agent: GuestAgent;
  readonly otherAgent: GuestAgent;
  readonly kernel: WatchedFolder;
  /** Each TEE by name: the service's configuration for it, and the name of its key for `reseal`. */
  readonly tees: Readonly<Record<"simulated" | "dstack" | "redeployed" | "tdx", PlacedTee>>;
}

interface PlacedTee {
  readonly env: Readonly<Record<string, string>>;
  readonly source: string;
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using beside = temporaryFolder();
  const at = (name: string): string => join(beside.path, name);
  mkdirSync(at("report"));
  const places = await makeSealed(data.path);
  const keyFile = makeKey(at("key"));
  const agent = await startGuestAgent(at("agent.sock"));
  const otherAgent = await startGuestAgent(at("other.sock"), { appId: "33".repeat(20) });
  const kernel = watchFolder(at("report"));
  const envOf = (env: Readonly<Record<string, string>>): Record<string, string> => ({
    DATA_DIR: data.path,
    LOG_LEVEL: "error",
    ...env,
  });
  const tees = {
    simulated: { env: envOf({ TEE: "simulated" }), source: `file:${configuredKey(places)}` },
    dstack: {
      env: envOf({ TEE: "dstack", TEE_DSTACK_SOCKET: at("agent.sock") }),
      source: `dstack:${at("agent.sock")}`,
    },
    redeployed: {
      env: envOf({ TEE: "auto", TEE_DSTACK_SOCKET: at("other.sock") }),
      source: `dstack:${at("other.sock")}`,
    },
    tdx: {
      env: envOf({ TEE: "tdx", TEE_TSM_PATH: at("report"), TEE_SEALING_KEY_FILE: keyFile }),
      source: `file:${keyFile}`,
    },
  };
  const addresses = await addressesAfterStart(places);
  try {
    await job({ dataDir: data.path, places, addresses, agent, otherAgent, kernel, tees });
  } finally {
    kernel.close();
    await agent.close();
    await otherAgent.close();
  }
}

/** The order in which the key moves: between kinds of hardware, and back. */
const WAY = ["simulated", "dstack", "tdx", "redeployed", "dstack", "simulated"] as const;
const STEPS = WAY.slice(1).map((to, index) => [WAY[index]!, to] as const);

/** The form of the service, and how its other commands are called. */
interface Shipped {
  readonly runtime: ServiceRuntime;
  readonly program: readonly string[];
}

async function assertStarts({ runtime, program }: Shipped, stage: Stage, { env }: PlacedTee): Promise<void> {
  const { dataDir, addresses } = stage;
  await using service = await startService({ runtime, dataDir, env });
  assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
  const derive = ["derive", "--account", "acct_1", "--index", "0", "--count", "2"];
  const derived = await runConfigured(program, env, ...derive);
  assert.equal(derived.stdout, `0 ${addresses[0]}\n1 ${addresses[1]}\n`, derived.stderr);
  assert.equal((await service.stop()).code, 0);
}

async function assertRefuses({ runtime }: Shipped, { dataDir }: Stage, { env }: PlacedTee): Promise<void> {
  const before = contents(dataDir);
  await assert.rejects(startService({ runtime, dataDir, env }), (error) => {
    assert.ok(error instanceof ServiceStartError, String(error));
    assert.equal(error.exit.code, 2, error.message);
    assert.match(error.stderr.join("\n"), /is not the one that sealed/);
    return true;
  });
  assert.deepEqual(contents(dataDir), before);
}

/** Moves the seed from the configured key to the named one. Returns the command's output. */
async function reseal(
  { program }: Shipped,
  { env }: PlacedTee,
  { source }: PlacedTee,
  ...flags: readonly string[]
): Promise<string> {
  const list = ["reseal", "--from", "configured", "--to", source, ...flags];
  const { code, stdout, stderr } = await runConfigured(program, env, ...list);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Moves the seed from the simulated TEE of a new stage, without the command. */
async function sealUnder({ places, tees }: Stage, { source }: PlacedTee): Promise<void> {
  if (source === tees.simulated.source) return;
  await resealDatabase(places, { from: tees.simulated.source, to: source, mode: "write" }, MEANS);
}

/** The members of a diagnosis that the tests read. */
interface Found {
  readonly provider: string | null;
  readonly inTee: boolean | null;
  readonly quote: { version: number; tdAttributes: string; attributes: string[] } | null;
  readonly keySource: { name: string; place: string; survivesUpgrades: string } | null;
  readonly keyProvider: { name: string; id: string; verified: unknown } | null;
  readonly sealMatches: boolean | null;
  readonly faults: readonly string[];
}

async function doctor(
  { program }: Shipped,
  { env }: PlacedTee,
): Promise<{ code: number | null; found: Found }> {
  const { code, stdout } = await runConfigured(program, env, "doctor", "--json");
  return { code, found: JSON.parse(stdout) as Found };
}

/** Returns the readable diagnosis, whose exit code must equal that of the JSON one. */
async function doctorText({ program }: Shipped, { env }: PlacedTee, code: number | null): Promise<string> {
  const ended = await runConfigured(program, env, "doctor");
  assert.equal(ended.code, code, ended.stderr);
  return ended.stdout;
}

for (const [name, program] of Object.entries(builtPrograms())) {
  const shipped = { runtime: serviceOf(name), program };

  describe(`moving a sealing key, on ${titleOf(name)}`, () => {
    for (const [from, to] of STEPS) {
      test(`from ${from} to ${to}: refused before, the same addresses after`, TIMEOUT, async () => {
        await onStage(async (stage) => {
          const [old, next] = [stage.tees[from], stage.tees[to]];
          await sealUnder(stage, old);
          await assertRefuses(shipped, stage, next);
          const before = contents(stage.dataDir);
          assert.match(await reseal(shipped, old, next, "--dry-run"), /nothing was changed/);
          assert.deepEqual(contents(stage.dataDir), before);
          assert.match(await reseal(shipped, old, next), /\nresealed: /);
          await assertRefuses(shipped, stage, old);
          await assertStarts(shipped, stage, next);
        });
      });
    }
  });

  describe(`a backup sealed by hardware, on ${titleOf(name)}`, () => {
    test("is refused by another application's agent, and restored by its own", TIMEOUT, async () => {
      await onStage(async (stage) => {
        const { dstack, redeployed } = stage.tees;
        await sealUnder(stage, dstack);
        using elsewhere = temporaryFolder();
        const file = join(elsewhere.path, "backup");
        assert.equal((await runConfigured(program, dstack.env, "backup", file)).code, 0);
        const before = contents(stage.dataDir);
        const refused = await runConfigured(program, redeployed.env, "restore", file);
        assert.deepEqual([refused.code, refused.stdout], [2, ""]);
        assert.match(refused.stderr, /sealed under another key than that of .*other\.sock/);
        assert.deepEqual(contents(stage.dataDir), before);
        // A new machine: only the backup and the agent.
        const dataDir = join(elsewhere.path, "data");
        mkdirSync(dataDir);
        const env = { ...dstack.env, DATA_DIR: dataDir };
        const restored = await runConfigured(program, env, "restore", file);
        assert.equal(restored.code, 0, restored.stderr);
        await assertStarts(shipped, { ...stage, dataDir }, { ...dstack, env });
      });
    });
  });

  describe(`holdfast doctor with hardware, on ${titleOf(name)}`, () => {
    test("shows the dstack app, its quote, and what its key survives", TIMEOUT, async () => {
      await onStage(async (stage) => {
        const { dstack, redeployed } = stage.tees;
        await sealUnder(stage, dstack);
        const well = await doctor(shipped, dstack);
        assert.deepEqual([well.code, well.found.faults], [0, []]);
        assert.deepEqual([well.found.provider, well.found.inTee], ["dstack", true]);
        assert.deepEqual(well.found.keySource, {
          name: "kms",
          survivesUpgrades: "yes",
          place: dstack.env["TEE_DSTACK_SOCKET"],
        });
        const text = await doctorText(shipped, dstack, 0);
        assert.match(
          text,
          /\nin TEE +yes\nquote +version 4, TD attributes [0-9a-f]{16} \(.+\), debug off\n/,
        );
        assert.match(text, /\nsurvives upgrades +yes\n[^]*\nseal matches +yes\n[^]*\nall is well\n$/);

        stage.agent.behave({ keyProvider: "local-sgx" });
        const local = await doctor(shipped, dstack);
        assert.equal(local.found.keySource?.survivesUpgrades, "no");
        const localText = await doctorText(shipped, dstack, local.code);
        assert.match(localText, /\nsurvives upgrades +no: reseal to another key before an upgrade\n/);

        const other = await doctor(shipped, redeployed);
        assert.deepEqual([other.code, other.found.sealMatches], [1, false]);
        await doctorText(shipped, redeployed, 1);
        assert.match(other.found.faults.join(), /is not the one that sealed the database/);
      });
    });

    test("shows if the pinned KMS issued the key, and refuses another KMS", TIMEOUT, async () => {
      await onStage(async (stage) => {
        const { dstack } = stage.tees;
        const [root, appId] = ["22".repeat(32), "11".repeat(20)];
        const pin = { TEE_DSTACK_KMS_ROOT: kmsRootOf(root), TEE_DSTACK_APP_ID: appId };
        const pinned = { ...dstack, env: { ...dstack.env, ...pin } };
        await sealUnder(stage, dstack);
        const verified = { root: kmsRootOf(root), appId };
        const well = await doctor(shipped, pinned);
        assert.deepEqual([well.code, well.found.faults], [0, []]);
        assert.deepEqual(well.found.keyProvider, { name: "kms", id: kmsIdOf(root), verified });
        const text = await doctorText(shipped, pinned, 0);
        assert.match(text, new RegExp(`\nkey provider +kms:${kmsIdOf(root)}\n`));
        assert.match(text, new RegExp(`\nkey signature +verified: .*${verified.root} .* ${appId}\n`));
        const without = await doctor(shipped, dstack);
        assert.deepEqual([without.code, without.found.keyProvider?.verified], [0, null]);
        assert.match(
          await doctorText(shipped, dstack, 0),
          /\nkey signature +NOT verified: TEE_DSTACK_KMS_ROOT/,
        );

        stage.agent.behave({ root: "23".repeat(32) });
        const other = await doctor(shipped, pinned);
        assert.deepEqual([other.code, other.found.keyProvider], [1, null]);
        assert.match(other.found.faults.join("\n"), /did not issue its key/);
      });
    });

    const FAULTS = [
      [{ keyProvider: "none" }, /no key provider/],
      [{ faults: { GetQuote: "debug" } }, /under debug/],
      // Other sources may open the seed then, so that the rest is diagnosed.
      [{ faults: { GetKey: "short_key" } }, /GetKey has no valid key/, "dstack"],
      [{ faults: { Info: "legacy" } }, /dstack 0\.5 or later/],
    ] as const;
    for (const [behaviour, fault, provider = null] of FAULTS) {
      test(`finds a fault of the agent: ${JSON.stringify(behaviour)}`, TIMEOUT, async () => {
        await onStage(async (stage) => {
          await sealUnder(stage, stage.tees.dstack);
          stage.agent.behave(behaviour);
          const { code, found } = await doctor(shipped, stage.tees.dstack);
          assert.deepEqual([code, found.provider], [1, provider]);
          assert.match(found.faults.join("\n"), fault);
        });
      });
    }

    test("reports a missing quote, and everything else", TIMEOUT, async () => {
      await onStage(async (stage) => {
        const { dstack } = stage.tees;
        await sealUnder(stage, dstack);
        stage.agent.behave({ faults: { GetQuote: "error_400" } });
        const { code, found } = await doctor(shipped, dstack);
        assert.deepEqual([code, found.provider, found.quote, found.sealMatches], [1, "dstack", null, true]);
        assert.match(found.faults.join("\n"), /^Cannot quote: .*QGS is down/);
      });
    });

    test("shows the trust domain, its quote, and where its key is", TIMEOUT, async () => {
      await onStage(async (stage) => {
        const { tdx } = stage.tees;
        await sealUnder(stage, tdx);
        const { code, found } = await doctor(shipped, tdx);
        assert.deepEqual([code, found.faults], [0, []]);
        assert.deepEqual([found.provider, found.inTee, found.quote?.version], ["tdx", true, 4]);
        assert.match(found.quote!.tdAttributes, /^[0-9a-f]{16}$/);
        assert.deepEqual(found.keySource, {
          name: "file",
          survivesUpgrades: "depends",
          place: tdx.env["TEE_SEALING_KEY_FILE"],
        });
        assert.match(await doctorText(shipped, tdx, 0), /\nall is well\n$/);
        stage.kernel.behave({ fault: "debug" });
        assert.match((await doctor(shipped, tdx)).found.faults.join(), /under debug/);
        stage.kernel.behave({ fault: undefined, provider: "sev_guest\n" });
        assert.match((await doctor(shipped, tdx)).found.faults.join(), /its provider is not tdx_guest/);
      });
    });
  });
}

test("a start waits until the agent is up", TIMEOUT, async () => {
  using data = temporaryFolder();
  using beside = temporaryFolder();
  const socket = join(beside.path, "agent.sock");
  const dataDir = join(data.path, "data");
  const env = { TEE: "dstack", TEE_DSTACK_SOCKET: socket };
  const starting = startService({ runtime: builtRuntime(), dataDir, env });
  // The lock is taken just before the TEE is opened.
  while (!existsSync(dataDir) || readdirSync(dataDir).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(readdirSync(dataDir), ["holdfast.db.lock"]);
  const agent = await startEmulator("guest-agent", socket);
  {
    await using service = await starting;
    assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
    assert.match(service.stderr.join("\n"), /"event":"tee_waiting"/);
  }
  await agent.stop();
});
