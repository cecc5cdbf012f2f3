import { BROKER_APP_ROUTES } from "../src/broker-app.ts";
import type { Route } from "../src/http/route.ts";
import { ROUTES } from "../src/app.ts";

function listOf(routes: readonly Route<never>[]): string {
  return routes.map(({ method, path, guard }) => `${method.padEnd(6)} ${path} [${guard}]\n`).join("");
}

/**
 * Every route of the service with its guard, a line each, then those of a release broker, as
 * `test/http/routes.golden.txt` holds them. Routes are made, never run.
 */
export function listRoutes(): string {
  return listOf(ROUTES) + listOf(BROKER_APP_ROUTES);
}
