import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, readConfig } from "../config/config.ts";
import { makeSimulatedCollateral } from "../tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../tee/simulated/simulated-pki.ts";
import { readArguments } from "./process/arguments.ts";
import { openTee } from "./open/tee.ts";
import { random } from "./process/random.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { StartRefusal } from "./process/refusal.ts";
import { printResult } from "./process/print.ts";

export const SIMULATED_ROOT_USAGE = "simulated-root FOLDER";

/** Writes what `verify-quote` needs for a simulated TEE's quotes. It is public and no evidence. */
export async function simulatedRoot(environment: Environment, list: readonly string[]): Promise<void> {
  const folder = readArguments(list, { operands: ["FOLDER"] }).operands[0]!;
  const { tee } = await openTee(readConfig(withSecretFiles(environment)), { absentKey: "refuse", random });
  if (tee.provider !== "simulated") throw new StartRefusal("The TEE is not simulated: its root is Intel's");
  const pki = makeSimulatedPki(await tee.sealingKey());
  mkdirSync(folder, { recursive: true });
  const files = { "root.pem": pki.rootCertificate, "collateral.json": makeSimulatedCollateral(pki) };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    printResult(`${join(folder, name)}\n`);
  }
}
