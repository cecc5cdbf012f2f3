import { renameSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { startAgain } from "../../../src/runtime/child-process.ts";

// Deletes or replaces the runtime's own file and starts itself again: `start-again.ts deletion|replacement RUNTIME`.

const [act, place] = process.argv.slice(2);
if (act === "again") {
  console.log("started again");
} else {
  if (act === "deletion") {
    rmSync(place!);
  } else {
    writeFileSync(`${place}.new`, "#!/bin/sh\necho another program\n", { mode: 0o755 });
    renameSync(`${place}.new`, place!);
  }
  const child = startAgain(["again"], {});
  for await (const chunk of child.output) process.stdout.write(chunk);
  process.exit(await child.ended);
}
