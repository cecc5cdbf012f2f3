import process from "node:process";
import { closeDatabase, openDatabase } from "../../../src/db/database.ts";
import { primitives } from "../../../src/runtime/crypto.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { openSimulatedTee } from "../../../src/tee/simulated/simulated.ts";
import { openOrMakeSeed } from "../../../src/vault/seed.ts";

const [databasePath, keyFile] = process.argv.slice(2) as [string, string];
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

const tee = await openSimulatedTee({ keyFile, random });
const db = await openDatabase(await openSqlite(databasePath));
const { vault } = await openOrMakeSeed(db, { tee, primitives, random, now: 0 });
console.log(vault.ethereumPublicKey("account_1", 0).address.toHex());
await closeDatabase(db);
