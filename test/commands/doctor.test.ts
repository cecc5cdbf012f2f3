import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { recordFault } from "../../src/audit/rollback.ts";
import { formatLogFault, stop, watchOf } from "../../src/audit/log-head.ts";
import { acknowledge } from "../../src/commands/acknowledge-rollback.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import { writeDiagnosis } from "../../src/commands/doctor.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { parseIpNetwork } from "../../src/lib/ip-address.ts";
import { makePushKeyPair } from "../../src/push/keys.ts";
import { editFile } from "../support/hostile-file.ts";
import { addMigration, LATER } from "../support/later-migration.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contents, makeKey, makeSealed, MEANS, NOW, placesIn, started, useKey } from "./fixture.ts";
import { programs, runCommand, skipReason, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

describe("diagnose()", () => {
  test("finds no fault, changes nothing, and describes the service", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const before = contents(folder.path);
    const found = await diagnose(places, MEANS);
    assert.deepEqual(contents(folder.path), before);
    assert.deepEqual(found.faults, []);
    assert.deepEqual([found.provider, found.inTee, found.sealMatches], ["simulated", false, true]);
    assert.equal(found.sealKeyId, found.databaseSealKeyId);
    assert.deepEqual([found.quote?.version, found.quote?.isUnderDebug], [4, false]);
    assert.match(found.quote!.tdAttributes, /^[0-9a-f]{16}$/);
    assert.deepEqual(found.keySource, {
      name: "file",
      survivesUpgrades: "depends",
      place: join(folder.path, "simulated-sealing-key"),
    });
    assert.deepEqual([found.schema?.pending, found.schema?.unknown], [[], []]);
    assert.deepEqual([found.audit?.entries, found.audit?.fault], [3, null]);
    assert.deepEqual(found.clearSigning, { files: 0, formats: 0, leftOut: [] });
    assert.match(writeDiagnosis(found), /\nseal matches +yes\n(?:.*\n)+all is well\n$/);
  });

  test("counts the descriptors of CLEAR_SIGNING_DIR, and names each that is left out", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const clearSigningDir = join(folder.path, "clear");
    mkdirSync(clearSigningDir);
    writeFileSync(join(clearSigningDir, "eip712-a.json"), "{}");
    const found = await diagnose({ ...places, clearSigningDir }, MEANS);
    const reason = "$schema is not version 2 of ERC-7730";
    assert.deepEqual(found.clearSigning, {
      files: 0,
      formats: 0,
      leftOut: [{ path: "eip712-a.json", reason }],
    });
    assert.deepEqual(found.faults, []);
    const lines = writeDiagnosis(found).split("\n").map((line) => line.replace(/ {2,}/, ": "));
    assert.ok(lines.includes("clear signing: 0 descriptors of 0 functions and types, 1 left out"));
    assert.ok(lines.includes(`left out: eip712-a.json: ${reason}`));
    const missing = await diagnose({ ...places, clearSigningDir: join(folder.path, "none") }, MEANS);
    assert.deepEqual(missing.faults, ["CLEAR_SIGNING_DIR cannot be read: ENOENT"]);
  });

  test("says which server is used, and why", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const onBun = "Bun" in globalThis;
    const network = (text: string) => [parseIpNetwork(text)!];
    const cases = [
      [{ host: "127.0.0.1", trustedProxies: network("127.0.0.0/8") }, "Deno.serve"],
      [{ host: "::1", trustedProxies: network("::1") }, "Deno.serve"],
      [{ host: "127.0.0.1", trustedProxies: network("127.0.0.0/8"), processes: 2 }, "node:http"],
      [{ host: "127.0.0.1", trustedProxies: network("10.0.0.0/8") }, "node:http"],
      [{ host: "127.0.0.1", trustedProxies: [] }, "node:http"],
      [{ host: "10.0.0.1", trustedProxies: network("10.0.0.0/8") }, "node:http"],
      [{ host: "0.0.0.0", trustedProxies: network("127.0.0.0/8") }, "node:http"],
    ] as const;
    for (const [options, server] of cases) {
      const found = await diagnose({ ...places, ...options }, MEANS);
      assert.equal(found.server.name, onBun ? "Bun.serve" : server);
      assert.match(writeDiagnosis(found), new RegExp(`\nserver +${found.server.name}: `));
    }
  });

  test("says if push messages are on, and reports keys that do not belong together", async () => {
    using folder = temporaryFolder();
    const places = { ...await makeSealed(folder.path), baseUrl: "https://id.example.com" };
    const none = { wanted: undefined, publicKey: undefined, contact: undefined };
    const { publicKey, privateKey: pushPrivateKey } = await makePushKeyPair();
    const push = { wanted: undefined, publicKey, contact: "mailto:ops@example.com" };
    assert.equal((await diagnose({ ...places, push: none }, MEANS)).push, "off");
    const found = await diagnose({ ...places, push }, { ...MEANS, pushPrivateKey });
    assert.equal(found.push, "on");
    assert.match(writeDiagnosis(found), /\npush messages +on\n/);
    const { privateKey: other } = await makePushKeyPair();
    const wrong = await diagnose({ ...places, push }, { ...MEANS, pushPrivateKey: other });
    assert.equal(wrong.push, null);
    assert.match(wrong.faults.at(-1)!, /^PUSH_PRIVATE_KEY is not the key of PUSH_PUBLIC_KEY/);
    assert.deepEqual(readdirSync(folder.path).filter((name) => name.startsWith("push")), []);
  });

  test("works while a service runs", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const running = await openConfiguredVault(places, MEANS);
    assert.deepEqual((await diagnose(places, MEANS)).faults, []);
    await closeDatabase(running.db);
  });

  test("reports a missing key and database, and creates none", async () => {
    using folder = temporaryFolder();
    const found = await diagnose(placesIn(folder.path), MEANS);
    assert.match(found.faults.join("\n"), /sealing-key is missing[^]*There is no database/);
    assert.deepEqual([found.provider, found.schema, found.audit, found.sealMatches], [
      null,
      null,
      null,
      null,
    ]);
    assert.deepEqual(contents(folder.path), {});
  });

  test("reports a wrong key, and omits what it cannot read", async () => {
    using folder = temporaryFolder();
    using keys = temporaryFolder();
    const places = await makeSealed(folder.path);
    useKey(places, makeKey(join(keys.path, "other")));
    const found = await diagnose(places, MEANS);
    assert.equal(found.sealMatches, false);
    assert.match(found.faults.join(), /is not the one that sealed the database/);
    assert.equal(found.audit, null);
    assert.deepEqual(found.schema?.pending, []);
    assert.deepEqual(found.clearSigning, { files: 0, formats: 0, leftOut: [] });
    assert.match(writeDiagnosis(found), /\nseal matches +NO\n[^]*\nfault: The current sealing key/);
  });

  const EDITS:
    readonly (readonly [what: string, edit: (db: Db) => Promise<unknown>, ...faults: readonly RegExp[]])[] = [
      [
        "an edited row",
        (db) => db.updateTable("account").set({ email: "thief@example.com" }).execute(),
        /1 of 1 rows of account/,
        /rows of account of acct_1 are missing, or are not the newest/,
      ],
      ["a gap in the audit log", async (db) => {
        const entry = await db.selectFrom("audit_event").selectAll().orderBy("seq").executeTakeFirstOrThrow();
        await db.insertInto("audit_event").values({ ...entry, seq: 9 }).execute();
      }, /audit log is broken: entry 4 is missing/],
      [
        "a damaged seed",
        (db) => db.updateTable("seal_slot").set({ sealed: new Uint8Array(81) }).execute(),
        /was changed/,
      ],
      [
        "a newer schema",
        (db) =>
          db.insertInto("kysely_migration" as never).values({ name: "9999_x", timestamp: "" } as never)
            .execute(),
        /newer version wrote the database: migration 9999_x/,
      ],
    ];
  for (const [what, edit, ...expected] of EDITS) {
    test(`finds ${what}`, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      await started(places, ({ db }) => edit(db));
      const { faults } = await diagnose(places, MEANS);
      assert.equal(faults.length, expected.length);
      for (const [index, fault] of expected.entries()) assert.match(faults[index]!, fault);
    });
  }

  test("reports that signing has stopped, and why, until the operator acknowledges it", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    await started(places, async ({ db, vault }) => {
      stop(watchOf(db), "cut", 9);
      await recordFault(db, vault, NOW);
    });
    assert.deepEqual((await diagnose(places, MEANS)).faults, [
      `the service has stopped: in its audit log ${formatLogFault({ reason: "cut", entry: 9 })}`,
    ]);
    await acknowledge(places, MEANS);
    assert.deepEqual((await diagnose(places, MEANS)).faults, []);
  });

  test("names a build before the first release", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    editFile(places.databasePath, "insert into kysely_migration values ('0002_oauth', '')");
    const found = writeDiagnosis(await diagnose(places, MEANS));
    assert.match(found, /\nschema +0002_oauth \(of a build before the first release\)\n/);
    assert.match(
      found,
      /\nfault: a build before the first release made the database, .*, and keep the old ones\n$/,
    );
  });

  test("names the migrations that the next start adds, without a fault", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    using _ = addMigration();
    const found = await diagnose(places, MEANS);
    assert.deepEqual([found.faults, found.schema?.pending], [[], [LATER]]);
    assert.ok(writeDiagnosis(found).includes(`the next start adds ${LATER}`));
  });
});

for (const [name, program] of Object.entries(programs())) {
  test(`holdfast doctor as ${titleOf(name)} exits 0 without a fault and 1 with the faults`, {
    ...TIMEOUT,
    skip: skipReason(program),
  }, async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const well = await runCommand(program, folder.path, "doctor");
    assert.deepEqual([well.code, well.stderr], [0, ""]);
    assert.match(well.stdout, /^provider +simulated\n[^]*\nall is well\n$/);
    useKey(places, undefined);
    const ill = await runCommand(program, folder.path, "doctor", "--json");
    assert.deepEqual([ill.code, ill.stderr], [1, ""]);
    assert.match(JSON.parse(ill.stdout).faults[0], /sealing-key is missing/);
  });
}
