import type { Json } from "./schemas.ts";
import { typeOf } from "./types.ts";

export type Schema = Readonly<Record<string, Json>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>
  >;
  readonly "x-repeatable"?: true;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns true for an operation that takes and returns JSON. */
function isForPrograms({ operation }: Row): boolean {
  const types = Object.keys(operation.requestBody?.content ?? {});
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  return !operation.tags.includes("Pages") && types.every((type) => type === "application/json") &&
    successes.length > 0 &&
    successes.every(([, { content }]) => content === undefined || "application/json" in content);
}

function rowsOf({ paths }: Document): readonly Row[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  ).filter(isForPrograms);
}

/** Returns the type of a query parameter: its text, or a value that converts to it. */
function queryType(schema: Schema): string {
  const type = typeOf(schema);
  return type === "string" ? "string | number" : type;
}

function argumentsOf({ operation: { parameters = [], requestBody } }: Row): string {
  const path = parameters.filter((parameter) => parameter.in === "path").map(({ name }) =>
    `readonly ${name}: string;`
  );
  const query = parameters.filter((parameter) => parameter.in === "query").map(({ name, required, schema }) =>
    `readonly ${name}${required ? "" : "?"}: ${queryType(schema)};`
  );
  const isKeyed = parameters.some(({ name }) => name === "Idempotency-Key");
  const body = Object.values(requestBody?.content ?? {})[0];
  const members = [
    ...path,
    ...(query.length === 0 ? [] : [`readonly query?: { ${query.join(" ")} };`]),
    ...(body === undefined || typeOf(body.schema) === EMPTY
      ? []
      : [`readonly body${requestBody!.required ? "" : "?"}: ${typeOf(body.schema)};`]),
    ...(isKeyed ? ["readonly idempotencyKey?: string;"] : []),
  ];
  return members.length === 0 ? "{}" : `{ ${members.join(" ")} }`;
}

const EMPTY = "{ readonly [name: string]: unknown }";

/** Returns the type of the successful response, or a union if there are several. */
function answerOf({ operation: { responses } }: Row): string {
  const types = Object.entries(responses).filter(([status]) => status.startsWith("2")).map((
    [, { content }],
  ) => content === undefined ? "undefined" : typeOf(content["application/json"]!.schema));
  return [...new Set(types)].join(" | ");
}

/** Returns the member that has the items of a page. Returns undefined for an operation without pages. */
function itemsOf(row: Row, { components: { schemas } }: Document): string | undefined {
  const schema = schemas[answerOf(row)];
  const properties = (schema?.["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  if (!("nextCursor" in properties)) return undefined;
  return Object.entries(properties).find(([, { type }]) => type === "array")?.[0];
}

/** Returns if and how the same request may be sent again when its response was lost. */
function againOf({ method, operation }: Row): "repeatable" | "keyed" | "once" {
  if (method === "GET" || operation["x-repeatable"]) return "repeatable";
  const isKeyed = operation.parameters?.some(({ name }) => name === "Idempotency-Key");
  return isKeyed ? "keyed" : "once";
}

/** Returns the TypeScript types of every named schema, and of every operation for programs. */
export function clientApi(document: Document): string {
  const types = Object.entries(document.components.schemas).map(([name, schema]) =>
    `export type ${name} = ${typeOf(schema)};`
  );
  const operations = rowsOf(document).map((row) => {
    const { operationId, summary } = row.operation;
    const items = itemsOf(row, document);
    const item = items === undefined ? "" : ` readonly item: ${answerOf(row)}["${items}"][number];`;
    const members = `readonly arguments: ${argumentsOf(row)}; readonly answer: ${answerOf(row)};${item}`;
    return `  /** ${summary}. */ readonly ${operationId}: { ${members} };`;
  });
  const rows = rowsOf(document).map((row) => {
    const items = itemsOf(row, document);
    const cells = [row.method, row.path, againOf(row), ...(items === undefined ? [] : [items])];
    return `  ${row.operation.operationId}: ${JSON.stringify(cells)},`;
  });
  return [
    "// Generated by `npm run openapi` from the description of the service. Do not edit.",
    "",
    ...types,
    "",
    "/** The arguments and the response of each operation. */",
    "export interface Operations {",
    ...operations,
    "}",
    "",
    "/** Method, path, if it may be sent again after a lost response, and the member with a page's items. */",
    "export type OperationRow = readonly [method: string, path: string, again: Again, items?: string];",
    'export type Again = "repeatable" | "keyed" | "once";',
    "",
    "export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {",
    ...rows,
    "};",
    "",
  ].join("\n");
}
