import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { lengthPrefixed, utf8 } from "../../src/lib/bytes.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { TeeUnavailableError } from "../../src/tee/tee.ts";
import type { Tee } from "../../src/tee/tee.ts";
import { VaultRefusal } from "../../src/vault/error.ts";
import type { VaultRefusalCode } from "../../src/vault/error.ts";
import { openOrMakeSeed } from "../../src/vault/seed.ts";
import { sealKeyIdOf } from "../../src/vault/sealing-key.ts";
import { Vault } from "../../src/vault/vault.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";
import { runProgram, runtimes } from "../support/program.ts";

const NOW = 1_700_000_000_000;
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const OTHER_KEY = KEY.with(0, 1);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Creates a TEE with this sealing key that records the copies it returned. */
function teeWith(key: Uint8Array): Tee & { readonly given: Uint8Array[] } {
  const given: Uint8Array[] = [];
  return {
    provider: "simulated",
    inTee: false,
    keyProvider: { name: "simulated", id: "", verified: null },
    given,
    forgetSealingKey: () => {},
    sealingKey: () => {
      given.push(key.slice());
      return Promise.resolve(given.at(-1)!);
    },
    quote: () => Promise.reject(new TeeUnavailableError("Cannot quote: not in this test")),
  };
}

async function openWith(db: Db, key: Uint8Array): Promise<Vault> {
  return (await openOrMakeSeed(db, { tee: teeWith(key), primitives, random, now: NOW })).vault;
}

function addressOf(vault: Vault): string {
  return vault.ethereumPublicKey("account_1", 0).address.toHex();
}

async function withDatabase(job: (db: Db) => Promise<void>): Promise<void> {
  const db = await openTestDatabase();
  try {
    await job(db);
  } finally {
    await closeDatabase(db);
  }
}

function refusal(code: VaultRefusalCode): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof VaultRefusal);
    assert.equal(error.code, code);
    return true;
  };
}

/** Reads the database and its write-ahead log as hex. The shared index beside them is not content. */
function bytesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.endsWith("-shm")).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "hex")]));
}

