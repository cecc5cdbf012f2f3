import * as v from "valibot";
import { mcpToken } from "../../http/guard/key-guards.ts";
import { type KeyUser, requireAction } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import { defineEndpoint, type Route, route } from "../../http/route.ts";
import { KIB } from "../../http/request/body.ts";
import { asObject } from "../../lib/object.ts";
import { findTool } from "./tools.ts";

/** A message of JSON-RPC. The protocol's own SDK validates it. */
const McpMessage = v.unknown();

const BODY = { limit: 1024 * KIB, texts: "signed", top: "any" } as const;

/** Throws `insufficient_scope` for a tool whose right the token lacks, which the client can then ask for. */
function requireToolAction(user: KeyUser, message: unknown): void {
  const { method, params } = asObject(message) ?? {};
  const tool = method === "tools/call" ? findTool(asObject(params)?.["name"]) : undefined;
  if (tool !== undefined) requireAction(user, tool.action);
}

/**
 * Creates the Model Context Protocol endpoint (streamable HTTP without sessions, 2025-11-25 and 2026-07-28). Its tools
 * run the given routes of the API for the application that the token identifies.
 */
export function mcpRoutes(operations: readonly Route[]): readonly Route[] {
  const byId = new Map(operations.map((row) => [row.description.id, row]));
  const routeOf = (operation: string): Route => byId.get(operation)!;
  const endpoint = defineEndpoint(mcpToken, {}, async (context, user, _input, services) => {
    const message = await readJson(context, McpMessage, BODY);
    requireToolAction(user, message);
    // Loaded here because most services have no agents.
    const [{ createMcpHandler }, { createServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./server.ts"),
    ]);
    const caller = { context, services, user, routeOf };
    const handler = createMcpHandler(
      () => createServer(caller, asObject(asObject(message)?.["params"]) ?? {}),
      {
        // The tools never change, so that a stream which waits for that stays silent.
        maxSubscriptions: 1,
      },
    );
    const { headers, signal } = context.request;
    const request = new Request(context.url, {
      method: "POST",
      headers,
      body: JSON.stringify(message),
      signal,
    });
    const { status, body, headers: given } = await handler.fetch(request, { parsedBody: message });
    return new Response(body, { status, headers: given });
  });
  return [
    route("POST", "/mcp", endpoint, {
      id: "mcp",
      tag: "Keys",
      summary: "Call a tool (Model Context Protocol, streamable HTTP)",
      description: "A JSON-RPC message of 2025-11-25 or 2026-07-28. See the page on agents.",
      body: v.looseObject({}),
      returns: { 200: "file", 202: "file", 400: "file", 404: "file" },
      codes: ["invalid_json", "unsupported_media_type", "body_too_large"],
    }),
  ];
}
