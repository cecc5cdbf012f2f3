import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { describeWorkload } from "../../src/commands/expected-workload.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { readArguments } from "../../src/commands/process/arguments.ts";
import { refusalsOf } from "../../src/commands/process/refusal.ts";
import { openShare, RECOVERY_OPEN_SYNTAX } from "../../src/commands/recovery-open.ts";
import { recoverSeed } from "../../src/commands/recovery-start.ts";
import { addRecoverySlot, type RecoverySlotRequest } from "../../src/commands/seal-add-recovery.ts";
import { listSlots } from "../../src/commands/seal-list.ts";
import { removeConfiguredSlot } from "../../src/commands/seal-remove.ts";
import { simulatedRoot } from "../../src/commands/simulated-root.ts";
import { readConfig } from "../../src/config/config.ts";
import { toBase64url } from "../../src/lib/bytes.ts";
import { encryptTo } from "../../src/sealing/age.ts";
import { hashShares, requestIdOf, writeAnswer } from "../../src/sealing/recovery.ts";
import { closeDatabase, connectDatabase } from "../../src/db/database.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { addMigration } from "../support/later-migration.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addressesAfterStart,
  configuredKey,
  contents,
  fillSlots,
  makeKey,
  makeSealed,
  MEANS,
  useKey,
} from "./fixture.ts";

const TIMEOUT = { timeout: 120_000 };

/** A database with a recovery slot of 2 of 3 holders, whose own sealing key is lost. */
interface Stage {
  readonly places: StorageConfig;
  readonly folder: string;
  readonly addresses: readonly string[];
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using other = temporaryFolder();
  const places = await makeSealed(data.path);
  const addresses = await addressesAfterStart(places);
  const folder = other.path;
  await makeHolders(folder, "holder", 3);
  await addRecoverySlot(places, requestFor(folder, "holder", 2), MEANS);
  // The new machine has another key, which opens nothing.
  copyFileSync(configuredKey(places), join(folder, "lost"));
  useKey(places, makeKey(join(folder, "new")));
  await writeExpectations(places, folder);
  await job({ places, folder, addresses });
}

/** Writes the identity of each holder, and a file of their recipients. */
async function makeHolders(folder: string, name: string, count: number): Promise<void> {
  const recipients: string[] = [];
  for (let number = 1; number <= count; number++) {
    const identity = await generateX25519Identity();
    const path = join(folder, `${name}-${number}.txt`);
    writeFileSync(path, `# made for a test\n${identity}\n`);
    recipients.push(await identityToRecipient(identity));
  }
  writeFileSync(join(folder, `${name}-recipients.txt`), `# holders\n${recipients.join("\n")}\n`);
}

function requestFor(folder: string, name: string, threshold: number): RecoverySlotRequest {
  const text = readFileSync(join(folder, `${name}-recipients.txt`), "utf8");
  const recipients = text.split("\n").filter((line) => line.startsWith("age1"));
  const out = join(folder, `${name}-shares`);
  return { recipients, threshold, out, mode: "write" };
}

/** Writes what a holder has: the expected workload and the collateral. */
async function writeExpectations(places: StorageConfig, folder: string): Promise<void> {
  const environment = { DATA_DIR: places.dataDir, TEE: "simulated" };
  const text = await describeWorkload(readConfig(environment), MEANS.random);
  writeFileSync(join(folder, "expected.json"), text);
  await simulatedRoot(environment, [join(folder, "root")]);
}

interface HolderOptions {
  readonly number: number;
  readonly answer?: string;
  readonly request?: string;
  readonly share?: string;
  readonly identity?: string;
  readonly expect?: string;
}

/** Answers as a holder. */
async function answer(folder: string, options: HolderOptions): Promise<string> {
  const { number } = options;
  const list = [
    `--request=${options.request ?? join(folder, "request.json")}`,
    `--share=${options.share ?? join(folder, "holder-shares", `share-${number}.age`)}`,
    `--identity=${options.identity ?? join(folder, `holder-${number}.txt`)}`,
    `--expect=${options.expect ?? join(folder, "expected.json")}`,
    `--answer=${options.answer ?? join(folder, "answers", `${number}.age`)}`,
    `--collateral=${join(folder, "root", "collateral.json")}`,
    `--root=${join(folder, "root", "root.pem")}`,
  ];
  return await openShare(readArguments(list, RECOVERY_OPEN_SYNTAX), {
    now: Date.now(),
    random: MEANS.random,
  });
}

