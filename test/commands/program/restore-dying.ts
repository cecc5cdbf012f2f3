// Restores a file over the database of the folder in the first argument and is killed after a step.
import process from "node:process";
import { restoreDatabase } from "../../../src/commands/restore.ts";
import { MEANS, placesIn } from "../fixture.ts";

const [folder, file, last] = process.argv.slice(2) as [string, string, string];
await restoreDatabase(placesIn(folder), file, "write", {
  ...MEANS,
  onStep: (step) => {
    if (step === last) process.kill(process.pid, "SIGKILL");
  },
});
