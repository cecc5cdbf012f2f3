import process from "node:process";
import { runModule } from "./module.ts";
import type { Result } from "./module.ts";
import { MODULES } from "./modules.ts";
import { openOp } from "./op.ts";
import { toTable } from "./table.ts";

// Prints each module with its verdict (`npm run conformance`). Fails if a module fails.

const results: Result[] = [];
{
  await using op = await openOp();
  for (const module of MODULES) results.push(await runModule(module, op));
}
console.log(toTable(results));
const failed = results.filter(({ verdict }) => verdict === "failed").length;
process.exitCode = failed > 0 ? 1 : 0;
