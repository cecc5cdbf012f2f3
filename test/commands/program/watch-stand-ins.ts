import process from "node:process";
import { fileURLToPath } from "node:url";
import { watchProcesses } from "../../../src/commands/serve-processes.ts";
import { startProgram } from "../../../src/runtime/child-process.ts";

// Supervises two stand-ins, of which the given one refuses: `watch-stand-ins.ts [NUMBER]`.

const STAND_IN = fileURLToPath(new URL("stand-in.ts", import.meta.url));
const RUN = process.versions["bun"] === undefined ? ["run", "--no-check", "-A"] : [];

await watchProcesses(
  {
    host: "127.0.0.1",
    port: 0,
    processes: 2,
    logLevel: "info",
    logFormat: undefined,
    metricsAddress: undefined,
  },
  process.env,
  (number, environment) => {
    const manner = String(number) === process.argv[2] ? ["refuse"] : [];
    return startProgram([process.execPath, ...RUN, STAND_IN, String(number), ...manner], environment);
  },
);
