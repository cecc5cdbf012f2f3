import { createRoutes } from "../src/http/routes.ts";
import type { Services } from "../src/http/services.ts";

/** Every route with its guard, a line each, as `test/http/routes.golden.txt` holds them. Routes are made, never run. */
export function listRoutes(): string {
  const routes = createRoutes({ baseUrl: "http://localhost" } as Services);
  return routes.map(({ method, path, guard }) => `${method.padEnd(6)} ${path} [${guard}]\n`).join("");
}
