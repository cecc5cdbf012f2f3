import assert from "node:assert/strict";
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { askFor, askToken, registerKeyClient } from "../../support/key-application.ts";
import { locationOf, pkcePair, postForm, providerOf } from "../../support/oauth.ts";
import type { Fields } from "../../support/oauth.ts";

/** Parsed JSON. */
export type Json = Answer["body"];

/** An owner who has let an agent in, and the agent's access token for `/mcp`. */
export interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly origin: string;
  readonly owner: Client;
  readonly keyId: string;
  readonly token: string;
  /** Lets the agent in again with this consent and scope, and returns its token. */
  letIn(consent?: Fields, scope?: string): Promise<string>;
  /** Sends a message as the agent. */
  send(message: object, headers?: Fields, token?: string): Promise<Answer>;
}

export async function setStage(
  consent: Fields = { template: "sign-in", "value:sign-in:site": "shop.example", otherwise: "ask" },
  origin = "http://localhost:3000",
): Promise<Stage> {
  const app = await createTestApp({ origin });
  const client = await registerKeyClient(providerOf(app), { type: "web", dpopBoundAccessTokens: false });
  const owner = app.client();
  const keyId = (await signUp(owner, "ada@example.com")).body.key.id;
  async function letIn(consent: Fields = {}, scope = ""): Promise<string> {
    const pkce = pkcePair();
    const { request } = await askFor(owner, client, pkce, { scope, resource: `${origin}/mcp` });
    const decision = { request, decision: "approve", [`key:${keyId}`]: "on", ...consent };
    const code = locationOf(await postForm(owner, "/consent", decision), origin).searchParams.get("code")!;
    const { body, text } = await askToken(app, client, {
      grant_type: "authorization_code",
      code,
      redirect_uri: client.redirectUris[0]!,
      code_verifier: pkce.verifier,
    });
    assert.ok(body.access_token, text);
    return body.access_token;
  }
  const token = await letIn(consent);
  const send: Stage["send"] = (message, headers = {}, by = token) =>
    app.client().post("/mcp", { jsonrpc: "2.0", id: 1, ...message }, {
      headers: { authorization: `Bearer ${by}`, accept: "application/json, text/event-stream", ...headers },
    });
  return {
    app,
    origin,
    owner,
    keyId,
    token,
    letIn,
    send,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The eras of the protocol, and the version that the SDK's client must be pinned to for one. */
export const ERAS = [["2025-11-25", undefined], ["2026-07-28", "2026-07-28"]] as const;

/** Connects the SDK's client of an era to the service, without a socket. */
export async function connect({ app, origin, token }: Stage, pin?: string): Promise<McpClient> {
  const client = new McpClient({ name: "agent", version: "1" }, {
    ...(pin !== undefined && { versionNegotiation: { mode: { pin } } }),
  });
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    request.headers.set("host", new URL(origin).host);
    return await app.app(request, { clientAddress: "127.0.0.1" });
  };
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { fetch, requestInit }));
  return client;
}

/** Returns the message of an event stream, or the JSON of a response. */
export function messageOf({ text }: Answer): Json {
  const [, data] = /^data: (.*)$/m.exec(text) ?? [];
  return JSON.parse(data ?? text);
}

const MODERN = "2026-07-28";

/** Sends a tool call of 2026-07-28 and returns its result. */
export async function callModern(
  stage: Stage,
  params: { readonly name: string } & Readonly<Record<string, unknown>>,
  { capabilities = {}, token }: { capabilities?: object; token?: string } = {},
): Promise<Json> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": params.name };
  const answer = await stage.send({ method: "tools/call", params: { ...params, _meta } }, headers, token);
  assert.equal(answer.status, 200, answer.text);
  return messageOf(answer).result;
}
