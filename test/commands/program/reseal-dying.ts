// Reseals the database of the folder in the first argument and is killed after the step in the last.
import process from "node:process";
import { resealDatabase } from "../../../src/commands/reseal.ts";
import { MEANS, placesIn } from "../fixture.ts";

const [folder, from, to, last] = process.argv.slice(2) as [string, string, string, string];
await resealDatabase(placesIn(folder), { from, to, mode: "write" }, {
  ...MEANS,
  onStep: (step) => {
    if (step === last) process.kill(process.pid, "SIGKILL");
  },
});
