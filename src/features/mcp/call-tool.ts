import type { KeyUser, ProgramContext } from "../../http/guard/key-requester.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { RefusalError } from "../../lib/error.ts";
import { asObject } from "../../lib/object.ts";
import { readName } from "../../lib/text.ts";
import { PURPOSE_LIMIT, type Tool } from "./tool.ts";

export type ToolArguments = Readonly<Record<string, unknown>>;

/** The content of a tool's result. */
export type ToolContent = Readonly<Record<string, unknown>>;

export type ToolOutcome =
  | { readonly kind: "done"; readonly content: ToolContent }
  /** A request that waits for the owner. */
  | { readonly kind: "pending"; readonly requestId: string; readonly content: ToolContent }
  | { readonly kind: "refused"; readonly content: ToolContent };

export interface ToolCaller {
  readonly context: RequestContext;
  readonly services: Services;
  readonly user: KeyUser;
  /** Returns the route of an operation of the API. */
  readonly routeOf: (operation: string) => Route;
}

export function refused(code: string, reason: string): ToolOutcome {
  return { kind: "refused", content: { code, rule: null, value: null, reason } };
}

function toRefusal({ problem, message, members, errors }: RefusalError): ToolOutcome {
  const { rule = null, value = null, reason = message } = members ?? {};
  const faults = errors?.map(({ path, parameter, message }) => `${path ?? parameter}: ${message}`) ?? [];
  const content = { code: problem, rule, value, reason: [reason ?? message, ...faults].join("; ") };
  return { kind: "refused", content };
}

/** Adds to a pending request its page, where the owner decides. */
function pendingOf(body: ToolContent, baseUrl: string): ToolOutcome {
  const { id } = body["request"] as { readonly id: string };
  return { kind: "pending", requestId: id, content: { ...body, url: `${baseUrl}/requests/${id}` } };
}

function isPending(body: ToolContent): boolean {
  return asObject(body["request"])?.["status"] === "pending";
}

/** Runs an operation of the API for the program that `/mcp` has admitted. */
async function run(
  { context, services, user, routeOf }: ToolCaller,
  operation: string,
  { params, body, purpose }: {
    readonly params: Readonly<Record<string, string>>;
    readonly body: ToolArguments | undefined;
    readonly purpose?: string | undefined;
  },
): Promise<Response> {
  const route = routeOf(operation);
  const headers = new Headers({ host: context.url.host });
  if (body !== undefined) headers.set("content-type", "application/json");
  const text = body === undefined ? null : JSON.stringify(body);
  const request = new Request(context.url, { method: route.method, headers, body: text });
  const { lateBody: _late, ...rest } = context;
  const own: ProgramContext = {
    ...rest,
    request,
    url: new URL(context.url.origin),
    params,
    now: context.clock(),
    program: { user, purpose },
  };
  return await route.run(own, services);
}

/**
 * Calls a tool: the operation of the API with the arguments as its path parameter and body. Returns refusals of the
 * API. Throws what is no refusal, and `insufficient_scope`.
 */
export async function callTool(caller: ToolCaller, tool: Tool, given: ToolArguments): Promise<ToolOutcome> {
  const { parameter, operation, hasBody } = tool;
  const { purpose: claimed, ...rest } = given;
  const isExplained = claimed !== undefined && tool.action === "sign" && hasBody;
  const purpose = isExplained && typeof claimed === "string" ? readName(claimed, PURPOSE_LIMIT) : undefined;
  if (claimed !== undefined && purpose === undefined) {
    return refused(
      "invalid_request",
      `Send a purpose of 1 to ${PURPOSE_LIMIT} characters with a signature, or none`,
    );
  }
  const { [parameter ?? ""]: id, ...body } = rest;
  if (parameter !== undefined && typeof id !== "string") {
    return refused("invalid_request", `Send ${parameter}`);
  }
  if (!hasBody && Object.keys(body).length > 0) {
    return refused("invalid_request", `Send no other arguments than ${parameter ?? "none"}`);
  }
  const params = parameter === undefined ? {} : { [parameter]: id as string };
  try {
    const response = await run(caller, operation, { params, body: hasBody ? body : undefined, purpose });
    if (response.status === 204) return { kind: "done", content: { success: true } };
    const content = await response.json() as ToolContent;
    return isPending(content) ? pendingOf(content, caller.services.baseUrl) : { kind: "done", content };
  } catch (error) {
    if (error instanceof RefusalError && error.status < 500) return toRefusal(error);
    throw error;
  }
}