describe("openOrMakeSeed() over an empty database", () => {
  test("creates a seed, stores it encrypted with the id of the key, and reads it again", async () => {
    await withDatabase(async (db) => {
      const address = addressOf(await openWith(db, KEY));
      const row = await db.selectFrom("seal_slot").selectAll().executeTakeFirstOrThrow();
      const id = createHmac("sha256", KEY).update(lengthPrefixed(utf8("holdfast/seal-key-id/v1"))).digest(
        "hex",
      );
      assert.equal(row.sealed.length, 1 + 32 + 32 + 16);
      assert.deepEqual({ ...row, sealed: null, mac: row.mac.length }, {
        id: "slot_first",
        source: "simulated",
        api: null,
        version: 1,
        seal_key_id: id,
        sealed: null,
        threshold: null,
        shares: null,
        share_hashes: null,
        created_at: NOW,
        opened_at: null,
        mac: 32,
      });
      assert.equal(addressOf(await openWith(db, KEY)), address);
      assert.deepEqual(await db.selectFrom("seal_slot").selectAll().execute(), [row]);
    });
  });

  test("stores the seed of the random source, never in plain text", async () => {
    await inFolder(async (folder) => {
      const seed = Uint8Array.from({ length: 32 }, (_, index) => 0xa0 + index);
      const drawn = [new Uint8Array(32).fill(0x55), seed.slice()];
      const db = await openDatabase(await openSqlite(join(folder, "a.db")));
      const source = { tee: teeWith(KEY), primitives, now: NOW, random: () => drawn.shift()! };
      const { vault } = await openOrMakeSeed(db, source);
      assert.equal(addressOf(vault), addressOf(new Vault({ seed, primitives, random })));
      await closeDatabase(db);
      const all = Object.values(bytesIn(folder)).join("");
      assert.ok(all.includes("55".repeat(32)), "The salt is not where the seed would be looked for");
      assert.ok(!all.includes(seed.subarray(0, 8).toHex()));
      assert.ok(!all.includes(KEY.subarray(0, 8).toHex()));
    });
  });

  test("creates another seed for another database", async () => {
    const addresses: string[] = [];
    for (let count = 0; count < 2; count++) {
      await withDatabase(async (db) => void addresses.push(addressOf(await openWith(db, KEY))));
    }
    assert.notEqual(addresses[0], addresses[1]);
  });

  test("wipes the sealing keys that it got and the seed that it drew", async () => {
    await withDatabase(async (db) => {
      const tee = teeWith(KEY);
      const drawn: Uint8Array[] = [];
      const recording = (length: number) => {
        drawn.push(random(length));
        return drawn.at(-1)!;
      };
      await openOrMakeSeed(db, { tee, primitives, now: NOW, random: recording });
      assert.equal(tee.given.length, 2);
      for (const key of tee.given) assert.ok(key.every((byte) => byte === 0));
      assert.ok(drawn[1]!.every((byte) => byte === 0));
    });
  });

  test("has wiped each sealing key before anything else is awaited", async () => {
    await withDatabase(async (db) => {
      const tee = teeWith(KEY);
      const wiped: boolean[] = [];
      const watching = {
        ...primitives,
        hmacSha256: (...parts: Parameters<typeof primitives.hmacSha256>) => {
          // The job has derived the key's id first. One microtask turn later the key is wiped.
          const key = tee.given.at(-1)!;
          queueMicrotask(() => wiped.push(key.every((byte) => byte === 0)));
          return primitives.hmacSha256(...parts);
        },
      };
      await openOrMakeSeed(db, { tee, primitives: watching, random, now: NOW });
      assert.ok(wiped.length >= 2 && wiped.every((isWiped) => isWiped), wiped.join());
    });
  });

  test("returns one seed to concurrent starts in one process", async () => {
    await withDatabase(async (db) => {
      const vaults = await Promise.all(Array.from({ length: 8 }, () => openWith(db, KEY)));
      assert.equal(new Set(vaults.map(addressOf)).size, 1);
    });
  });

  test(
    "creates one seed and one key file for processes that start at once",
    { timeout: 120_000 },
    async () => {
      const commands = Object.values(runtimes());
      await inFolder(async (folder) => {
        const program = new URL("./program/open-vault.ts", import.meta.url);
        const ended = await Promise.all(
          [...commands, ...commands].map((command) =>
            runProgram(command, program, join(folder, "a.db"), join(folder, "key"))
          ),
        );
        for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
        assert.equal(new Set(ended.map(({ stdout }) => stdout)).size, 1);
        assert.match(ended[0]!.stdout, /^[0-9a-f]{40}\n$/);
        assert.deepEqual(readdirSync(folder).sort(), ["a.db", "key"]);
      });
    },
  );
});

