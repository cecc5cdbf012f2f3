// Starts over the folder in the first argument, creates an account with a key, and is killed with the database open.
import process from "node:process";
import { openConfiguredVault } from "../../../src/commands/open/vault.ts";
import { addAccount, MEANS, placesIn } from "../fixture.ts";

await addAccount(await openConfiguredVault(placesIn(process.argv[2]!), MEANS), "acct_9", 1);
process.kill(process.pid, "SIGKILL");
