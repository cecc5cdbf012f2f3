import * as openApi from "../../../generated/openapi.json" with { type: "text" };
import type { TokenAction } from "../../accounts/token/api-token.ts";

/** A JSON Schema (2020-12) of an object. */
interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** A tool: the operation of the API that it calls, and the right that it needs. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The `operationId` of its operation. */
  readonly operation: string;
  readonly action: TokenAction;
  readonly readOnly: boolean;
  /** The parameter of the operation's path that is an argument; undefined without one. */
  readonly parameter?: "keyId" | "requestId";
  /** True if the arguments are the members of the operation's body. */
  readonly hasBody: boolean;
}

const BEFORE = "Call explain first to see what would be signed.";
const PENDING =
  "If the owner must approve, the result has a pending request and its url: show the url to the user, then call get_signing_request until it has a decision.";

/** The tools, as the model reads them. */
export const TOOLS: readonly Tool[] = [
  {
    name: "list_keys",
    title: "List keys",
    description: "Lists the Ethereum keys that the owner chose for you, with their ids and addresses.",
    operation: "listKeys",
    action: "read",
    readOnly: true,
    hasBody: false,
  },
  {
    name: "explain",
    title: "Explain a signature",
    description:
      "Says in plain words what a message, typed data, a transaction or an authorization would do, and what the owner's policy decides. Signs nothing.",
    operation: "explain",
    action: "read",
    readOnly: true,
    parameter: "keyId",
    hasBody: true,
  },
  {
    name: "sign_message",
    title: "Sign a message",
    description: `Signs a text or bytes (EIP-191). ${BEFORE} ${PENDING}`,
    operation: "signMessage",
    action: "sign",
    readOnly: false,
    parameter: "keyId",
    hasBody: true,
  },
  {
    name: "sign_typed_data",
    title: "Sign typed data",
    description: `Signs typed data (EIP-712). ${BEFORE} ${PENDING}`,
    operation: "signTypedData",
    action: "sign",
    readOnly: false,
    parameter: "keyId",
    hasBody: true,
  },
  {
    name: "sign_transaction",
    title: "Sign a transaction",
    description: `Signs a transaction and returns it serialized. Sends it nowhere. ${BEFORE} ${PENDING}`,
    operation: "signTransaction",
    action: "sign",
    readOnly: false,
    parameter: "keyId",
    hasBody: true,
  },
  {
    name: "sign_authorization",
    title: "Sign an authorization",
    description: `Signs an EIP-7702 authorization, which sets code on the account. ${BEFORE} ${PENDING}`,
    operation: "signAuthorization",
    action: "sign",
    readOnly: false,
    parameter: "keyId",
    hasBody: true,
  },
  {
    name: "get_signing_request",
    title: "Get a signing request",
    description:
      "Returns a request that waits for the owner, and its signature once the owner has approved it.",
    operation: "getSigningRequest",
    action: "sign",
    readOnly: true,
    parameter: "requestId",
    hasBody: false,
  },
  {
    name: "withdraw_signing_request",
    title: "Withdraw a signing request",
    description: "Withdraws a request that waits for the owner.",
    operation: "withdrawSigningRequest",
    action: "sign",
    readOnly: false,
    parameter: "requestId",
    hasBody: false,
  },
];

export function findTool(name: unknown): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}

export const PURPOSE_LIMIT = 500;

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

interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Json };
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

interface Variant {
  readonly properties?: Json;
  readonly required?: readonly string[];
}

/** Returns the objects that a schema permits: itself, or those of its `anyOf`. */
function variantsOf(schema: Variant & { readonly anyOf?: readonly Variant[] }): readonly Variant[] {
  return schema.anyOf?.flatMap(variantsOf) ?? [schema];
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

function bodyOf({ operation, hasBody }: Tool, document: OpenApi): ReturnType<typeof flatten> {
  if (!hasBody) return { properties: {}, required: [] };
  const rows = Object.values(document.paths).flatMap((path) => Object.values(path));
  const row = rows.find(({ operationId }) => operationId === operation) as
    | { readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> } }
    | undefined;
  const schema = row!.requestBody.content["application/json"]!.schema;
  return flatten(variantsOf(inline(schema, document) as Variant));
}

/** Returns the schema of a tool's arguments: the members of the operation's body, its parameter and a purpose. */
function inputSchemaOf(tool: Tool, document: OpenApi): ObjectSchema {
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

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: { readonly readOnlyHint: boolean };
}

function readDescription(): OpenApi {
  const { default: text } = openApi as unknown as { readonly default: string };
  return JSON.parse(text) as OpenApi;
}

let version: string | undefined;

/** Returns the version of the API. */
export function serviceVersion(): string {
  return version ??= readDescription().info.version;
}

let listed: readonly ListedTool[] | undefined;

/** Returns the tools with their schemas, which are derived once from the description of the API. */
export function listTools(): readonly ListedTool[] {
  const document = listed === undefined ? readDescription() : undefined;
  return listed ??= TOOLS.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool, document!),
    annotations: { readOnlyHint: tool.readOnly },
  }));
}
