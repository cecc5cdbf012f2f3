import process from "node:process";
import { createTestVault } from "../../support/vault.ts";

const vault = createTestVault(Number(process.argv[2]));
console.log(vault, { vault }, [vault], `${vault}`);
console.log("%s %o %O %j", vault, vault, vault, vault);
console.dir(vault, { showHidden: true, depth: null });
console.table([vault]);
console.error(vault);
throw Object.assign(new Error("Cannot go on", { cause: vault }), { vault });
