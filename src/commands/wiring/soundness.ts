import { examine } from "../../audit/soundness.ts";
import type { Examination, Soundness } from "../../audit/soundness.ts";
import { closeDatabase, connectDatabase } from "../../db/database.ts";
import type { Db } from "../../db/schema.ts";
import { IN_MEMORY, openSqlite } from "../../runtime/sqlite.ts";
import { openSqliteToRead } from "../../runtime/sqlite-read.ts";
import { StartRefusal } from "../refusal.ts";

/** How a database file is looked at. */
export type FileExamination = Omit<Examination, "scratch">;

/** Looks at a database that is open (`examine`). */
export function examineDatabase(db: Db, examination: FileExamination): Promise<Soundness> {
  return examine(db, { ...examination, scratch: () => openSqlite(IN_MEMORY) });
}

/** Looks at a database file, which may be serving, and changes no byte of it (`examine`). */
export async function examineFile(path: string, examination: FileExamination): Promise<Soundness> {
  const db = connectDatabase(openSqliteToRead(path));
  try {
    return await examineDatabase(db, examination);
  } finally {
    await closeDatabase(db);
  }
}

/** Throws `StartRefusal` with every fault that was found. `what` begins the sentence: `The database` … */
export function refuseUnsound(what: string, { faults }: Soundness): void {
  if (faults.length === 0) return;
  throw new StartRefusal(`${what} is not sound: ${faults.map(({ text }) => text).join("; ")}`);
}
