import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findFreePort } from "./free-port.ts";

/** The architectures in the names of its packages. */
const MACHINES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const FOLDER = `../../node_modules/@foundry-rs/anvil-${process.platform}-${MACHINES[process.arch]}`;
const ANVIL = fileURLToPath(new URL(`${FOLDER}/bin/anvil`, import.meta.url));
const START_LIMIT = 20_000;

/** An Ethereum chain in memory. Each transaction is a block. */
export interface Chain extends AsyncDisposable {
  readonly url: string;
  readonly chainId: number;
  /** Calls its JSON-RPC and returns the result. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
}

/** Starts Foundry's anvil with the rules of the newest fork that it knows. */
export async function startChain(): Promise<Chain> {
  const port = await findFreePort();
  const args = ["--port", String(port), "--silent", "--accounts", "1"];
  const child = spawn(ANVIL, args, { env: { HOME: "/nonexistent" }, stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const call: Chain["call"] = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const { result, error } = await response.json() as { readonly result?: unknown; readonly error?: object };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  const until = Date.now() + START_LIMIT;
  for (;;) {
    try {
      const chainId = Number(await call("eth_chainId"));
      return { url, chainId, call, [Symbol.asyncDispose]: stop };
    } catch (error) {
      if (Date.now() > until || child.exitCode !== null) {
        await stop();
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