describe("openOrMakeSeed() refuses", () => {
  test("another sealing key, and changes no byte of the database", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const first = await openDatabase(await openSqlite(path));
      const address = addressOf(await openWith(first, KEY));
      await closeDatabase(first);
      const db = await openDatabase(await openSqlite(path));
      const before = bytesIn(folder);
      await assert.rejects(openWith(db, OTHER_KEY), refusal("wrong_sealing_key"));
      assert.deepEqual(bytesIn(folder), before);
      assert.equal(addressOf(await openWith(db, KEY)), address);
      await closeDatabase(db);
    });
  });

  test("a sealing key that is not 32 bytes or is all zeros, and writes nothing", async () => {
    await withDatabase(async (db) => {
      for (const key of [new Uint8Array(), KEY.slice(1), new Uint8Array(33).fill(1), new Uint8Array(32)]) {
        await assert.rejects(openWith(db, key), refusal("sealing_key_unavailable"));
      }
      assert.deepEqual(await db.selectFrom("seal_slot").selectAll().execute(), []);
    });
  });

  test("a TEE that returns no sealing key, and keeps the cause", async () => {
    await withDatabase(async (db) => {
      const cause = new TeeUnavailableError("Cannot get sealing key: no answer");
      const tee: Tee = { ...teeWith(KEY), sealingKey: () => Promise.reject(cause) };
      await assert.rejects(openOrMakeSeed(db, { tee, primitives, random, now: NOW }), (error: Error) => {
        refusal("sealing_key_unavailable")(error);
        return error.cause === cause;
      });
      assert.deepEqual(await db.selectFrom("seal_slot").selectAll().execute(), []);
    });
  });

  test("a database that has rows but no seed, and writes none", async () => {
    const account = {
      id: "account_1",
      email: null,
      name: null,
      language: "en",
      created_at: NOW,
      mac: new Uint8Array(32),
    };
    const entry = { seq: 1, at: NOW, event: "x", account_id: null, subject: null, detail: "{}" };
    const inserts: ((db: Db) => Promise<unknown>)[] = [
      (db) => db.insertInto("account").values(account).execute(),
      (db) =>
        db.insertInto("audit_event").values({ ...entry, hash: new Uint8Array(), mac: new Uint8Array() })
          .execute(),
    ];
    for (const insert of inserts) {
      await withDatabase(async (db) => {
        await insert(db);
        await assert.rejects(openWith(db, KEY), refusal("seed_missing"));
        assert.deepEqual(await db.selectFrom("seal_slot").selectAll().execute(), []);
      });
    }
  });

  const EDITS:
    readonly (readonly [what: string, code: VaultRefusalCode, edit: (db: Db) => Promise<unknown>])[] = [
      ["a seed with a changed byte", "seed_damaged", async (db) => {
        const { sealed } = await db.selectFrom("seal_slot").select("sealed").executeTakeFirstOrThrow();
        await db.updateTable("seal_slot").set({ sealed: sealed.with(40, sealed[40]! ^ 1) }).execute();
      }],
      [
        "an empty seed",
        "seed_damaged",
        (db) => db.updateTable("seal_slot").set({ sealed: new Uint8Array() }).execute(),
      ],
      ["a seed with the id of another key", "wrong_sealing_key", async (db) => {
        const id = await sealKeyIdOf(teeWith(OTHER_KEY), primitives);
        await db.updateTable("seal_slot").set({ seal_key_id: id }).execute();
      }],
    ];
  for (const [what, code, edit] of EDITS) {
    test(what, async () => {
      await withDatabase(async (db) => {
        await openWith(db, KEY);
        await edit(db);
        const before = await db.selectFrom("seal_slot").selectAll().execute();
        await assert.rejects(openWith(db, KEY), refusal(code));
        assert.deepEqual(await db.selectFrom("seal_slot").selectAll().execute(), before);
      });
    });
  }

  test("a seed of another version, and says so", async () => {
    await withDatabase(async (db) => {
      await openWith(db, KEY);
      await db.updateTable("seal_slot").set({ version: 2 }).execute();
      await assert.rejects(openWith(db, KEY), {
        code: "seed_damaged",
        message: /^Cannot open vault: the sealed seed is of an unknown version; slots: slot_first/,
      });
    });
  });

  test("a seed that is encrypted with another key and has the right id", async () => {
    await withDatabase(async (db) => {
      await openWith(db, OTHER_KEY);
      const id = await sealKeyIdOf(teeWith(KEY), primitives);
      await db.updateTable("seal_slot").set({ seal_key_id: id }).execute();
      await assert.rejects(openWith(db, KEY), refusal("seed_damaged"));
    });
  });
});

describe("sealKeyIdOf()", () => {
  test("returns the same id for the same key, another for another, and wipes the key", async () => {
    const tee = teeWith(KEY);
    const id = await sealKeyIdOf(tee, primitives);
    assert.match(id, /^[0-9a-f]{64}$/);
    assert.equal(await sealKeyIdOf(tee, primitives), id);
    assert.notEqual(await sealKeyIdOf(teeWith(OTHER_KEY), primitives), id);
    for (const given of tee.given) assert.ok(given.every((byte) => byte === 0));
  });
});
