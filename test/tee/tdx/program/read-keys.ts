import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyFileError, readKeyFile } from "../../../../src/tee/tdx/key-file.ts";

// Reads key files and prints the key of each in hex, or the error.

/** Milliseconds of swapping and reading. */
const DURATION = 500;

async function tryToRead(path: string): Promise<string> {
  try {
    return (await readKeyFile(path)).toHex();
  } catch (error) {
    if (error instanceof KeyFileError) return error.fault;
    throw error;
  }
}

/** Reads the path while a file and a link to another one replace each other there. Returns the distinct outcomes. */
async function readWhileSwapped(path: string, target: string): Promise<ReadonlySet<string>> {
  const key = Uint8Array.fromHex(await tryToRead(path));
  const end = performance.now() + DURATION;
  const seen = new Set<string>();
  const swap = async (): Promise<void> => {
    for (let turn = 0; performance.now() < end; turn++) {
      const draft = `${path}.${turn}`;
      if (turn % 2 === 0) symlinkSync(target, draft);
      else writeFileSync(draft, key, { mode: 0o600 });
      renameSync(draft, path);
      await sleep(0);
    }
  };
  const read = async (): Promise<void> => {
    while (performance.now() < end) seen.add(await tryToRead(path));
  };
  await Promise.all([swap(), read(), read(), read(), read()]);
  return seen;
}

const [how, ...paths] = process.argv.slice(2);
const outcomes = how === "swapped"
  ? await readWhileSwapped(paths[0]!, paths[1]!)
  : await Promise.all(paths.map(tryToRead));
for (const outcome of outcomes) process.stdout.write(outcome + "\n");
