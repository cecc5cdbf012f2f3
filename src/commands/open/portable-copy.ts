import { verifyAudit } from "../../audit/verify.ts";
import { readAuditEnd } from "../../db/integrity-check.ts";
import type { AuditEnd } from "../../db/integrity-check.ts";
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
import { openEngine, openEngineToRead } from "./database.ts";
import type { DatabasePlace } from "./database.ts";
import { showPart } from "../process/progress.ts";
import type { Progress } from "../process/progress.ts";
import { examineDatabase, examineOpen, refuseUnsound } from "./examine-database.ts";

// The file that `backup` writes is a SQLite database whatever engine serves: from a server it is made row by row, and
// into a server it is read row by row.

/** Tells how many rows were copied. */
function rowCounter(progress: Progress | undefined): (rows: number) => void {
  let done = 0;
  return (rows) => {
    done += rows;
    progress?.show(`copying rows: ${done}`);
  };
}

/**
 * Copies the database of a server, as it is at one moment, into the empty file at `draft`. A service may be writing it
 * meanwhile. The file has the schema that the database has. Refuses a schema that is not the service's own: what another
 * shows as rows may be anything.
 */
export async function copyFromServer(
  place: DatabasePlace,
  draft: string,
  progress: Progress | undefined,
): Promise<void> {
  refuseUnsound("The database", await examineDatabase(place, { also: [] }));
  const source = connectDatabase(await openEngineToRead(place));
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
 * Fills the database of a server with what a proven copy holds, in one transaction that ends with the same proof over
 * what the server has then: every row's MAC, and the whole audit log to the same head. Whatever happens before, nothing
 * is there. Throws `StartRefusal` where the database holds anything.
 */
export async function copyToServer(
  place: DatabasePlace,
  draft: string,
  vault: Vault,
  progress: Progress | undefined,
): Promise<void> {
  const target = await openDatabase(await openEngine(place));
  const source = connectDatabase(openSqliteToRead(draft));
  try {
    refuseUnsound(`The database ${place.databasePath}`, await examineOpen(target, place, { also: [] }));
    const [tables, end] = [await listTables(source), await readAuditEnd(source)];
    await transaction(target, async (to) => {
      if (!await areEmpty(to, tables)) throw notEmpty(place);
      await copyTables(source, to, { tables, onRows: rowCounter(progress) });
      await proveRows(to, vault, progress);
      await proveChain(to, vault, end, progress);
    });
  } finally {
    await closeDatabase(source);
    await closeDatabase(target);
  }
}

export function notEmpty({ databasePath }: DatabasePlace): StartRefusal {
  return new StartRefusal(
    `The database ${databasePath} is not empty: a backup is restored into an empty one`,
  );
}

async function proveRows(db: Db, vault: Vault, progress: Progress | undefined): Promise<void> {
  const onProgress = progress && showPart(progress);
  const counts = await verifyRows(db, vault, (done) => onProgress?.("rows", done));
  const wrong = counts.find(({ forged }) => forged > 0);
  if (wrong === undefined) return;
  throw new StartRefusal(
    `The database did not keep ${wrong.forged} rows of ${wrong.kind} as they were written: nothing was restored`,
  );
}

async function proveChain(
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
