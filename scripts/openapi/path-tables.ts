import type { Operation as Described } from "../../src/http/description.ts";
import type { Route } from "../../src/http/route.ts";
import { PROBLEMS } from "../../src/lib/error.ts";
import type { Document, Operation, Schema } from "./client-api.ts";
import { describedRoutes } from "./described-routes.ts";
import { table } from "./markdown.ts";

type Schemas = Document["components"]["schemas"];

/** The longest shape of a body that a cell spells out, in characters. */
const LONGEST_SHAPE = 240;

function nameOf({ $ref }: Schema): string | undefined {
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined;
}

/** Returns `: Key` or `: Key[]` for a member whose schema has a name, otherwise an empty text. */
function typeOfMember(schema: Schema, schemas: Schemas): string {
  if (schema["type"] === "array") {
    const item = typeOfMember(schema["items"] as Schema, schemas);
    return item === "" ? "" : `${item}[]`;
  }
  const name = nameOf(schema);
  return name !== undefined && "properties" in schemas[name]! ? `: ${name}` : "";
}

function spellOut(schema: Schema, schemas: Schemas): string {
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(options)) {
    return options.map((option: Schema) => nameOf(option) ?? spellOut(option, schemas)).join(" or ");
  }
  if (schema["type"] === "array") {
    const items = schema["items"] as Schema;
    return `${nameOf(items) ?? spellOut(items, schemas)}[]`;
  }
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties as Record<string, Schema>).map(([name, member]) =>
    `${name}${(required as readonly string[]).includes(name) ? "" : "?"}${typeOfMember(member, schemas)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Returns the members of a body, or its name if they are too long to read. */
function shapeOf(schema: Schema, schemas: Schemas): string {
  const name = nameOf(schema);
  const shape = spellOut(name === undefined ? schema : schemas[name]!, schemas);
  if (name !== undefined && shape === "{}") return name;
  return shape.length > LONGEST_SHAPE ? name ?? "{ … }" : shape;
}

const code = (text: string): string => `\`${text}\``;

function requestCell(
  { parameters = [], requestBody }: Operation,
  { bodyIs }: Described,
  schemas: Schemas,
): string {
  const query = parameters.filter((parameter) => parameter.in === "query")
    .map(({ name, required }) => `${name}${required ? "" : "?"}`);
  const headers = parameters.filter((parameter) => parameter.in === "header").map(({ name }) => code(name));
  const body = Object.values(requestBody?.content ?? {}).map(({ schema }) => shapeOf(schema, schemas))
    .filter((shape) => shape !== "{}");
  return [
    ...body.map((shape) => `${bodyIs === "form" ? "form " : ""}${code(shape)}`),
    ...(query.length === 0 ? [] : [`query ${query.map(code).join(", ")}`]),
    ...(headers.length === 0 ? [] : [`header ${headers.join(", ")}`]),
  ].join("; ");
}

/** Joins the statuses with the same content: `200, 202 a page`. */
function byContent(returns: readonly (readonly [status: string, content: string])[]): string[] {
  return [...Map.groupBy(returns, ([, content]) => content)].map(([content, same]) =>
    `${same.map(([status]) => status).join(", ")} ${content}`.trimEnd()
  );
}

function answerCell(
  { responses }: Operation,
  { returns, codes = [], errors = {} }: Described,
  schemas: Schemas,
): string {
  const successes = Object.entries(returns).map(([status, content]): readonly [string, string] => {
    if (content === null) return [status, ""];
    if (typeof content === "string") return [status, `a ${content}`];
    const shape = code(shapeOf(responses[status]!.content!["application/json"]!.schema, schemas));
    return [status, "kind" in content ? shape : `${shape} or a page`];
  });
  const byStatus = [
    ...Map.groupBy(codes, (name) => PROBLEMS[name].status),
    ...Object.entries(errors).map(([status, names]) => [Number(status), names] as const),
  ];
  const refusals = byStatus.toSorted(([a], [b]) => a - b)
    .map(([status, names]) => `${status} ${names.map(code).join(", ")}`);
  return [...byContent(successes), ...refusals].join("; ");
}

function textOf({ summary, description }: Described): string {
  return description === undefined ? summary : `${summary.replace(/(?<!\?)$/, ".")} ${description}`;
}

const HEADINGS = ["Method and path", "Guard", "Purpose", "Request", "Response"];

function rowOf(route: Route, { paths, components: { schemas } }: Document): readonly string[] {
  const { method, path, guard } = route;
  const described = route.description;
  const operation = paths[path.replace(/:([A-Za-z]+)/g, "{$1}")]![method.toLowerCase()]!;
  return [
    `${method} ${code(path)}`,
    guard,
    textOf(described),
    requestCell(operation, described, schemas),
    answerCell(operation, described, schemas),
  ];
}

/** Returns the name of the table that lists an operation. */
function tableOf(route: Route): string {
  return `paths ${route.path.startsWith("/admin") ? "Administrator's pages" : route.description.tag}`;
}

/**
 * Returns the tables of operations by the names of their markers: one for each tag, and one for the administration
 * pages.
 */
export function pathTables(document: Document): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...Map.groupBy(describedRoutes(), tableOf)].map(([name, routes]) => [
      name,
      table(HEADINGS, routes.map((route) => rowOf(route, document))),
    ]),
  );
}
