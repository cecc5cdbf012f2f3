import * as fc from "fast-check";
import type { Json } from "../../scripts/openapi/schemas.ts";
import { createValues, likeExample, mutated, type Schema, type Values } from "./generated-values.ts";

// Random requests of the operations of an OpenAPI document: valid, nearly valid and wrong ones.

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: Json }>>;
  };
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: object }>>;
}

/** The headers that authenticate a request. */
export type Credential = Readonly<Record<string, string>>;

/** The values that exist in the service, and the credentials of each security scheme. */
export interface Known {
  readonly values: Values;
  readonly credentials: Readonly<Record<string, readonly Credential[]>>;
}

export interface GeneratedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds by which the service's clock is ahead. */
  readonly ahead: number;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** Encodes members as a form or a query. A member that is no text is sent as JSON. */
function encode(value: Json): string {
  const pairs = Object.entries(value ?? {}).map(([name, member]) =>
    [name, typeof member === "string" ? member : JSON.stringify(member)] as [string, string]
  );
  return new URLSearchParams(pairs).toString();
}

interface Sent {
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const MALFORMED = [
  "",
  "{",
  "null",
  "[]",
  "a=1&a=2",
  "a=%ff",
  '{"a":1,"a":2}',
  '{"\\u0000":1}',
  "[".repeat(70),
  "\u0000",
];

function bodyOf(
  { requestBody }: DescribedOperation,
  of: (schema: Schema) => fc.Arbitrary<Json>,
  { values }: Known,
): fc.Arbitrary<Sent> {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (entry === undefined) return fc.constant({ headers: {} });
  const [type, { schema, example }] = entry;
  const write = (value: Json): string => type === JSON_TYPE ? JSON.stringify(value) : encode(value);
  const sent = (text: fc.Arbitrary<string>, contentType: string): fc.Arbitrary<Sent> =>
    text.map((body) => ({ body, headers: { "content-type": contentType } }));
  const valid = example === undefined
    ? of(schema)
    : fc.oneof({ weight: 3, arbitrary: likeExample(example, values) }, { weight: 1, arbitrary: of(schema) });
  const text = valid.map(write);
  return fc.oneof(
    { weight: 24, arbitrary: sent(text, type) },
    { weight: 18, arbitrary: sent(valid.chain(mutated).map(write), type) },
    { weight: 4, arbitrary: sent(fc.constantFrom(...MALFORMED), type) },
    { weight: 2, arbitrary: sent(text, type === JSON_TYPE ? FORM_TYPE : JSON_TYPE) },
    { weight: 1, arbitrary: sent(text, `${type}; charset=latin1`) },
    { weight: 1, arbitrary: sent(fc.constant(write({ more: "x".repeat(65_536) })), type) },
    {
      weight: 1,
      arbitrary: sent(text, type).map(({ body, headers }) => ({
        body: body!,
        headers: { ...headers, "content-encoding": "gzip" },
      })),
    },
    { weight: 2, arbitrary: fc.constant({ headers: {} }) },
  );
}

/** Path segments that match a parameter and name nothing. */
const UNKNOWN_SEGMENTS = [
  "0",
  "__proto__",
  "key_00000000000000000000000000",
  `0x${"ab".repeat(20)}`,
  "%F0%9F%98%80",
  "%20",
  "x".repeat(2000),
];

function pathOf(template: string, { values }: Known): fc.Arbitrary<string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const segments = names.map((name) => {
    const unknown = fc.constantFrom(...UNKNOWN_SEGMENTS);
    const known = values[name]?.map((value) => encodeURIComponent(String(value))) ?? [];
    return known.length === 0 ? unknown : fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...known) },
      { weight: 1, arbitrary: unknown },
    );
  });
  return fc.tuple(...segments).map((chosen) =>
    chosen.reduce((path, segment, index) => path.replace(`{${names[index]}}`, () => segment), template)
  );
}

const STRAY_QUERIES = ["", "more=1", "%", "a=%ff", "limit=0", "cursor=%00", "next=//evil.example", "x=1&x=2"];

