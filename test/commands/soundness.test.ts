import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { diagnose } from "../../src/commands/diagnose.ts";
import { refusalsOf } from "../../src/commands/process/refusal.ts";
import { restoreDatabase } from "../../src/commands/restore.ts";
import { inspectAudit } from "../../src/commands/verify-audit.ts";
import { getSealKeyIds } from "../../src/commands/open/data-folder.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { settleSqlite } from "../../src/runtime/sqlite/backup.ts";
import { editAudit, editBehindIndex, editFile, editSchema, preferIndex } from "../support/hostile-file.ts";
import { addMigration } from "../support/later-migration.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contents, makeSealed, MEANS, placesIn } from "./fixture.ts";
import { programs, rowsFor, runCommand, skipReason, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

/** The refusal of each command that checks a database, or nothing if the command continues. */
const ANSWERS = {
  start: async (places, _aside) => {
    await closeDatabase((await openConfiguredVault(places, MEANS)).db);
    return [];
  },
  doctor: async (places, _aside) => (await diagnose(places, MEANS)).faults,
  backup: async (places, aside) => {
    await backupDatabase(places, join(aside, "backup"), MEANS);
    return [];
  },
  restore: async (places, aside) => {
    const file = join(aside, "restored");
    copyFileSync(places.databasePath, file);
    await restoreDatabase(places, file, "dry-run", MEANS);
    return [];
  },
  "verify-audit": async (places, _aside) => {
    await getSealKeyIds(places);
    return (await inspectAudit(places, {})).faults.map(({ text }) => text);
  },
} as const satisfies Readonly<
  Record<string, (places: StorageConfig, aside: string) => Promise<readonly string[]>>
>;

type Asked = keyof typeof ANSWERS;

const ALL: readonly Asked[] = ["start", "doctor", "backup", "restore", "verify-audit"];

async function ask(command: Asked, places: StorageConfig): Promise<string> {
  using aside = temporaryFolder();
  try {
    return (await ANSWERS[command](places, aside.path)).join("; ");
  } catch (error) {
    return refusalsOf(error)?.join("; ") ?? `no refusal: ${error}`;
  } finally {
    if (command === "backup") assert.ok(readdirSync(aside.path).every((name) => name === "backup"));
  }
}

/** Restores the form that `backup` writes: switching the write-ahead log on changes the first page. */
function settle({ dataDir, databasePath }: StorageConfig): void {
  assert.equal(settleSqlite(databasePath), "settled");
  rmSync(join(dataDir, "holdfast.db.lock"), { force: true });
}

interface Edit {
  readonly edit: (path: string) => void;
  readonly fault: RegExp;
  /** The commands that detect it. The others continue. */
  readonly found: readonly Asked[];
}

const ROWS: readonly Asked[] = ["doctor", "restore"];
const PAGES: readonly Asked[] = ["start", "doctor", "backup", "restore"];
const SEED: readonly Asked[] = ["start", "doctor", "restore", "verify-audit"];
const CHAIN: readonly Asked[] = ["doctor", "restore", "verify-audit"];

const EDITS: Readonly<Record<string, Edit>> = {
  "a trigger that restores deleted sessions": {
    edit: (path) =>
      editFile(
        path,
        "create trigger put_back after delete on session begin insert into session select old.*; end",
      ),
    fault: /unknown in the schema: trigger "put_back"/,
    found: ALL,
  },
  "the audit log without its own triggers": {
    edit: (path) =>
      editFile(path, "drop trigger audit_event_no_delete", "drop trigger audit_event_no_update"),
    fault: /missing in the schema: trigger "audit_event_no_.*missing in the schema: trigger "audit_event_no_/,
    found: ALL,
  },
  "a covering index that lies": {
    edit: (path) => {
      editFile(path, "create index lie on account (id, email, name, created_at, mac)");
      preferIndex(path, "account", "lie");
      editBehindIndex(path, "lie", "update account set email = 'thief@example.com'");
    },
    fault: /unknown in the schema: index "lie"/,
    found: ALL,
  },
  "a view in the place of a table": {
    edit: (path) =>
      editFile(path, "alter table session rename to hidden", "create view session as select * from hidden"),
    fault: /unknown in the schema: view "session"/,
    found: ALL,
  },
  "a table whose rules were taken away": {
    edit: (path) =>
      editSchema(path, "update sqlite_master set sql = replace(sql, ') strict', ')') where name = 'session'"),
    fault: /changed in the schema: table "session"/,
    found: ALL,
  },
  "a migration of a build before the first release": {
    edit: (path) => editFile(path, "insert into kysely_migration values ('0002_oauth', '')"),
    fault: /a build before the first release made the database/,
    found: ALL,
  },
  "a migration of a newer version": {
    edit: (path) => editFile(path, "insert into kysely_migration values ('9999_x', '')"),
    fault: /a newer version wrote the database: migration 9999_x is unknown here/,
    found: ALL,
  },
  "an index that lost an entry": {
    edit: (path) =>
      editBehindIndex(path, "outbox_expires_at", "insert into outbox values ('mail_1', x'00', 1, 1, 0, 0)"),
    fault: /the database is damaged: .*outbox_expires_at/,
    found: PAGES,
  },
  "a damaged seed": {
    edit: (path) => editFile(path, "update seal_slot set sealed = zeroblob(81)"),
    fault: /the sealed seed was changed/,
    found: SEED,
  },
  "a seed of a version that is no safe number": {
    edit: (path) => editFile(path, "update seal_slot set version = 9223372036854775807"),
    fault: /the sealed seed is of an unknown version/,
    found: SEED,
  },
  "a seed whose key has no id": {
    edit: (path) => editFile(path, "update seal_slot set seal_key_id = '0123\n\x1b[2Jseal matches yes'"),
    fault: /names no sealing key/,
    found: ALL,
  },
  "a row below zero that the service did not write": {
    edit: (path) =>
      editFile(
        path,
        "insert into account (rowid, id, created_at, mac) values (-5, 'acct_thief', 0, zeroblob(32))",
      ),
    fault: /the service did not write 1 of 2 rows of account/,
    found: ROWS,
  },
  "a changed entry of the audit log": {
    edit: (path) => editAudit(path, "update audit_event set subject = 'x' where seq = 1"),
    fault: /the audit log is broken: entry 1 is altered/,
    found: CHAIN,
  },
};

describe("soundness", () => {
  for (const [title, { edit, fault, found }] of Object.entries(EDITS)) {
    test(`of ${title}: ${found.join(", ")} report it, and no command changes a byte`, TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      edit(places.databasePath);
      settle(places);
      const before = contents(folder.path);
      // The start comes last, because it alone writes if it continues.
      for (const command of ALL.toReversed()) {
        const answer = await ask(command, places);
        if (found.includes(command)) assert.match(answer, fault, command);
        else assert.equal(answer, "", command);
        if (command !== "start" || found.includes(command)) {
          assert.deepEqual(contents(folder.path), before, command);
        }
      }
    });
  }

  const OLDER: readonly string[] = [
    "a trigger that restores deleted sessions",
    "a damaged seed",
    "a seed whose key has no id",
    "an index that lost an entry",
  ];
  for (const title of OLDER) {
    test(
      `of ${title} in an older version's database: a start refuses before it is migrated`,
      TIMEOUT,
      async () => {
        using folder = temporaryFolder();
        const places = await makeSealed(folder.path);
        using _ = addMigration();
        const { edit, fault } = EDITS[title]!;
        edit(places.databasePath);
        settle(places);
        const before = contents(folder.path);
        assert.match(await ask("start", places), fault);
        assert.deepEqual(contents(folder.path), before);
        assert.match(await ask("restore", places), fault);
        assert.deepEqual(contents(folder.path), before);
      },
    );
  }

  test(
    "of an older version's database: a start and a restore migrate it",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      using _ = addMigration();
      settle(places);
      for (const command of ALL.toReversed()) assert.equal(await ask(command, places), "", command);
      assert.deepEqual((await diagnose(places, MEANS)).schema?.pending, []);
    },
  );

  test(
    "of a file prepared by an attacker before the first start: it refuses, and creates no key",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      const places = placesIn(join(folder.path, "data"));
      const databasePath = join(folder.path, "trap.db");
      editFile(databasePath, "create view trap as select 1");
      const before = contents(folder.path);
      assert.match(await ask("start", { ...places, databasePath }), /unknown in the schema: view "trap"/);
      assert.deepEqual(contents(folder.path), before);
      assert.equal(existsSync(places.dataDir), false);
    },
  );
});

