import assert from "node:assert/strict";
import * as v from "valibot";
import { OAuthProblem, Problem } from "../../src/api/problem.ts";
import type { IncomingRequest } from "../../src/http/request-context.ts";
import {
  codesOf,
  contentTypes,
  jsonSchemaOf,
  limitsOf,
  REFUSAL_TYPES,
  refusalsOf,
} from "../../src/http/description.ts";
import type { Route } from "../../src/http/route.ts";
import { createRouter } from "../../src/http/router.ts";
import { ROUTES } from "../../src/app.ts";
import { memoizePerObject } from "../../src/lib/memoize.ts";
import type { ProblemCode } from "../../src/lib/error.ts";

/** The problems of the boundary before a route is found, or without one. */
const WITHOUT_ROUTE: readonly ProblemCode[] = [
  "invalid_request",
  "not_found",
  "method_not_allowed",
  "internal_error",
];
const HOW =
  "Describe it in the feature's routes.ts or in src/http/description.ts, then run `npm run openapi`";

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

/** Returns the media types of a route's responses by status. A response without content has none. */
function mediaTypesOf(route: Route): ReadonlyMap<number, readonly string[]> {
  const { surface, description: { returns } } = route;
  const refused = [...refusalsOf(route).keys()];
  const types = new Map(refused.map((status) => [status, REFUSAL_TYPES[surface.kind]]));
  for (const [status, content] of Object.entries(returns)) {
    const also = types.get(Number(status)) ?? [];
    types.set(Number(status), [...new Set([...contentTypes(content), ...also])]);
  }
  return types;
}

const typesByRoute = memoizePerObject(mediaTypesOf);

/** Fails unless the route may respond with this status and media type. */
function assertMediaType(what: string, route: Route, { status }: Response, type: string): void {
  const types = typesByRoute(route).get(status);
  assert.ok(types !== undefined, `${what} is not described. ${HOW}`);
  // A request without a token gets no content (RFC 6750 section 3.1).
  const isNone = type === "" && (types.length === 0 || route.guard === "access token" && status === 401);
  assert.ok(isNone || types.includes(type) || types.includes("*/*"), `${what} is ${type}. ${HOW}`);
}

/** Checks a response of the service against its description: status, media type, members strictly, problem codes. */
export async function assertDescribed(request: IncomingRequest, response: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const rows = findResource(pathname)?.rows;
  const route = rows?.get(request.method);
  const what = `${request.method} ${pathname} (${response.status})`;
  if (request.method === "HEAD") return;
  if (route !== undefined) assertLimits(what, route, response);
  const [type] = (response.headers.get("content-type") ?? "").split(";") as [string];
  const text = await response.text();
  if (type === "application/problem+json") assertProblem(what, route, text);
  if (route === undefined || route.method === "OPTIONS") return;
  assertMediaType(what, route, response, type);
  if (type === "") assert.equal(text, "", `${what} brings something. ${HOW}`);
  if (type !== "application/json") return;
  const schema = jsonSchemaOf(route.description.returns[response.status] ?? OAuthProblem);
  if (schema !== undefined) assertContent(what, schema, text);
}
