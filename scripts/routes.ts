import { listRoutes } from "./route-list.ts";

console.log(listRoutes().trimEnd());