/** Names that would forge or overwrite lines if they were printed unescaped. */
const HOSTILE: readonly (readonly [what: string, statement: string])[] = [
  [
    "the id of the sealing key",
    "update seal_slot set seal_key_id = 'ab\n\x1b[1A\x1b[2Kall is well\r\x9b2K'",
  ],
  ["a table's name", 'create table "x\n\x1b[1A\x1b[2Kall is well\r\x9b2K\u202e" (id text)'],
  [
    "a migration's name",
    "insert into kysely_migration values ('9999\n\x1b[1A\x1b[2Kall is well\r\x9b2K', '')",
  ],
];

for (const [name, program] of Object.entries(programs())) {
  describe(`hostile text in a file, as ${titleOf(name)} prints it`, { skip: skipReason(program) }, () => {
    for (const [what, statement] of rowsFor(name, HOSTILE)) {
      test(`${what} is printed escaped`, TIMEOUT, async () => {
        using folder = temporaryFolder();
        const places = await makeSealed(folder.path);
        editFile(places.databasePath, statement);
        const file = join(folder.path, "backup");
        for (
          const list of [["doctor"], ["doctor", "--json"], ["backup", file], ["verify-audit"], ["serve"]]
        ) {
          const { code, stdout, stderr } = await runCommand(program, folder.path, ...list);
          assert.ok(code === 1 || code === 2, `${list.join(" ")}: ${code}`);
          assert.match(stdout + stderr, /^[\n\x20-\x7e]+$/, list.join(" "));
          assert.doesNotMatch(stdout + stderr, /^\W*all is well/m, list.join(" "));
        }
      });
    }
  });
}
