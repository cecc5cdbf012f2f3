import { writeSync } from "node:fs";
import process from "node:process";

const STANDARD_OUTPUT = 1;

const state = { isPrinting: false, isLogging: false, isStuck: false };

/** Exits 1 if the text cannot be written, because the reader has gone (`| head`) or the disk is full. */
export function printResult(text: string): void {
  if (!state.isPrinting) process.stdout.on("error", exitUnwritable);
  state.isPrinting = true;
  try {
    process.stdout.write(text);
  } catch (error) {
    exitUnwritable(error);
  }
}

function exitUnwritable(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EPIPE") process.stderr.write(`holdfast: Cannot write to standard output (${code})\n`);
  process.exit(1);
}

/** Loses the output and continues if the reader has gone or the disk is full. */
export function printLog(text: string): void {
  if (!state.isLogging) {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  }
  state.isLogging = true;
  try {
    // On one runtime a stream to a file throws when the disk is full, and then buffers its input for ever.
    if (state.isStuck) writeSync(STANDARD_OUTPUT, text);
    else process.stdout.write(text);
  } catch {
    state.isStuck = true;
  }
}
