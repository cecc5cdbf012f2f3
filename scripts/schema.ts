import { writeFileSync } from "node:fs";
import { formatExpectedSchema } from "../src/db/schema-check.ts";
import { IN_MEMORY, openSqlite } from "../src/runtime/sqlite/open.ts";
import { readArguments } from "./arguments.ts";

// `npm run schema`: writes the schema that a start compares a SQLite file with. A test compares it.
readArguments("bun scripts/schema.ts");
const text = await formatExpectedSchema(() => openSqlite(IN_MEMORY));
writeFileSync(new URL("../generated/schema.json", import.meta.url), text);
