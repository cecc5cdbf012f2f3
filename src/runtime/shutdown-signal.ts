import process from "node:process";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * Calls back once, at the first SIGTERM or SIGINT. From then on a signal does again what it does by default, so a second
 * one ends the process at once. Returns how to stop listening.
 */
export function onShutdownSignal(callback: (signal: "SIGTERM" | "SIGINT") => void): () => void {
  const stopListening = (): void => SIGNALS.forEach((signal) => void process.off(signal, listen));
  function listen(signal: NodeJS.Signals): void {
    stopListening();
    callback(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
  }
  for (const signal of SIGNALS) process.on(signal, listen);
  return stopListening;
}
