import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { listAccountLog } from "../../src/audit/account-log.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { recordStart } from "../../src/commands/open/slots.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { refusalsOf, StartRefusal } from "../../src/commands/process/refusal.ts";
import { resealDatabase } from "../../src/commands/reseal.ts";
import { addConfiguredSlot } from "../../src/commands/seal-add.ts";
import { listSlots, testConfiguredSlots } from "../../src/commands/seal-list.ts";
import { removeConfiguredSlot } from "../../src/commands/seal-remove.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { migrate } from "../../src/db/migrate.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { listSlotClaims, removeSlot, type SlotView } from "../../src/sealing/slots.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addressesAfterStart,
  configuredKey,
  contents,
  fillSlots,
  makeKey,
  makeSealed,
  MEANS,
  placesIn,
  started,
  useKey,
} from "./fixture.ts";
import { sql } from "kysely";

const TIMEOUT = { timeout: 120_000 };

/** A sealed database with a second slot, whose key is in a file. */
interface Stage {
  readonly places: StorageConfig;
  readonly file: string;
  readonly second: string;
  readonly addresses: readonly string[];
  readonly folder: string;
}

function withSources(places: StorageConfig, ...files: readonly string[]): StorageConfig {
  return { ...places, sealSources: files.map((path) => ({ name: "file", path }) as const) };
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using data = temporaryFolder();
  using keys = temporaryFolder();
  const places = await makeSealed(data.path);
  const addresses = await addressesAfterStart(places);
  const file = makeKey(join(keys.path, "second"));
  // A second later, so that the slots have an order.
  const later = { ...MEANS, now: MEANS.now + 1000 };
  const { slot } = await addConfiguredSlot(places, { to: `file:${file}`, mode: "write" }, later);
  await job({ places, file, second: slot!, addresses, folder: keys.path });
}

/** Runs a job and returns what it wrote to standard error. */
async function loggedIn(job: () => Promise<unknown>): Promise<string> {
  const write = process.stderr.write;
  let text = "";
  process.stderr.write = ((part: string) => {
    text += part;
    return true;
  }) as typeof process.stderr.write;
  try {
    await job();
  } finally {
    process.stderr.write = write;
  }
  return text;
}

/** Edits the database of a stopped service. */
async function edit({ databasePath }: StorageConfig, job: (db: Db) => Promise<unknown>): Promise<void> {
  const db = connectDatabase(await openSqlite(databasePath));
  try {
    await job(db);
  } finally {
    await closeDatabase(db);
  }
}

function refused(message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.match(refusalsOf(error)?.join() ?? `no refusal: ${error}`, message);
    return true;
  };
}

describe("seal list", () => {
  test("lists every slot without a key", TIMEOUT, async () => {
    await onStage(async ({ places, second }) => {
      await started(places, (opened) => recordStart(opened, { now: MEANS.now, log: () => {} }));
      useKey(places, undefined);
      const slots = await listSlots(places);
      assert.deepEqual(slots.map(({ id, source }) => [id, source]), [
        ["slot_first", "simulated"],
        [second, "file"],
      ]);
      const [first, other] = slots;
      assert.match(first!.keyId, /^[0-9a-f]{64}$/);
      assert.notEqual(first!.keyId, other!.keyId);
      assert.equal(first!.createdAt, "2026-01-31T09:30:00.000Z");
      assert.equal(first!.openedAt, "2026-01-31T09:30:00.000Z");
      assert.equal(other!.openedAt, null);
    });
  });
});