/** Runs a ceremony in which `during` acts before the answers are looked for again. Returns what it printed. */
async function ceremony(
  { places, folder }: Stage,
  during: () => Promise<unknown>,
  { act = "recover", to = "configured" }: { act?: "recover" | "drill"; to?: string } = {},
): Promise<string> {
  let printed = "";
  let time = 0;
  const request = join(folder, "request.json");
  const options = { act, request, answers: join(folder, "answers"), to, slot: undefined, wait: 1000 };
  await recoverSeed(places, options, {
    ...MEANS,
    clock: () => time,
    print: (text) => printed += text,
    pause: async () => {
      if (time === 0) await during();
      time += 600;
    },
  });
  return printed;
}

/** Edits the recovery slot of a stopped service. */
async function editSlot(
  { databasePath }: StorageConfig,
  change: Partial<Tables["seal_slot"]>,
): Promise<void> {
  const db = connectDatabase(await openSqlite(databasePath));
  await db.updateTable("seal_slot").set(change).where("source", "=", "recovery").execute();
  await closeDatabase(db);
}

function refused(message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.match(refusalsOf(error)?.join() ?? `no refusal: ${error}`, message);
    return true;
  };
}

describe("a recovery slot", () => {
  test("is listed with its numbers, and opens no start", TIMEOUT, async () => {
    await onStage(async ({ places }) => {
      const slot = (await listSlots(places)).find(({ source }) => source === "recovery");
      assert.deepEqual([slot?.threshold, slot?.shares], [2, 3]);
      await assert.rejects(openConfiguredVault(places, MEANS), refused(/recovery, key [0-9a-f]{64}/));
    });
  });

  test("cannot be the last that opens without holders", TIMEOUT, async () => {
    await onStage(async ({ places, folder }) => {
      useKey(places, join(folder, "lost"));
      const removal = removeConfiguredSlot(places, { id: "slot_first", mode: "write" }, MEANS);
      await assert.rejects(removal, refused(/the last one that opens without the holders/));
    });
  });

  test("is refused over a folder with files, and a dry run writes none", TIMEOUT, async () => {
    await onStage(async ({ places, folder }) => {
      useKey(places, join(folder, "lost"));
      const request = requestFor(folder, "holder", 2);
      await assert.rejects(addRecoverySlot(places, request, MEANS), refused(/is not empty/));
      const before = contents(places.dataDir);
      const dry = { ...request, out: join(folder, "dry"), mode: "dry-run" } as const;
      assert.match(await addRecoverySlot(places, dry, MEANS), /^dry run/);
      assert.ok(!existsSync(dry.out));
      const wrong = { ...request, recipients: ["age1wrong", ...request.recipients.slice(1)], out: dry.out };
      await assert.rejects(addRecoverySlot(places, wrong, MEANS), refused(/age1wrong is no age recipient/));
      assert.deepEqual(contents(places.dataDir), before);
    });
  });
});

