import { type Environment, readConfig } from "../config/config.ts";
import { KEY_SOURCE_SYNTAX } from "../config/key-source.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { getSealKeyIds } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { getValue, readArguments, readNumber } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { random } from "./process/random.ts";
import { UsageError } from "./process/refusal.ts";
import { openShare, RECOVERY_OPEN_SYNTAX } from "./recovery-open.ts";
import { recoverSeed, type RecoveryCeremony } from "./recovery-start.ts";

export const RECOVERY_USAGE = "recovery start | open";

export const RECOVERY_HELP = `
  recovery start --request FILE --answers FOLDER --to SOURCE [--slot ID] [--wait SECONDS]
      in the new trust domain: write a request, wait for the answers of the holders, and add a slot for SOURCE
  recovery open --request FILE --share FILE --identity FILE --expect FILE --answer FILE
                (--collateral FILE | --pccs URL) [--root FILE] [--workload NAME] [--at TIME]
      on the machine of a holder: verify the quote of the request, and encrypt the share to its key

SOURCE: ${KEY_SOURCE_SYNTAX}
--expect is the file of verify-quote. Its keyProvider names who may have the seed afterwards.

Exit codes:
  0   done
  2   refused: nothing was changed
`;

const CEREMONY = { values: ["request", "answers", "to", "slot", "wait"] } as const;
/** The longest wait for answers, in seconds. */
const LONGEST_WAIT = 30 * 24 * 3600;

async function runCeremony(
  act: RecoveryCeremony["act"],
  environment: Environment,
  list: readonly string[],
): Promise<void> {
  const given = readArguments(list, CEREMONY);
  const wait = given.values.get("wait");
  const ceremony = {
    act,
    request: getValue(given, "request"),
    answers: getValue(given, "answers"),
    to: getValue(given, "to"),
    slot: given.values.get("slot"),
    wait: wait === undefined
      ? undefined
      : readNumber(wait, { option: "wait", least: 0, most: LONGEST_WAIT }) * 1000,
  };
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const context = { now: Date.now(), random, clock: Date.now, print: printResult };
  await withDatabaseLock(config, "use", () => recoverSeed(config, ceremony, context));
}

/** Runs a recovery with all its steps, and changes nothing. */
export async function sealDrill(environment: Environment, list: readonly string[]): Promise<void> {
  await runCeremony("drill", environment, list);
}

/** Recovers the seed with the holders of shares, or answers as one of them. */
export async function recovery(environment: Environment, list: readonly string[]): Promise<void> {
  const [name, ...rest] = list;
  if (name === "start") return await runCeremony("recover", environment, rest);
  if (name !== "open") throw new UsageError("recovery needs one of start, open");
  printResult(await openShare(readArguments(rest, RECOVERY_OPEN_SYNTAX), { now: Date.now(), random }));
}
