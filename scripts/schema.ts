import { writeFileSync } from "node:fs";
import process from "node:process";
import { formatExpectedSchema, readServerDigest } from "../src/db/schema-check.ts";
import { readPostgresAddress } from "../src/lib/postgres-address.ts";
import { openPostgresScratch } from "../src/runtime/postgres/open.ts";
import { IN_MEMORY, openSqlite } from "../src/runtime/sqlite/open.ts";
import { readArguments } from "./arguments.ts";
import { startPostgres } from "./postgres.ts";

// `npm run schema`: writes the schema that a start compares a SQLite file with, and the hash of the one on a server. A
// test compares each.
readArguments("bun scripts/schema.ts");
process.umask(0o022);
const server = await startPostgres();
try {
  const address = readPostgresAddress(server.url, { password: undefined, passwordFile: undefined });
  const postgres = await readServerDigest(() => openPostgresScratch(address));
  const text = await formatExpectedSchema(() => openSqlite(IN_MEMORY), postgres);
  writeFileSync(new URL("../generated/schema.json", import.meta.url), text);
} finally {
  await server.stop();
}
