import { inputRequired, Server } from "@modelcontextprotocol/server";
import { PRODUCT_NAME } from "../../lib/product.ts";
import { asObject } from "../../lib/object.ts";
import { callTool, refused, type ToolArguments, type ToolCaller, type ToolOutcome } from "./call-tool.ts";
import { openRequestState, sealRequestState } from "./request-state.ts";
import type { Tool } from "./tool.ts";
import { findTool, listTools, serviceVersion } from "./tools.ts";

const INSTRUCTIONS =
  "Ethereum keys of an owner, who has set what you may sign. Call list_keys, then explain, then sign. A signature that the owner must approve gives a url for the user: show it, and call get_signing_request until it has a decision. A refusal has a code and a reason; the same call is refused again.";

const TOOLS_CACHE = { ttlMs: 60 * 60_000, cacheScope: "public" } as const;

/** The capabilities that a client of 2026-07-28 declares with each request. */
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

type Json = Readonly<Record<string, unknown>>;

interface ToolResult {
  [name: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

/** Returns true if a request of 2026-07-28 declares elicitation by URL. */
function acceptsUrls(params: Json): boolean {
  const capabilities = asObject(asObject(params["_meta"])?.[CLIENT_CAPABILITIES]);
  return asObject(asObject(capabilities?.["elicitation"])?.["url"]) !== undefined;
}

function toResult({ kind, content }: ToolOutcome): ToolResult {
  const texts = [JSON.stringify(content)];
  if (kind === "pending") {
    const { id } = content["request"] as { readonly id: string };
    texts.unshift(
      `The owner must approve this at ${
        String(content["url"])
      } . Show the link to the user. Then call get_signing_request with requestId ${id} until its status is not pending.`,
    );
  }
  return {
    content: texts.map((text) => ({ type: "text", text })),
    structuredContent: { ...content },
    ...(kind === "refused" && { isError: true }),
  };
}

/** Returns the outcome of the request that an earlier round has begun: its signature, or that it still waits. */
async function continueRound(caller: ToolCaller, requestId: string): Promise<ToolOutcome> {
  const outcome = await callTool(caller, findTool("get_signing_request")!, { requestId });
  if (outcome.kind !== "done") return outcome;
  const { status, signed, refusal, word } = outcome.content["request"] as Json;
  if (status === "signed") return { kind: "done", content: signed as Json };
  const { code = "signing_request_over", detail } = asObject(refusal) ?? {};
  return refused(String(code), String(detail ?? word ?? `The request is ${String(status)}`));
}

/** Answers a tool call. A request that waits also goes to the client as a link, if it declares that it opens links. */
async function answerCall(
  caller: ToolCaller,
  tool: Tool,
  { given, state, params }: {
    readonly given: ToolArguments;
    readonly state: string | undefined;
    readonly params: Json;
  },
): Promise<unknown> {
  const bound = { user: caller.user, tool: tool.name, given };
  if (state !== undefined) {
    const requestId = openRequestState(caller.services.vault, bound, state);
    if (requestId === undefined) {
      return toResult(refused("invalid_request", "The requestState is of another call"));
    }
    return toResult(await continueRound(caller, requestId));
  }
  const outcome = await callTool(caller, tool, given);
  if (outcome.kind !== "pending" || tool.readOnly || !acceptsUrls(params)) return toResult(outcome);
  const url = String(outcome.content["url"]);
  return inputRequired({
    inputRequests: {
      approval: inputRequired.elicitUrl({
        message: "The owner must approve this signature with a passkey.",
        url,
      }),
    },
    requestState: sealRequestState(caller.services.vault, bound, outcome.requestId),
  });
}

/** Creates the server of one request, whose parameters are as the client sent them. */
export function createServer(caller: ToolCaller, params: Json): Server {
  const server = new Server({
    name: PRODUCT_NAME,
    title: caller.services.brand.name,
    version: serviceVersion(),
  }, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    cacheHints: { "tools/list": TOOLS_CACHE, "server/discover": TOOLS_CACHE },
  });
  server.setRequestHandler("tools/list", () => ({ tools: listTools() as never }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: given = {} } = request.params;
    const tool = findTool(name);
    if (tool === undefined) return toResult(refused("not_found", "There is no such tool"));
    const state = context.mcpReq.requestState();
    return await answerCall(caller, tool, { given, state: state as string | undefined, params }) as never;
  });
  return server;
}
