import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** File descriptors that other parts of the process may open at the moment when a connection is accepted. */
const SPARE = 4;
/** Milliseconds between two checks without a connection. */
const INTERVAL = 1000;

/** Returns true if the process can open `SPARE` more files. Takes 40 µs. Deno may not read the limit itself. */
function hasSpare(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < SPARE) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

export interface DescriptorWatch {
  /** Checks the descriptors, once in a turn of the event loop. Call it for each accepted connection. */
  check(): void;
  stop(): void;
}

/**
 * Calls `recover` once file descriptors are free again after they ran out, and again a second after it rejected.
 * Deno's node:http then accepts no connection any more and emits no event (seen in 2.9.5). It accepts all waiting
 * connections before it emits the first, so that one check then sees if they took the last descriptor.
 */
export function watchDescriptors(recover: () => Promise<void>): DescriptorWatch {
  let isChecked = false;
  let ranOut = false;
  const timer = setInterval(() => {
    if (!hasSpare()) ranOut = true;
    else if (ranOut) {
      ranOut = false;
      recover().catch(() => ranOut = true);
    }
  }, INTERVAL);
  return {
    check() {
      if (isChecked) return;
      isChecked = true;
      setImmediate(() => isChecked = false);
      if (!hasSpare()) ranOut = true;
    },
    stop: () => clearInterval(timer),
  };
}
