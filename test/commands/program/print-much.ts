/** Prints more than a pipe buffers, in pieces, and reports on standard error that it got that far. */
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { printLog, printResult } from "../../../src/commands/process/print.ts";

const print = { answer: printResult, log: printLog }[process.argv[2] as "answer" | "log"];
for (let piece = 0; piece < 4; piece++) {
  print("x".repeat(100_000) + "\n");
  await setTimeout(50);
}
process.stderr.write("went on\n");
