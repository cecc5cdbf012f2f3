// Adds, removes and reseals slots of the database of the folder in the first argument, again and again, until it is
// killed. The other arguments are key files.
import process from "node:process";
import { refusalsOf } from "../../../src/commands/process/refusal.ts";
import { addConfiguredSlot } from "../../../src/commands/seal-add.ts";
import { listSlots } from "../../../src/commands/seal-list.ts";
import { removeConfiguredSlot } from "../../../src/commands/seal-remove.ts";
import { resealDatabase } from "../../../src/commands/reseal.ts";
import { MEANS, placesIn, random } from "../fixture.ts";

const [folder, ...files] = process.argv.slice(2) as [string, ...string[]];
const places = {
  ...placesIn(folder),
  sealSources: files.map((path) => ({ name: "file", path }) as const),
};

const pick = <T>(list: readonly T[]): T => list[random(1)[0]! % list.length]!;
const write = { mode: "write" } as const;

const CHANGES: readonly (() => Promise<unknown>)[] = [
  () => addConfiguredSlot(places, { to: `file:${pick(files)}`, ...write }, MEANS),
  async () => await removeConfiguredSlot(places, { id: pick(await listSlots(places)).id, ...write }, MEANS),
  () => resealDatabase(places, { from: `file:${pick(files)}`, to: `file:${pick(files)}`, ...write }, MEANS),
];

process.stdout.write("busy\n");
for (;;) {
  await pick(CHANGES)().catch((error: unknown) => {
    if (refusalsOf(error) === undefined) throw error;
  });
}