describe("recovery", () => {
  test("opens the same addresses under a new key, once enough holders answered", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder, addresses } = stage;
      const printed = await ceremony(stage, async () => {
        assert.match(
          await answer(folder, { number: 3 }),
          /^verified: .*\nact +recover of slot_\w+\nto +simulated/,
        );
        await answer(folder, { number: 1 });
      });
      assert.match(printed, /0 of 2 answers\n1 of 2 answers\n2 of 2 answers\nadded the slot slot_\w+/);
      assert.deepEqual(await addressesAfterStart(places), addresses);
      assert.deepEqual(readdirSync(join(folder, "answers")).toSorted(), ["1.age", "3.age"]);
    });
  });

  test("adds a slot although there are 16, because none could be removed", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder, addresses } = stage;
      useKey(places, join(folder, "lost"));
      await fillSlots(places, folder);
      useKey(places, join(folder, "new"));
      await ceremony(stage, async () => {
        await answer(folder, { number: 1 });
        await answer(folder, { number: 2 });
      });
      assert.deepEqual(await addressesAfterStart(places), addresses);
      assert.equal((await listSlots(places)).length, 17);
    });
  });

  test("opens a database of an earlier version, which no start could migrate", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder, addresses } = stage;
      using _ = addMigration();
      assert.equal((await listSlots(places)).length, 2);
      await ceremony(stage, async () => {
        await answer(folder, { number: 1 });
        await answer(folder, { number: 2 });
      });
      assert.deepEqual(await addressesAfterStart(places), addresses);
    });
  });

  test("changes nothing in a drill", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder } = stage;
      const before = contents(places.dataDir);
      const printed = await ceremony(stage, async () => {
        await answer(folder, { number: 1 });
        await answer(folder, { number: 2 });
      }, { act: "drill" });
      assert.match(printed, /2 of 2 answers\ndrill: the shares open the seed, nothing was changed\n$/);
      assert.deepEqual(contents(places.dataDir), before);
    });
  });

  test("refuses too few answers, and one holder's answer twice", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder } = stage;
      const before = contents(places.dataDir);
      const recovering = ceremony(stage, async () => {
        await answer(folder, { number: 1 });
        await answer(folder, { number: 1, answer: join(folder, "answers", "again.age") });
      });
      await assert.rejects(recovering, refused(/Too few answers came: 1 of 2; .* has answered already/));
      assert.deepEqual(contents(places.dataDir), before);
    });
  });

  test("refuses answers to another request, and answers that are none", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder } = stage;
      const first = ceremony(stage, () => answer(folder, { number: 1 }));
      await assert.rejects(first, refused(/1 of 2/));
      const again = ceremony(stage, () => Promise.resolve());
      await assert.rejects(again, refused(/request\.json already exists/));
      rmSync(join(folder, "request.json"));
      const second = ceremony(stage, async () => {
        writeFileSync(join(folder, "answers", "text"), "not an answer");
        const { recipient } = JSON.parse(
          JSON.parse(readFileSync(join(folder, "request.json"), "utf8")).claims,
        );
        writeFileSync(join(folder, "answers", "made"), await encryptTo(recipient, { purpose: "other" }));
      });
      await assert.rejects(
        second,
        refused(
          /0 of 2.*1\.age: it is not encrypted for this request.*made: it is no answer.*text: it is not/,
        ),
      );
    });
  });

  test("refuses wrong shares, which the slot tells apart", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder } = stage;
      const recovering = ceremony(stage, async () => {
        const request = JSON.parse(readFileSync(join(folder, "request.json"), "utf8"));
        const { recipient, keyId } = JSON.parse(request.claims);
        const wrong = {
          purpose: "holdfast/recovery-answer/v1",
          request: requestIdOf(request.claims),
          keyId,
          number: 1,
          share: toBase64url(new Uint8Array(33).fill(7)),
        };
        writeFileSync(join(folder, "answers", "wrong"), await encryptTo(recipient, wrong));
        const split = { ...wrong, keyId: "ab".repeat(32) };
        writeFileSync(join(folder, "answers", "split"), await encryptTo(recipient, split));
        const other = { ...wrong, request: "00" };
        writeFileSync(join(folder, "answers", "other"), await encryptTo(recipient, other));
      });
      await assert.rejects(
        recovering,
        refused(
          /other: it answers another request.*split: its share is of another split.*wrong: its share is wrong/,
        ),
      );
    });
  });

  test("refuses a slot whose numbers were edited, before a request", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder } = stage;
      for (const numbers of [{ threshold: 1 }, { shares: 1 }, { shares: 256 }, { threshold: 4 }]) {
        await editSlot(places, numbers);
        await assert.rejects(ceremony(stage, () => Promise.resolve()), refused(/slot_\w+ was edited/));
        assert.ok(!existsSync(join(folder, "request.json")));
        await editSlot(places, { threshold: 2, shares: 3 });
      }
    });
  });

  test("refuses made-up shares whose hashes were put into the slot", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { places, folder } = stage;
      const once = new Uint8Array(33).fill(7);
      const cases = [
        [[once, once], /the shares do not fit together/],
        [[once, MEANS.random(33).with(32, 8)], /sealed under another key/],
      ] as const;
      for (const [shares, message] of cases) {
        await editSlot(places, { share_hashes: hashShares([...shares, once]) });
        const before = contents(places.dataDir);
        const recovering = ceremony(stage, async () => {
          const request = JSON.parse(readFileSync(join(folder, "request.json"), "utf8"));
          const { recipient, keyId } = JSON.parse(request.claims);
          for (const [index, share] of shares.entries()) {
            const facts = { keyId, threshold: 2, shares: 3, number: index + 1, share };
            const made = await encryptTo(recipient, writeAnswer(facts, request.claims));
            writeFileSync(join(folder, "answers", `${index}.age`), made);
          }
        });
        await assert.rejects(recovering, refused(message));
        assert.deepEqual(contents(places.dataDir), before);
        for (const name of ["request.json", "answers"]) rmSync(join(folder, name), { recursive: true });
      }
    });
  });

  test("refuses a database without a recovery slot", TIMEOUT, async () => {
    using data = temporaryFolder();
    using other = temporaryFolder();
    const places = await makeSealed(data.path);
    const stage = { places, folder: other.path, addresses: [] };
    await assert.rejects(ceremony(stage, () => Promise.resolve()), refused(/has no recovery slot/));
    assert.ok(!existsSync(join(other.path, "request.json")));
  });
});

