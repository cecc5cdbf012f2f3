import process from "node:process";
import { onStopRequest } from "../../../src/runtime/child-process.ts";

// A process in place of the service, for a supervisor: `stand-in.ts NUMBER [refuse]`.

const [number, manner] = process.argv.slice(2);
if (manner === "refuse") {
  process.stderr.write("holdfast: There is nothing to stand on\n");
  process.exit(2);
}
let signals = 0;
onStopRequest(() => {
  if (signals++ > 0) return;
  process.stdout.write('{"event":"finishing"}\nno end of line');
  setTimeout(() => process.exit(number === "2" ? 3 : 0), 50);
});
process.stdout.write(`{"event":"up","pid":${process.pid}}\n`);
process.stderr.write("a word\n");
process.stdout.write(`listening on http://localhost:${process.env["PORT"]}\n`);
