import type { Environment } from "../config/config.ts";
import { makePushKeyPair } from "../push/keys.ts";
import { readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";

export const PUSH_KEYS_USAGE = "push-keys";

/** Runs the `push-keys` command: prints the variables of a new key pair. Stores nothing. */
export async function pushKeys(_environment: Environment, list: readonly string[]): Promise<void> {
  readArguments(list, {});
  const { publicKey, privateKey } = await makePushKeyPair();
  printResult(`PUSH_PUBLIC_KEY=${publicKey}\nPUSH_PRIVATE_KEY=${privateKey}\n`);
}
