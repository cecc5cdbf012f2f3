import { listRoutes } from "./route-list.ts";
import { readWords } from "./words.ts";

readWords("bun scripts/routes.ts");
console.log(listRoutes().trimEnd());
