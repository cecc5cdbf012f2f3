import { PURPOSE_LIMIT, type Tool } from "./tool.ts";

const ARGUMENTS = {
  keyId: { type: "string", description: "The id of a key, from list_keys" },
  requestId: { type: "string", description: "The id of a signing request" },
  purpose: {
    type: "string",
    minLength: 1,
    maxLength: PURPOSE_LIMIT,
    description: "Why you ask, in a sentence. The owner sees it as your claim",
  },
} as const;

type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema (2020-12) of an object. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Json;
  readonly required: readonly string[];
  readonly additionalProperties?: false;
  readonly $defs?: Json;
}

interface Content {
  readonly content?: { readonly "application/json"?: { readonly schema: Schema } };
}

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The description of the API, as far as the tools need it. */
export interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

function operationOf({ operation }: Tool, { paths }: OpenApi): Operation {
  const rows = Object.values(paths).flatMap((path) => Object.values(path));
  return rows.find(({ operationId }) => operationId === operation)!;
}

function schemaOf({ content }: Content): Schema | undefined {
  return content?.["application/json"]?.schema;
}

/** Replaces references to components by what they refer to. */
function inline(value: unknown, document: OpenApi): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, document));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference } = value as { readonly $ref?: string };
  if (reference !== undefined) {
    return inline(document.components.schemas[reference.split("/").at(-1)!], document);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(member, document)]));
}

/** Replaces references to components by references to `$defs`, and adds these to `defs`. Schemas may be recursive. */
function rebase(value: unknown, document: OpenApi, defs: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(item, document, defs));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference } = value as Schema;
  if (reference === undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, rebase(member, document, defs)]),
    );
  }
  const name = reference.split("/").at(-1)!;
  if (!Object.hasOwn(defs, name)) {
    defs[name] = {};
    defs[name] = rebase(document.components.schemas[name], document, defs);
  }
  return { $ref: `#/$defs/${name}` };
}

interface Variant {
  readonly properties?: Json;
  readonly required?: readonly string[];
}

interface Schema extends Variant {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}

/** Returns the objects that a schema permits: itself, or those of its `anyOf`. */
function variantsOf(schema: Schema, document: OpenApi): readonly Variant[] {
  const { $ref: reference, anyOf } = schema;
  if (reference !== undefined) {
    return variantsOf(document.components.schemas[reference.split("/").at(-1)!]!, document);
  }
  return anyOf?.flatMap((each) => variantsOf(each, document)) ?? [schema];
}

/** Returns one object with the members of all variants. Several clients take no `anyOf` at the top of a schema. */
function flatten(
  variants: readonly Variant[],
): { readonly properties: Json; readonly required: readonly string[] } {
  const names = [...new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const properties = names.map((name) => {
    const texts = variants.flatMap(({ properties = {} }) =>
      name in properties ? [JSON.stringify(properties[name])] : []
    );
    const forms = [...new Set(texts)].map((text) => JSON.parse(text) as unknown);
    return [name, forms.length === 1 ? forms[0] : { anyOf: forms }] as const;
  });
  const required = names.filter((name) => variants.every((variant) => variant.required?.includes(name)));
  return { properties: Object.fromEntries(properties), required };
}

function bodyOf(tool: Tool, document: OpenApi): ReturnType<typeof flatten> {
  if (!tool.hasBody) return { properties: {}, required: [] };
  const schema = schemaOf(operationOf(tool, document).requestBody!)!;
  return flatten(variantsOf(inline(schema, document) as Schema, document));
}

/** Returns the schema of a tool's arguments: the members of the operation's body, its parameter and a purpose. */
export function inputSchemaOf(tool: Tool, document: OpenApi): ObjectSchema {
  const { parameter, action, readOnly } = tool;
  const { properties, required } = bodyOf(tool, document);
  const own = parameter === undefined ? {} : { [parameter]: ARGUMENTS[parameter] };
  const purpose = action === "sign" && !readOnly && parameter === "keyId"
    ? { purpose: ARGUMENTS.purpose }
    : {};
  return {
    type: "object",
    properties: { ...own, ...properties, ...purpose },
    required: [...Object.keys(own), ...required],
    additionalProperties: false,
  };
}

/** The result of an operation that answers nothing. */
const SUCCESS: ObjectSchema = {
  type: "object",
  properties: { success: { const: true } },
  required: ["success"],
};

const REQUEST_URL = {
  type: "string",
  description: "The page where the owner decides about a pending request",
};

/** The statuses of an answer, and of a request that waits. */
const DONE = ["200", "202"] as const;

/** Returns the schema of a tool's result that is no refusal: what the operation answers, and the URL of a request. */
export function outputSchemaOf(tool: Tool, document: OpenApi): ObjectSchema {
  const { responses } = operationOf(tool, document);
  const answers = DONE.flatMap((status) => schemaOf(responses[status] ?? {}) ?? []);
  if (answers.length === 0) return SUCCESS;
  const { properties, required } = flatten(answers.flatMap((schema) => variantsOf(schema, document)));
  const url = Object.hasOwn(properties, "request") ? { url: REQUEST_URL } : {};
  const $defs: Record<string, unknown> = {};
  const rebased = rebase(properties, document, $defs) as Json;
  return { type: "object", properties: { ...rebased, ...url }, required, $defs };
}
