import { type Examination, examine, type Soundness } from "../../audit/examine-database.ts";
import { closeDatabase, connectDatabase } from "../../db/database.ts";
import type { Db } from "../../db/schema/schema.ts";
import { type DatabaseLocation, openEngineToRead, openScratch } from "./database.ts";
import { StartRefusal } from "../process/refusal.ts";

export type FileExamination = Omit<Examination, "scratch">;

export function examineOpen(
  db: Db,
  location: DatabaseLocation,
  examination: FileExamination,
): Promise<Soundness> {
  return examine(db, { ...examination, scratch: () => openScratch(location) });
}

/** Examines a database, which may be in use, without changing it. */
export async function examineDatabase(
  location: DatabaseLocation,
  examination: FileExamination,
): Promise<Soundness> {
  const db = connectDatabase(await openEngineToRead(location));
  try {
    return await examineOpen(db, location, examination);
  } finally {
    await closeDatabase(db);
  }
}

/** Throws `StartRefusal` with all faults. `what` is the subject of the sentence: `The database` … */
export function refuseUnsound(what: string, { faults }: Soundness): void {
  if (faults.length === 0) return;
  throw new StartRefusal(`${what} is not sound: ${faults.map(({ text }) => text).join("; ")}`);
}
