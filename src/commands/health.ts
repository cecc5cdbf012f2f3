import process from "node:process";
import { type Environment, readConfig } from "../config/config.ts";
import { readArguments } from "./process/arguments.ts";
import { UsageError } from "./process/refusal.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const HEALTH_USAGE = "health";

const EXIT_FAULTY = 1;

/** Milliseconds. Shorter than a container's health check waits. */
const LIMIT = 4000;

/** Unspecified addresses, with the loopback address to ask instead. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export function readinessUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  if (port === 0) throw new UsageError("PORT=0 stands for any port: set the port of the service");
  const name = EVERYWHERE[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}/readyz`;
}

/** Exits 0 if the service is ready, else 1. Reads only the configuration, for container health checks. */
export async function health(environment: Environment, list: readonly string[]): Promise<void> {
  readArguments(list, {});
  const url = readinessUrl(readConfig(withSecretFiles(environment, () => {})));
  const result = await ask(url);
  printResult(`${result.text}\n`);
  if (!result.isReady) process.exitCode = EXIT_FAULTY;
}

async function ask(url: string): Promise<{ readonly isReady: boolean; readonly text: string }> {
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(LIMIT) });
    const { status, reasons = [] } = await response.json() as {
      readonly status: string;
      readonly reasons?: readonly string[];
    };
    const isReady = response.status === 200 && status === "ready";
    return { isReady, text: isReady ? "ready" : ["not ready", ...reasons].map(String).join("; ") };
  } catch {
    return { isReady: false, text: `nothing answers at ${url}` };
  }
}
