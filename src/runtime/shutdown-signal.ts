import { readFileSync } from "node:fs";
import process from "node:process";

/** Signals of a process manager, of Ctrl-C, and of a closed terminal or connection. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export type ShutdownSignal = typeof SIGNALS[number];

/** Returns true if SIGHUP is ignored. Only Linux tells. Deno ends on an ignored SIGHUP unless it has a listener. */
function outlivesTerminal(): boolean {
  if (process.versions["bun"] === undefined) return false;
  try {
    // A hexadecimal mask. SIGHUP is signal 1, the lowest bit.
    return /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync("/proc/self/status", "utf8"));
  } catch {
    return false;
  }
}

export function shutdownSignals(): readonly ShutdownSignal[] {
  return outlivesTerminal() ? SIGNALS.filter((signal) => signal !== "SIGHUP") : SIGNALS;
}

/**
 * Calls back once, on the first SIGTERM, SIGINT or SIGHUP. Then restores the default action, so that a second signal
 * ends the process. Returns a function that stops listening.
 */
export function onShutdownSignal(callback: (signal: ShutdownSignal) => void): () => void {
  const heard = shutdownSignals().map((signal) => {
    const listen = (): void => {
      stopListening();
      callback(signal);
    };
    process.on(signal, listen);
    return { signal, listen };
  });
  const stopListening = (): void => heard.forEach(({ signal, listen }) => void process.off(signal, listen));
  return stopListening;
}
