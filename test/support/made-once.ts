import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";

/**
 * What takes long to make and is the same to every test: the gate names a path beside which the first that needs it
 * leaves it to the others, of whatever process.
 */
export async function madeOnce(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
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
