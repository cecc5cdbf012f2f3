import { verifyAudit } from "../../audit/verify.ts";
import { type AuditEnd, readAuditEnd } from "../../db/integrity-check.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../db/database.ts";
import { migrate, readSchema } from "../../db/migrate.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { openSqlite } from "../../runtime/sqlite/open.ts";
import { openSqliteToRead } from "../../runtime/sqlite/read.ts";
import { areEmpty, copyTables, listTables } from "../../store/copy-tables.ts";
import { verifyRows } from "../../store/verify-rows.ts";
import type { Vault } from "../../vault/vault.ts";
import { StartRefusal } from "../process/refusal.ts";
import { type DatabaseLocation, openEngine, openEngineToRead } from "./database.ts";
import { type Progress, showPart } from "../process/progress.ts";
import { examineDatabase, examineOpen, refuseUnsound } from "./examine-database.ts";

// A backup is a SQLite database for every engine. From a server and into one it is copied row by row.

function rowCounter(progress: Progress | undefined): (rows: number) => void {
  let done = 0;
  return (rows) => {
    done += rows;
    progress?.show(`copying rows: ${done}`);
  };
}

/** Copies a snapshot while a service may be writing. Refuses a foreign schema, whose rows could be anything. */
export async function copyFromServer(
  location: DatabaseLocation,
  draft: string,
  progress: Progress | undefined,
): Promise<void> {
  refuseUnsound("The database", await examineDatabase(location, { parts: [] }));
  const source = connectDatabase(await openEngineToRead(location));
  try {
    const target = connectDatabase(await openSqlite(draft));
    try {
      await migrate(target, (await readSchema(source)).applied);
      const [tables, onRows] = [await listTables(target), rowCounter(progress)];
      await transaction(
        source,
        (from) => transaction(target, (to) => copyTables(from, to, { tables, onRows })),
      );
    } finally {
      await closeDatabase(target);
    }
  } finally {
    await closeDatabase(source);
  }
}

/**
 * Fills a server's empty database from a verified copy in one transaction. Before it commits, verifies every row's
 * MAC and the whole audit log to the same head on the server. Nothing remains after a failure. Throws `StartRefusal`
 * if the database is not empty.
 */
export async function copyToServer(
  location: DatabaseLocation,
  draft: string,
  vault: Vault,
  progress: Progress | undefined,
): Promise<void> {
  const target = await openDatabase(await openEngine(location));
  const source = connectDatabase(openSqliteToRead(draft));
  try {
    refuseUnsound(
      `The database ${location.databasePath}`,
      await examineOpen(target, location, { parts: [] }),
    );
    const [tables, end] = [await listTables(source), await readAuditEnd(source)];
    await transaction(target, async (to) => {
      if (!await areEmpty(to, tables)) throw notEmpty(location);
      await copyTables(source, to, { tables, onRows: rowCounter(progress) });
      await verifyCopiedRows(to, vault, progress);
      await verifyChain(to, vault, end, progress);
    });
  } finally {
    await closeDatabase(source);
    await closeDatabase(target);
  }
}

export function notEmpty({ databasePath }: DatabaseLocation): StartRefusal {
  return new StartRefusal(
    `The database ${databasePath} is not empty: restore a backup into an empty database`,
  );
}

async function verifyCopiedRows(db: Db, vault: Vault, progress: Progress | undefined): Promise<void> {
  const onProgress = progress && showPart(progress);
  const counts = await verifyRows(db, vault, (done) => onProgress?.("rows", done));
  const wrong = counts.find(({ forged }) => forged > 0);
  if (wrong === undefined) return;
  throw new StartRefusal(
    `The database did not keep ${wrong.forged} rows of ${wrong.kind} as they were written: nothing was restored`,
  );
}

async function verifyChain(
  db: Db,
  vault: Vault,
  end: AuditEnd,
  progress: Progress | undefined,
): Promise<void> {
  const onProgress = progress && showPart(progress);
  const { entries, head, fault } = await verifyAudit(db, vault, {
    onPage: (done) => onProgress?.("chain", done),
  });
  if (fault === undefined && `${entries}:${head.toHex()}` === end.head) return;
  throw new StartRefusal("The database did not keep the audit log as it was written: nothing was restored");
}
