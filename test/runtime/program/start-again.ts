import { rmSync } from "node:fs";
import process from "node:process";
import { startAgain } from "../../../src/runtime/child-process.ts";

// Deletes the runtime's own file and starts itself again: `start-again.ts RUNTIME`.

const [place] = process.argv.slice(2);
if (place === "again") {
  console.log("started again");
} else {
  rmSync(place!);
  const child = startAgain(["again"], {});
  for await (const chunk of child.output) process.stdout.write(chunk);
  process.exit(await child.ended);
}
