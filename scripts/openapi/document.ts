import manifest from "../../package.json" with { type: "json" };
import { ANSWER_HEADERS, codesOf, limitsOf, REQUEST_HEADERS, TAGS } from "../../src/http/description.ts";
import type { Content, MembersSchema, Operation, ResponseHeader } from "../../src/http/description.ts";
import type { Route } from "../../src/http/route.ts";
import { PROBLEMS } from "../../src/lib/error.ts";
import { describedRoutes } from "./described-routes.ts";
import { type Json, type Members, namedSchemas, schemaOf } from "./schemas.ts";
import { GUARDS, SECURITY_SCHEMES } from "./security.ts";

export type Examples = Readonly<Record<string, { readonly request?: Json; readonly answer?: Json }>>;

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name: name!,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: MembersSchema): Json[] {
  const { properties = {}, required = [] } = schemaOf(query, "request") as {
    readonly properties?: Members;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function parametersOf({ path }: Route, { query, headers = [] }: Operation): Json[] {
  return [
    ...pathParameters(path),
    ...(query === undefined ? [] : queryParameters(query)),
    ...headers.map((name) => ({
      name,
      in: "header",
      required: false,
      description: REQUEST_HEADERS[name],
      schema: { type: "string" },
    })),
  ];
}

function requestBody({ body, bodyIs }: Operation, example: Json | undefined): Members {
  if (body === undefined) return {};
  const type = bodyIs === "form" ? "application/x-www-form-urlencoded" : "application/json";
  const shown = example === undefined ? {} : { example };
  return {
    requestBody: {
      required: bodyIs !== "optional",
      content: { [type]: { schema: schemaOf(body, "request"), ...shown } },
    },
  };
}

const PAGE_CONTENT = { "text/html": { schema: { type: "string" } } };
const FILE_CONTENT = { "*/*": { schema: { type: "string" } } };

function contentOf(content: Content, example: Json | undefined): Members {
  if (content === null) return {};
  if (content === "page") return { content: PAGE_CONTENT };
  if (content === "text") return { content: { "text/plain": { schema: { type: "string" } } } };
  if (content === "file") return { content: FILE_CONTENT };
  const shown = example === undefined ? {} : { example };
  return { content: { "application/json": { schema: schemaOf(content, "answer"), ...shown } } };
}

const WORDS: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted; the result is pending",
  204: "Done, without content",
  303: "Redirect to `Location`",
  503: "Not ready",
};

function headersOf(names: readonly ResponseHeader[]): Members {
  if (names.length === 0) return {};
  const described = names.map((name) =>
    [name, { description: ANSWER_HEADERS[name], schema: { type: "string" } }] as const
  );
  return { headers: Object.fromEntries(described) };
}

const RATE_LIMIT_HEADERS: readonly ResponseHeader[] = ["RateLimit", "RateLimit-Policy"];

function answersOf(route: Route, example: Json | undefined): Members {
  const { returns, responseHeaders = [] } = route.description;
  const always = limitsOf(route, "admitted").length === 0 ? [] : RATE_LIMIT_HEADERS;
  const isFirst = (status: string): boolean => status === Object.keys(returns)[0];
  return Object.fromEntries(
    Object.entries(returns).map(([status, content]) => [status, {
      description: WORDS[Number(status)]!,
      ...headersOf([...(isFirst(status) ? responseHeaders : []), ...always]),
      ...contentOf(content, isFirst(status) ? example : undefined),
    }]),
  );
}

const TOO_MANY = 429;

/** Returns the problems of a route by status, each with its codes. */
function problemsOf(route: Route): Members {
  const byStatus = Map.groupBy(codesOf(route), (code) => PROBLEMS[code].status);
  const kind = route.surface.kind === "oauth" ? "OAuthProblem" : "Problem";
  return Object.fromEntries(
    [...byStatus].toSorted(([a], [b]) => a - b).map(([status, codes]) => [String(status), {
      $ref: `#/components/responses/${status === TOO_MANY ? `${kind}TooMany` : kind}`,
      description: codes.map((code) => `\`${code}\``).join(", "),
    }]),
  );
}

const PROBLEM = {
  description: "A refusal (RFC 9457)",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};
const OAUTH_PROBLEM = {
  description: "A refusal (RFC 6749 section 5.2)",
  content: { "application/json": { schema: { $ref: "#/components/schemas/OAuthProblem" } } },
};
const LIMITED = headersOf(["Retry-After", ...RATE_LIMIT_HEADERS]);

/** The responses of refusals. */
const PROBLEM_RESPONSES: Members = {
  Problem: PROBLEM,
  ProblemTooMany: { ...PROBLEM, ...LIMITED },
  OAuthProblem: OAUTH_PROBLEM,
  OAuthProblemTooMany: { ...OAUTH_PROBLEM, ...LIMITED },
};

function operationObject(route: Route, examples: Examples): Json {
  const operation = route.description;
  const example = examples[operation.id];
  const parameters = parametersOf(route, operation);
  const security = GUARDS[route.guard];
  if (security === undefined) throw new RangeError(`Cannot describe the guard ${route.guard}`);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(operation, example?.request),
    security,
    responses: { ...problemsOf(route), ...answersOf(route, example?.answer) },
    "x-problem-codes": codesOf(route),
    ...(operation.isRepeatable === undefined ? {} : { "x-repeatable": true }),
  };
}

function pathsOf(examples: Examples): Members {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of describedRoutes()) {
    const path = route.path.replace(/:([A-Za-z]+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operationObject(route, examples);
  }
  return paths;
}

const DESCRIPTION =
  "Generated from the schemas that validate requests and responses. Within a major version (before version 1, " +
  "a minor version) nothing that is described is removed or changes its meaning. Members, operations and problem " +
  "codes may be added, and clients ignore those that they do not know. docs/reference/http-api.md has the details " +
  "that no schema can express.";

/** Returns the description of the whole service (OpenAPI 3.1.1). */
export function openApiDocument(examples: Examples): Members {
  return {
    openapi: "3.1.1",
    info: {
      title: "Holdfast",
      summary: manifest.description,
      description: DESCRIPTION,
      version: manifest.version,
    },
    servers: [{ url: "http://localhost:3000" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(examples),
    components: { securitySchemes: SECURITY_SCHEMES, responses: PROBLEM_RESPONSES, schemas: namedSchemas() },
  };
}
