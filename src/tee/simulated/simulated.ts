import type { RandomBytes } from "../../lib/id.ts";
import { KeyFileError, makeKeyFile, readKeyFile } from "../tdx/key-file.ts";
import { makeSimulatedPki, type SimulatedPki } from "./simulated-pki.ts";
import { makeSimulatedQuote } from "./simulated-quote.ts";
import type { Tee } from "../tee.ts";

export interface SimulatedTeeOptions {
  /** Path of the key file, created if missing; undefined = a key in memory that ends with the process. */
  readonly keyFile: string | undefined;
  readonly random: RandomBytes;
}

async function loadKey({ keyFile, random }: SimulatedTeeOptions): Promise<Uint8Array> {
  if (keyFile === undefined) return Uint8Array.from(random(32));
  try {
    return await readKeyFile(keyFile);
  } catch (error) {
    if (!(error instanceof KeyFileError) || error.fault !== "missing") throw error;
    await makeKeyFile(keyFile, random);
    return await readKeyFile(keyFile);
  }
}

/** Opens a TEE for development, which does not protect against the machine's operator. Throws `KeyFileError`. */
export async function openSimulatedTee(options: SimulatedTeeOptions): Promise<Tee> {
  const key = await loadKey(options);
  let pki: SimulatedPki | undefined;
  return {
    provider: "simulated",
    inTee: false,
    keyProvider: { name: "simulated", id: "", verified: null },
    sealingKey: () => Promise.resolve(key.slice()),
    forgetSealingKey: () => {},
    quote: async (reportData) => {
      pki ??= makeSimulatedPki(key);
      return { quote: await Promise.resolve(makeSimulatedQuote(pki, reportData)) };
    },
  };
}
