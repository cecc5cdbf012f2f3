import manifest from "../../package.json" with { type: "json" };
import {
  ANSWER_HEADERS,
  codesOf,
  contentTypes,
  jsonSchemaOf,
  limitsOf,
  REFUSAL_TYPES,
  refusalsOf,
  REQUEST_HEADERS,
  TAGS,
} from "../../src/http/description.ts";
import type { MembersSchema, Operation, ResponseHeader } from "../../src/http/description.ts";
import type { Surface } from "../../src/http/response/security-headers.ts";
import type { Route } from "../../src/http/route.ts";
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

const WORDS: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted; the result is pending",
  204: "Done, without content",
  404: "The protocol's error for an unknown method",
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
const SEE_OTHER = 303;
const TOO_MANY = 429;

/** Returns the response of an operation with a status that it returns. */
function answerOf(route: Route, status: number, example: Json | undefined): Members {
  const { returns, responseHeaders = {} } = route.description;
  const content = returns[status]!;
  const shown = example === undefined ? {} : { example };
  const schema = jsonSchemaOf(content);
  const media = contentTypes(content).map((type) => [
    type,
    schema === undefined || type !== "application/json"
      ? { schema: { type: "string" } }
      : { schema: schemaOf(schema, "answer"), ...shown },
  ]);
  return {
    description: WORDS[status]!,
    ...headersOf([
      ...(status === SEE_OTHER ? ["Location" as const] : []),
      ...responseHeaders[status] ?? [],
      ...(limitsOf(route, "admitted").length === 0 ? [] : RATE_LIMIT_HEADERS),
    ]),
    ...(media.length === 0 ? {} : { content: Object.fromEntries(media) }),
  };
}

const REFUSAL_SCHEMAS: Readonly<Record<string, Json>> = {
  "application/problem+json": { $ref: "#/components/schemas/Problem" },
  "application/json": { $ref: "#/components/schemas/OAuthProblem" },
  "text/html": { type: "string" },
};

function refusal(kind: Surface["kind"], description: string): Members {
  const media = REFUSAL_TYPES[kind].map((type) => [type, { schema: REFUSAL_SCHEMAS[type]! }]);
  return { description, content: Object.fromEntries(media) };
}

const REFUSALS = {
  api: refusal("api", "A refusal (RFC 9457)"),
  oauth: refusal("oauth", "A refusal (RFC 6749 section 5.2)"),
  page: refusal("page", "A refusal, as a page"),
} as const;
const REFUSAL_NAMES = { api: "Problem", oauth: "OAuthProblem", page: "PageProblem" } as const;
const LIMITED = headersOf(["Retry-After", ...RATE_LIMIT_HEADERS]);

/** The responses of refusals. */
const PROBLEM_RESPONSES: Members = Object.fromEntries(
  (["api", "oauth", "page"] as const).flatMap((kind) => [
    [REFUSAL_NAMES[kind], REFUSALS[kind]],
    [`${REFUSAL_NAMES[kind]}TooMany`, { ...REFUSALS[kind], ...LIMITED }],
  ]),
);

/** Returns the responses of a route by status. The description of a refusal is its codes. */
function responsesOf(route: Route, example: Json | undefined): Members {
  const { surface: { kind }, description: { returns } } = route;
  const responses: Record<string, Members> = {};
  for (const [status, codes] of refusalsOf(route)) {
    const name = `${REFUSAL_NAMES[kind]}${status === TOO_MANY ? "TooMany" : ""}`;
    const description = codes.map((code) => `\`${code}\``).join(", ");
    responses[status] = { $ref: `#/components/responses/${name}`, description };
  }
  for (const [index, status] of Object.keys(returns).entries()) {
    const answer = answerOf(route, Number(status), index === 0 ? example : undefined);
    const refused = responses[status];
    responses[status] = refused === undefined ? answer : {
      ...answer,
      description: `${answer["description"]}; ${refused["description"]}`,
      content: { ...REFUSALS[kind]["content"] as Members, ...answer["content"] as Members },
    };
  }
  return responses;
}

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
    responses: responsesOf(route, example?.answer),
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
