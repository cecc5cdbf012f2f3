import { BROKER_APP_ROUTES } from "../src/broker-app.ts";
import type { Route } from "../src/http/route.ts";
import { ROUTES } from "../src/app.ts";

function listOf(routes: readonly Route<never>[]): string {
  return routes.map(({ method, path, guard }) => `${method.padEnd(6)} ${path} [${guard}]\n`).join("");
}

/**
 * Lists the routes of the service with their guards, one per line, then those of a release broker.
 * `test/http/routes.golden.txt` has the list. Does not run any route.
 */
export function listRoutes(): string {
  return listOf(ROUTES) + listOf(BROKER_APP_ROUTES);
}
