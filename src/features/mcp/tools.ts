import * as openApi from "../../../generated/openapi.json" with { type: "text" };
import type { Tool } from "./tool.ts";
import { inputSchemaOf, type ObjectSchema, type OpenApi, outputSchemaOf } from "./tool-schemas.ts";

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

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
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
    outputSchema: outputSchemaOf(tool, document!),
    annotations: { readOnlyHint: tool.readOnly },
  }));
}
