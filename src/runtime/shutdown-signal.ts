import { readFileSync } from "node:fs";
import process from "node:process";

/** What asks a process to finish: whoever runs it, a terminal's Ctrl-C, and the end of its terminal or connection. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export type ShutdownSignal = typeof SIGNALS[number];

/**
 * Whether this process was started to outlive its terminal, as `nohup` does. Linux alone tells; and Deno ends at SIGHUP
 * whatever was ignored, unless somebody listens.
 */
function outlivesTerminal(): boolean {
  if (process.versions["bun"] === undefined) return false;
  try {
    // A mask in hexadecimal digits: SIGHUP, the first of the signals, has its lowest bit.
    return /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync("/proc/self/status", "utf8"));
  } catch {
    return false;
  }
}

/** The signals that ask this process to finish. SIGHUP is left alone where it is ignored on purpose. */
export function shutdownSignals(): readonly ShutdownSignal[] {
  return outlivesTerminal() ? SIGNALS.filter((signal) => signal !== "SIGHUP") : SIGNALS;
}

/**
 * Calls back once, at the first SIGTERM, SIGINT or SIGHUP. From then on a signal does again what it does by default, so a
 * second one ends the process at once. Returns how to stop listening.
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