function queryOf(
  { parameters = [] }: DescribedOperation,
  of: (schema: Schema) => fc.Arbitrary<Json>,
): fc.Arbitrary<string> {
  const own = parameters.filter((parameter) => parameter.in === "query");
  const stray = fc.constantFrom(...STRAY_QUERIES);
  if (own.length === 0) {
    return fc.oneof({ weight: 4, arbitrary: fc.constant("") }, { weight: 1, arbitrary: stray });
  }
  const valid = of({
    type: "object",
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])) as Json,
    required: own.filter(({ required }) => required).map(({ name }) => name),
  });
  const text = valid.map(encode);
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 4, arbitrary: valid.chain(mutated).map(encode) },
    { weight: 1, arbitrary: stray },
    { weight: 1, arbitrary: text.map((one) => `${one}&${one}`) },
  );
}

/** Headers that change the answer, each with its weight in sixteenths and its values. */
const HEADERS: Readonly<Record<string, readonly [sixteenths: number, ...values: string[]]>> = {
  accept: [12, "text/html", "application/json", "*/*", "text/html, application/json", "image/png"],
  "sec-fetch-site": [14, "same-origin", "same-origin", "same-origin", "same-origin", "none", "cross-site"],
  origin: [1, "null", "http://localhost:3000"],
  "accept-language": [2, "de", "x".repeat(1001)],
  "idempotency-key": [3, "one", "two", "x".repeat(256), "\u00e9"],
  prefer: [2, "wait=0", "wait=x", "respond-async"],
  "holdfast-witness": [1, "x"],
  "holdfast-account": [1, "x"],
  dpop: [1, "x", "a.b.c"],
  host: [1, "127.0.0.1:3000", "localhost:3000"],
};

const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc.tuple(
  ...Object.entries(HEADERS).map(([name, [sixteenths, ...values]]) =>
    fc.oneof(
      { weight: sixteenths, arbitrary: fc.constantFrom(...values).map((value) => ({ [name]: value })) },
      { weight: 16 - sixteenths, arbitrary: fc.constant({}) },
    )
  ),
).map((all) => Object.assign({ host: "localhost:3000" }, ...all));

const WRONG: readonly Credential[] = [
  { authorization: "Bearer x" },
  { authorization: `Bearer hfst_${"0".repeat(60)}` },
  { authorization: "Bearer" },
  { authorization: "DPoP x" },
  { authorization: "Basic eDp5" },
  { authorization: "Bearer x, Bearer y" },
  { cookie: "service.session_token=x; service.sign_up=x; service.recovery=x; service.administration=x" },
];

function credentialsOf(
  { security }: DescribedOperation,
  { credentials }: Known,
): fc.Arbitrary<Credential> {
  const right = security.flatMap((scheme) => Object.keys(scheme)).flatMap((name) => credentials[name]!);
  const all = Object.values(credentials).flat();
  return fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...(right.length === 0 ? all : right)) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
    { weight: 1, arbitrary: fc.constantFrom(...WRONG) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
}

/** Returns this number of requests of an operation. */
export function generateRequests(
  { method, path, operation }: {
    readonly method: string;
    readonly path: string;
    readonly operation: DescribedOperation;
  },
  schemas: Readonly<Record<string, Schema>>,
  known: Known,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly GeneratedRequest[] {
  const of = createValues(schemas, known.values);
  const request = fc.record({
    credentials: credentialsOf(operation, known),
    pathname: pathOf(path, known),
    query: queryOf(operation, of),
    sent: bodyOf(operation, of, known),
    headers,
    ahead: fc.oneof(
      { weight: 40, arbitrary: fc.constant(0) },
      { weight: 6, arbitrary: fc.constant(20 * MINUTE) },
      { weight: 1, arbitrary: fc.constant(40 * DAY) },
    ),
  }).map(({ credentials, pathname, query, sent, headers, ahead }) => ({
    method,
    path: pathname + (query === "" ? "" : `?${query}`),
    headers: { ...headers, ...credentials, ...sent.headers },
    ...(sent.body === undefined ? {} : { body: sent.body }),
    ahead,
  }));
  return fc.sample(request, { numRuns: count, seed });
}
