import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";

/**
 * Makes a value that is slow to make and the same for every test. In the gate, the first test that needs it stores it
 * in a file for all others, also of other processes.
 */
export async function getSharedFixture(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const shared = process.env["HOLDFAST_TEST_DATABASE"];
  if (shared === undefined) return await make();
  const path = `${shared}-${name}`;
  if (existsSync(path)) return readFileSync(path);
  const made = await make();
  const unfinished = `${path}-${crypto.randomUUID()}`;
  writeFileSync(unfinished, made, { mode: 0o600 });
  renameSync(unfinished, path);
  return made;
}