describe("seal add", () => {
  test("lets either key open the same addresses, and records it", TIMEOUT, async () => {
    await onStage(async ({ places, file, second, addresses }) => {
      assert.deepEqual(await addressesAfterStart(places), addresses);
      useKey(places, file);
      assert.deepEqual(await addressesAfterStart(places), addresses);
      await started(places, async ({ db }) => {
        const entries = await db.selectFrom("audit_event").select(["event", "subject", "detail"])
          .where("event", "like", "seal_slot_%").orderBy("seq").execute();
        assert.deepEqual(entries.map(({ event, detail }) => [event, JSON.parse(detail)]), [
          ["seal_slot_added", { slot: "slot_first", source: "simulated" }],
          ["seal_slot_added", { slot: second, source: "file" }],
        ]);
      });
    });
  });

  test("does nothing the second time, and in a dry run", TIMEOUT, async () => {
    await onStage(async ({ places, file, folder }) => {
      const before = contents(places.dataDir);
      const again = await addConfiguredSlot(places, { to: `file:${file}`, mode: "write" }, MEANS);
      assert.deepEqual([again.outcome, again.slot], ["present", undefined]);
      const third = makeKey(join(folder, "third"));
      const dry = await addConfiguredSlot(places, { to: `file:${third}`, mode: "dry-run" }, MEANS);
      assert.deepEqual([dry.outcome, dry.slot], ["would_add", undefined]);
      assert.deepEqual(contents(places.dataDir), before);
    });
  });

  test("refuses without a key that opens a slot, and for a source without a key", TIMEOUT, async () => {
    await onStage(async ({ places, folder }) => {
      const before = contents(places.dataDir);
      const missing = { to: `file:${join(folder, "none")}`, mode: "write" } as const;
      await assert.rejects(addConfiguredSlot(places, missing, MEANS), refused(/no such file/));
      assert.deepEqual(contents(places.dataDir), before);
      useKey(places, makeKey(join(folder, "wrong")));
      const other = { to: `file:${makeKey(join(folder, "other"))}`, mode: "write" } as const;
      await assert.rejects(addConfiguredSlot(places, other, MEANS), refused(/sealed under another key/));
    });
  });

  test("refuses more than 16 slots, while a start and a reseal go on", TIMEOUT, async () => {
    await onStage(async ({ places, file, folder, addresses }) => {
      await fillSlots(places, folder);
      const key = makeKey(join(folder, "17"));
      const adding = addConfiguredSlot(places, { to: `file:${key}`, mode: "write" }, MEANS);
      await assert.rejects(adding, refused(/there are 16: remove one first/));
      const move = { from: `file:${file}`, to: `file:${key}`, mode: "write" } as const;
      assert.equal((await resealDatabase(places, move, MEANS)).outcome, "resealed");
      useKey(places, makeKey(join(folder, "advanced")));
      const logged = await loggedIn(async () => {
        assert.deepEqual(await addressesAfterStart(withSources(places, key)), addresses);
      });
      assert.match(logged, /"seal_slot_not_added","source":"simulated","reason":"[^"]*there are 16/);
      assert.equal((await listSlots(places)).length, 16);
    });
  });
});

describe("seal remove", () => {
  test("takes a slot away: its key opens nothing, and what is left is returned", TIMEOUT, async () => {
    await onStage(async ({ places, file, second, addresses }) => {
      const left = await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      assert.deepEqual(left.map(({ id }) => id), ["slot_first"]);
      assert.deepEqual(await addressesAfterStart(places), addresses);
      useKey(places, file);
      await assert.rejects(openConfiguredVault(places, MEANS), refused(/is not the one that sealed/));
    });
  });

  test("changes nothing in a dry run", TIMEOUT, async () => {
    await onStage(async ({ places, second }) => {
      const before = contents(places.dataDir);
      const left = await removeConfiguredSlot(places, { id: second, mode: "dry-run" }, MEANS);
      assert.deepEqual(left.map(({ id }) => id), ["slot_first"]);
      assert.deepEqual(contents(places.dataDir), before);
    });
  });

  test("refuses the last slot and one that is not there", TIMEOUT, async () => {
    await onStage(async ({ places, second }) => {
      await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      const before = contents(places.dataDir);
      for (const [id, message] of [["slot_first", /the last one/], [second, /no such slot/]] as const) {
        for (const mode of ["write", "dry-run"] as const) {
          await assert.rejects(removeConfiguredSlot(places, { id, mode }, MEANS), refused(message));
        }
      }
      assert.deepEqual(contents(places.dataDir), before);
    });
  });
});

