import { listRoutes } from "./route-list.ts";
import { readArguments } from "./arguments.ts";

readArguments("bun scripts/routes.ts");
console.log(listRoutes().trimEnd());