describe("recovery open", () => {
  /** Runs the job while a request waits, and gives up afterwards. */
  async function whileWaiting(stage: Stage, job: () => Promise<void>): Promise<void> {
    await assert.rejects(ceremony(stage, job), refused(/Too few answers/));
    assert.deepEqual(readdirSync(join(stage.folder, "answers")), []);
  }

  function edited(
    folder: string,
    change: (request: Record<string, string>) => Record<string, string>,
  ): string {
    const request = JSON.parse(readFileSync(join(folder, "request.json"), "utf8"));
    const path = join(
      folder,
      `edited-${Object.keys(change(request)).length}-${Math.floor(performance.now())}.json`,
    );
    writeFileSync(path, JSON.stringify({ ...request, ...change(request) }));
    return path;
  }

  test("refuses a changed request", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder } = stage;
      await whileWaiting(stage, async () => {
        const thief = await identityToRecipient(await generateX25519Identity());
        const request = edited(folder, ({ claims }) => ({
          claims: JSON.stringify({ ...JSON.parse(claims!), recipient: thief }),
        }));
        await assert.rejects(
          answer(folder, { number: 1, request }),
          refused(/report_data: .*other report data/),
        );
        const other = edited(
          folder,
          () => ({ claims: JSON.stringify({ purpose: "holdfast/key-quote/v2" }) }),
        );
        await assert.rejects(
          answer(folder, { number: 1, request: other }),
          refused(/not those of a recovery/),
        );
      });
    });
  });

  test("refuses a quote of another measurement", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder } = stage;
      await whileWaiting(stage, async () => {
        const expected = readFileSync(join(folder, "expected.json"), "utf8");
        const [mrTd] = /[0-9a-f]{96}/.exec(expected)!;
        const expect = join(folder, "other.json");
        writeFileSync(expect, expected.replace(mrTd, "ab".repeat(48)));
        await assert.rejects(
          answer(folder, { number: 1, expect }),
          refused(/mrtd: MRTD is [0-9a-f]{96}, which is not expected/),
        );
      });
    });
  });

  test("refuses to let the seed go to another provider than the expected one", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder } = stage;
      await whileWaiting(stage, async () => {
        const workloads = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
        const [workload] = Object.values(workloads.workloads) as [Record<string, unknown>];
        const expect = join(folder, "kms.json");
        workload["keyProvider"] = "kms:3059";
        writeFileSync(expect, JSON.stringify(workloads));
        await assert.rejects(
          answer(folder, { number: 1, expect }),
          refused(/seals the seed for simulated, and --expect names kms:3059/),
        );
        delete workload["keyProvider"];
        writeFileSync(expect, JSON.stringify(workloads));
        await assert.rejects(answer(folder, { number: 1, expect }), refused(/names no keyProvider/));
      });
    });
  });

  test("refuses another holder's identity, and a share of another split", TIMEOUT, async () => {
    await onStage(async (stage) => {
      const { folder, places } = stage;
      await makeHolders(folder, "others", 2);
      useKey(places, join(folder, "lost"));
      // Shares of a slot that is removed again.
      await addRecoverySlot(places, requestFor(folder, "others", 2), MEANS);
      const newest = (await listSlots(places)).find(({ shares }) => shares === 2);
      await removeConfiguredSlot(places, { id: newest!.id, mode: "write" }, MEANS);
      useKey(places, join(folder, "new"));
      await whileWaiting(stage, async () => {
        const identity = join(folder, "holder-2.txt");
        await assert.rejects(answer(folder, { number: 1, identity }), refused(/does not open the share/));
        await assert.rejects(
          answer(folder, {
            number: 1,
            share: join(folder, "others-shares", "share-1.age"),
            identity: join(folder, "others-1.txt"),
          }),
          refused(/is of another split/),
        );
        mkdirSync(join(folder, "kept"));
        await answer(folder, { number: 1, answer: join(folder, "kept", "1.age") });
        await assert.rejects(
          answer(folder, { number: 1, answer: join(folder, "kept", "1.age") }),
          refused(/already exists/),
        );
      });
    });
  });
});