describe("a removal keeps a slot that was seen to open", () => {
  test("refuses the only one that opens, although others are there", TIMEOUT, async () => {
    await onStage(async ({ places, file, second, addresses }) => {
      const before = contents(places.dataDir);
      for (const mode of ["write", "dry-run"] as const) {
        await assert.rejects(
          removeConfiguredSlot(places, { id: "slot_first", mode }, MEANS),
          refused(/no other slot opens with .*name the source of another in SEAL_SOURCES first/),
        );
      }
      assert.deepEqual(contents(places.dataDir), before);
      await removeConfiguredSlot(withSources(places, file), { id: "slot_first", mode: "write" }, MEANS);
      assert.deepEqual((await listSlots(places)).map(({ id }) => id), [second]);
      useKey(places, file);
      assert.deepEqual(await addressesAfterStart(places), addresses);
    });
  });

  test("is refused in its transaction if that slot was removed meanwhile", TIMEOUT, async () => {
    await onStage(async ({ places, file, second, addresses }) => {
      const [first] = await listSlots(places);
      await started(places, async ({ db, vault }) => {
        const services = { vault, authority: createRowAuthority(vault, () => MEANS.now) };
        const [{ keyId }] = (await listSlots(places)).filter(({ id }) => id === second) as [SlotView];
        await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
        const removal = { id: "slot_first", provenKeyId: keyId };
        const late = transaction(db, (tx) => removeSlot(tx, services, removal, MEANS.now));
        await assert.rejects(late, new RegExp(`the slot of the key ${keyId} is gone`));
      });
      assert.deepEqual((await listSlots(places)).map(({ id }) => id), [first!.id]);
      assert.deepEqual(await addressesAfterStart(withSources(places, file)), addresses);
    });
  });
});

describe("seal test", () => {
  test("tells which slots open, and which had no key, and writes nothing", TIMEOUT, async () => {
    await onStage(async ({ places, file, folder }) => {
      const before = contents(places.dataDir);
      const opens = async (config: StorageConfig) =>
        (await testConfiguredSlots(config, MEANS.random)).slots.map((slot) => slot.opens);
      assert.deepEqual(await opens(places), [true, null]);
      assert.deepEqual(await opens(withSources(places, file)), [true, true]);
      const missing = await testConfiguredSlots(withSources(places, join(folder, "no")), MEANS.random);
      assert.match(missing.notes.join(), /no key of file: .*no such file/);
      assert.deepEqual(contents(places.dataDir), before);
    });
  });

  test("finds a slot that does not open with its key", TIMEOUT, async () => {
    await onStage(async ({ places, file, second }) => {
      await edit(
        places,
        (db) =>
          db.updateTable("seal_slot").set({ sealed: new Uint8Array(81) }).where("id", "=", second).execute(),
      );
      const { slots, faults } = await testConfiguredSlots(withSources(places, file), MEANS.random);
      assert.deepEqual(slots.map(({ opens }) => opens), [true, false]);
      assert.match(faults.join(), new RegExp(`${second} was changed`));
    });
  });
});

