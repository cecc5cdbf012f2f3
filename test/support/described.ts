import assert from "node:assert/strict";
import * as v from "valibot";
import { OAuthProblem, Problem } from "../../src/api/problem.ts";
import type { IncomingRequest } from "../../src/http/request-context.ts";
import { codesOf, limitsOf } from "../../src/http/description.ts";
import type { Content } from "../../src/http/description.ts";
import type { Route } from "../../src/http/route.ts";
import { createRouter } from "../../src/http/router.ts";
import { ROUTES } from "../../src/app.ts";
import type { ProblemCode } from "../../src/lib/error.ts";

/** The problems of the boundary before a route is found, or without one. */
const WITHOUT_ROUTE: readonly ProblemCode[] = [
  "invalid_request",
  "not_found",
  "method_not_allowed",
  "internal_error",
];
const HOW = "Describe it in src/http/answer/schema or src/http/description, then run `npm run openapi`";

const findResource = createRouter(ROUTES);

/** Fails unless the text matches its schema strictly. */
function assertContent(what: string, schema: v.GenericSchema, text: string): void {
  const result = v.safeParse(schema, JSON.parse(text));
  const faults = result.success
    ? []
    : result.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.expected}, not ${issue.received}`);
  assert.deepEqual(faults, [], `${what} is not as described. ${HOW}\n${text.slice(0, 500)}`);
}

function assertProblem(what: string, route: Route | undefined, text: string): void {
  assertContent(what, Problem as v.GenericSchema, text);
  const { code } = JSON.parse(text) as { code: ProblemCode };
  const codes = route === undefined ? WITHOUT_ROUTE : codesOf(route);
  assert.ok(codes.includes(code), `${what} refuses with ${code}, which is not described. ${HOW}`);
}

/** Fails if the response names a limit that its route does not count. */
function assertLimits(what: string, route: Route, { headers }: Response): void {
  const names = [...(headers.get("ratelimit") ?? "").matchAll(/"([a-z_]+)";r=/g)].map(([, name]) => name!);
  const known: readonly string[] = limitsOf(route, "all");
  for (const name of names) assert.ok(known.includes(name), `${what} counts ${name}. ${HOW}`);
}

/** Returns the content described for this status; undefined if there is none. */
function contentFor(route: Route, status: number): Content | undefined {
  return route.description.returns[status];
}

/**
 * Checks a response of the service against its description: status, members strictly, problem codes. Checks of pages
 * and files only that the route may return one.
 */
export async function assertDescribed(request: IncomingRequest, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const rows = findResource(pathname)?.rows;
  const route = rows?.get(request.method);
  const what = `${request.method} ${pathname} (${response.status})`;
  if (request.method === "HEAD") return;
  if (route !== undefined) assertLimits(what, route, response);
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  if (type.startsWith("application/problem+json")) return assertProblem(what, route, text);
  if (route === undefined || route.method === "OPTIONS") return;
  // A refusal as a page.
  if (response.status >= 400 && type.startsWith("text/html")) return;
  if (response.status >= 400 && route.surface.kind === "oauth") {
    return text === "" ? undefined : assertContent(what, OAuthProblem as v.GenericSchema, text);
  }
  const content = contentFor(route, response.status);
  assert.ok(content !== undefined, `${what} is not described. ${HOW}`);
  if (content === null) assert.equal(text, "", `${what} brings something. ${HOW}`);
  else if (typeof content === "object" && !type.startsWith("text/html")) assertContent(what, content, text);
}
