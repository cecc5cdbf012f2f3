import { writeSync } from "node:fs";
import process from "node:process";

const STANDARD_OUTPUT = 1;

const state = { isAnswering: false, isLogging: false, isStuck: false };

/**
 * Prints what a command found. Whoever reads it may have gone (`| head`), or its disk be full: then the command ends, with
 * 1, since nobody knows what it found.
 */
export function printAnswer(text: string): void {
  if (!state.isAnswering) process.stdout.on("error", endUnheard);
  state.isAnswering = true;
  try {
    process.stdout.write(text);
  } catch (error) {
    endUnheard(error);
  }
}

function endUnheard(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "EPIPE") process.stderr.write(`holdfast: Cannot write to standard output (${code})\n`);
  process.exit(1);
}

/**
 * Prints what a service has to say. A log that nobody reads any more, or whose disk is full, stops no service: what is
 * written is lost then.
 */
export function printLog(text: string): void {
  if (!state.isLogging) {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  }
  state.isLogging = true;
  try {
    // On one runtime a stream into a file throws when the disk is full, and then keeps what it is given for ever.
    if (state.isStuck) writeSync(STANDARD_OUTPUT, text);
    else process.stdout.write(text);
  } catch {
    state.isStuck = true;
  }
}