describe("a start", () => {
  test("opens by a further source, and adds a slot for the configured one", TIMEOUT, async () => {
    await onStage(async ({ places, file, folder, addresses }) => {
      useKey(places, makeKey(join(folder, "advanced")));
      const config = withSources(places, file);
      const logged = await loggedIn(async () => {
        assert.deepEqual(await addressesAfterStart(config), addresses);
      });
      assert.match(logged, /"event":"seal_slot_added".*"source":"simulated","openedBy":"file"/);
      assert.equal((await listSlots(places)).length, 3);
      const silent = await loggedIn(async () => {
        assert.deepEqual(await addressesAfterStart(places), addresses);
      });
      assert.equal(silent, "");
      assert.equal((await listSlots(places)).length, 3);
    });
  });

  test(
    "records the slot that opened, and doctor tells until when each old one was needed",
    TIMEOUT,
    async () => {
      await onStage(async ({ places, file, folder }) => {
        const config = withSources(places, file);
        await started(places, (opened) => recordStart(opened, { now: MEANS.now, log: () => {} }));
        useKey(places, makeKey(join(folder, "advanced")));
        await started(config, (opened) => recordStart(opened, { now: MEANS.now + 5000, log: () => {} }));
        const { slots, faults } = await diagnose(config, MEANS);
        assert.deepEqual(faults, []);
        assert.deepEqual(
          slots!.map(({ source, opens, neededUntil }) => [source, opens, neededUntil]).toSorted(),
          [
            ["file", true, "2026-01-31T09:30:05.000Z"],
            ["simulated", null, "2026-01-31T09:30:00.000Z"],
            ["simulated", true, null],
          ],
        );
      });
    },
  );

  test("names every slot, what was found and the page if nothing opens", TIMEOUT, async () => {
    await onStage(async ({ places, second, folder }) => {
      useKey(places, makeKey(join(folder, "other")));
      const [first, file] = await listSlots(places);
      const config = withSources(places, join(folder, "missing"));
      await assert.rejects(openConfiguredVault(config, MEANS), (error) => {
        assert.ok(error instanceof StartRefusal);
        assert.ok(error.message.includes(`slot_first (simulated, key ${first!.keyId})`), error.message);
        assert.ok(error.message.includes(`${second} (file, key ${file!.keyId})`), error.message);
        assert.match(error.message, /Found: simulated with the key [0-9a-f]{64}: the database was sealed/);
        assert.match(error.message, /file: Cannot use sealing key .*no such file/);
        assert.match(error.message, /See docs\/how-to\/keep-the-seed\.md#when-nothing-opens/);
        return true;
      });
    });
  });
});

type Slot = Tables["seal_slot"];

describe("a slot that the seed does not authenticate", () => {
  const EDITS: readonly (readonly [what: string, change: (slot: Slot) => Partial<Slot>])[] = [
    ["of another source", () => ({ source: "dstack" })],
    ["of another API", () => ({ api: "v1" })],
    ["of another key", () => ({ seal_key_id: "ab".repeat(32) })],
    ["of another seed", ({ sealed }) => ({ sealed: sealed.with(40, sealed[40]! ^ 1) })],
    ["made at another time", ({ created_at }) => ({ created_at: created_at + 1 })],
    ["opened at another time", () => ({ opened_at: 5 })],
    ["without a MAC", () => ({ mac: new Uint8Array() })],
    ["of another id", () => ({ id: "slot_other" })],
    ["with a threshold", () => ({ threshold: 2, shares: 3 })],
  ];
  for (const [what, change] of EDITS) {
    test(`never opens, while another does: ${what}`, TIMEOUT, async () => {
      await onStage(async ({ places, file, second, addresses }) => {
        let id = second;
        await edit(places, async (db) => {
          const slot = await db.selectFrom("seal_slot").selectAll().where("id", "=", second)
            .executeTakeFirstOrThrow();
          const changed = { ...slot, ...change(slot) };
          id = changed.id;
          await db.updateTable("seal_slot").set(changed).where("id", "=", second).execute();
        });
        const logged = await loggedIn(async () => {
          assert.deepEqual(await addressesAfterStart(places), addresses);
        });
        assert.match(logged, new RegExp(`"event":"seal_slot_refused","slot":"${id}"`));
        const { faults } = await diagnose(places, MEANS);
        assert.match(faults.join("\n"), new RegExp(id));
        useKey(places, file);
        await assert.rejects(openConfiguredVault(places, MEANS), { name: "StartRefusal" });
        await assert.rejects(openConfiguredVault(places, MEANS), refused(new RegExp(`${id}|sealed`)));
      });
    });
  }

  test("never opens if it is another database's, and is taken away by `seal remove`", TIMEOUT, async () => {
    await onStage(async ({ places, addresses }) => {
      using other = temporaryFolder();
      const elsewhere = await made(other.path);
      let foreign: Slot | undefined;
      await edit(elsewhere, async (db) => {
        foreign = await db.selectFrom("seal_slot").selectAll().executeTakeFirstOrThrow();
      });
      await edit(
        places,
        (db) => db.insertInto("seal_slot").values({ ...foreign!, id: "slot_foreign" }).execute(),
      );
      const logged = await loggedIn(async () => {
        assert.deepEqual(await addressesAfterStart(places), addresses);
      });
      assert.match(logged, /"seal_slot_refused","slot":"slot_foreign"/);
      copyFileSync(configuredKey(elsewhere), configuredKey(places) + "-foreign");
      useKey(places, configuredKey(elsewhere));
      await assert.rejects(openConfiguredVault(places, MEANS), refused(/sealed|slot/));
    });
  });

  test("never opens if it was removed and put back", TIMEOUT, async () => {
    await onStage(async ({ places, file, second, addresses }) => {
      let kept: Slot | undefined;
      await edit(places, async (db) => {
        kept = await db.selectFrom("seal_slot").selectAll().where("id", "=", second)
          .executeTakeFirstOrThrow();
      });
      await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      await edit(places, (db) => db.insertInto("seal_slot").values(kept!).execute());
      const logged = await loggedIn(async () => {
        assert.deepEqual(await addressesAfterStart(places), addresses);
      });
      assert.match(logged, new RegExp(`"seal_slot_refused","slot":"${second}","reason":"not_in_set"`));
      const { faults } = await diagnose(places, MEANS);
      assert.match(faults.join(), new RegExp(`${second} was removed and is back`));
      await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      assert.deepEqual((await diagnose(places, MEANS)).faults, []);
      useKey(places, file);
      await assert.rejects(openConfiguredVault(places, MEANS), refused(/is not the one that sealed/));
    });
  });

  test("never opens if an older set is put back with it", TIMEOUT, async () => {
    await onStage(async ({ places, file, second }) => {
      let slot: Slot | undefined;
      let set: Tables["seal_set"] | undefined;
      await edit(places, async (db) => {
        slot = await db.selectFrom("seal_slot").selectAll().where("id", "=", second)
          .executeTakeFirstOrThrow();
        set = await db.selectFrom("seal_set").selectAll().executeTakeFirstOrThrow();
      });
      await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      await edit(places, async (db) => {
        await db.insertInto("seal_slot").values(slot!).execute();
        await db.updateTable("seal_set").set(set!).execute();
      });
      for (const key of [configuredKey(places), file]) {
        if (key === file) useKey(places, file);
        await assert.rejects(openConfiguredVault(places, MEANS), refused(/an older set was put back/));
        assert.match((await diagnose(places, MEANS)).faults.join(), /an older set was put back/);
      }
    });
  });

  test("never opens without the set, which the audit log names", TIMEOUT, async () => {
    await onStage(async ({ places }) => {
      await edit(places, async (db) => {
        await db.deleteFrom("seal_set").execute();
        await db.updateTable("seal_slot").set({ mac: new Uint8Array() }).execute();
      });
      await assert.rejects(openConfiguredVault(places, MEANS), refused(/an older set was put back/));
    });
  });

  test("is reported by doctor if it is missing", TIMEOUT, async () => {
    await onStage(async ({ places, second, addresses }) => {
      await edit(places, (db) => db.deleteFrom("seal_slot").where("id", "=", second).execute());
      assert.deepEqual(await addressesAfterStart(places), addresses);
      assert.match((await diagnose(places, MEANS)).faults.join(), new RegExp(`${second} is missing`));
      await removeConfiguredSlot(places, { id: second, mode: "write" }, MEANS);
      assert.deepEqual((await diagnose(places, MEANS)).faults, []);
    });
  });
});

async function made(folder: string): Promise<StorageConfig> {
  const places = placesIn(folder);
  await started(places, () => Promise.resolve());
  return places;
}

describe("the slots of a service", () => {
  test("are in the activity of every account", TIMEOUT, async () => {
    await onStage(async ({ places, second }) => {
      await started(places, async ({ db, vault }) => {
        const { entries } = await listAccountLog(db, vault, {
          accountId: "acct_1",
          before: undefined,
          limit: 10,
        });
        const added = entries.find(({ event }) => event === "seal_slot_added");
        assert.deepEqual(added?.detail, { slot: second, source: "file" });
      });
    });
  });

  test("are what its claims name", TIMEOUT, async () => {
    await onStage(async ({ places }) => {
      const listed = (await listSlots(places)).map(({ source, keyId }) => ({ source, keyId }));
      await started(places, async ({ db, vault }) => {
        const services = { vault, authority: createRowAuthority(vault, () => 0) };
        assert.deepEqual(await listSlotClaims(db, services), listed);
      });
    });
  });
});

test(
  "a database from before slots opens at the next start, with its one slot authenticated",
  TIMEOUT,
  async () => {
    using data = temporaryFolder();
    const places = await makeSealed(data.path);
    const addresses = await addressesAfterStart(places);
    const earlier = { ...places, databasePath: join(data.path, "earlier.db") };
    await edit(places, async (db) => {
      const slot = await db.selectFrom("seal_slot").selectAll().executeTakeFirstOrThrow();
      const old = connectDatabase(await openSqlite(earlier.databasePath));
      await migrate(old, ["0001_init"]);
      await sql`insert into ${
        sql.table("sealed_seed")
      } (id, version, seal_key_id, sealed, created_at) values (1, 1, ${slot.seal_key_id}, ${slot.sealed}, 7)`
        .execute(old);
      await closeDatabase(old);
    });
    assert.deepEqual((await diagnose(earlier, MEANS)).sealMatches, true);
    await started(earlier, async ({ vault }) => {
      const derived = vault.ethereumPublicKey("acct_1", 0).address.toHex();
      assert.equal(`0x${derived}`, addresses[0]!.toLowerCase());
      await Promise.resolve();
    });
    const [slot] = await listSlots(earlier);
    assert.deepEqual([slot!.id, slot!.source, slot!.createdAt], [
      "slot_first",
      "simulated",
      "1970-01-01T00:00:00.007Z",
    ]);
    assert.deepEqual((await diagnose(earlier, MEANS)).faults, []);
  },
);
