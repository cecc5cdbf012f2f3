import type { Environment } from "../config/config.ts";
import { KEY_SOURCE_SYNTAX } from "../config/key-source.ts";
import { UsageError } from "./process/refusal.ts";
import { sealAdd } from "./seal-add.ts";
import { sealDrill } from "./recovery.ts";
import { sealList, sealTest } from "./seal-list.ts";
import { sealRemove } from "./seal-remove.ts";

export const SEAL_USAGE = "seal list | test | add | remove | drill";

export const SEAL_HELP = `
  seal list [--json]                        print every slot of the root seed; needs no key
  seal test [--json]                        try the key of each slot; writes nothing
  seal add --to SOURCE [--dry-run]          let a further key open the seed
  seal add --recovery FILE --threshold K --out FOLDER [--dry-run]
                                            split a further key among the age recipients in FILE
  seal remove ID --yes [--dry-run]          take a key's slot away
  seal drill --request FILE --answers FOLDER --to SOURCE [--slot ID] [--wait SECONDS]
                                            recover with the holders of shares, and change nothing

SOURCE: ${KEY_SOURCE_SYNTAX}

Exit codes:
  0   done
  1   test: a slot does not open with its key, or is missing
  2   refused: nothing was changed
`;

type Run = (environment: Environment, list: readonly string[]) => Promise<void>;

const ACTIONS: Readonly<Record<string, Run>> = {
  list: sealList,
  test: sealTest,
  add: sealAdd,
  remove: sealRemove,
  drill: sealDrill,
};

/** Runs an action on the slots of the root seed. */
export async function seal(environment: Environment, list: readonly string[]): Promise<void> {
  const [name = "", ...rest] = list;
  if (!Object.hasOwn(ACTIONS, name)) {
    throw new UsageError(`seal needs one of ${Object.keys(ACTIONS).join(", ")}`);
  }
  await ACTIONS[name]!(environment, rest);
}
