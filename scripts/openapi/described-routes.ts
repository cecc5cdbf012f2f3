import { ROUTES } from "../../src/app.ts";
import type { Route } from "../../src/http/route.ts";

/** Returns every route except the CORS preflights. */
export function describedRoutes(): readonly Route[] {
  return ROUTES.filter(({ method }) => method !== "OPTIONS");
}
