import type { Environment } from "../config/config.ts";
import { lowerPriority } from "../runtime/child-process.ts";
import { sqliteLocation } from "./open/database.ts";
import { CHECK_PAGES } from "./open/check-pages.ts";
import { examineDatabase, refuseUnsound } from "./open/examine-database.ts";
import { readArguments } from "./process/arguments.ts";

export const CHECK_PAGES_USAGE = `${CHECK_PAGES} FILE`;

/** Checks all pages, indexes and references of a file, which may be in use. Throws `StartRefusal` with the faults. */
export async function checkPages(_: Environment, list: readonly string[]): Promise<void> {
  const { operands: [path] } = readArguments(list, { operands: ["FILE"] });
  lowerPriority();
  const found = await examineDatabase(sqliteLocation(path!), { parts: ["pages"] });
  refuseUnsound(`The database ${path}`, found);
}
