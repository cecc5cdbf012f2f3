import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { AGENTS } from "../../src/features/tokens/agents.ts";
import { TOOLS } from "../../src/features/mcp/tools.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { askFor, askToken } from "../support/key-application.ts";
import { locationOf, pkcePair, postForm } from "../support/oauth.ts";

const PATH = fileURLToPath(new URL("../../docs/how-to/agents.md", import.meta.url));
const PAGE = readFileSync(PATH, "utf8");

/** Returns the only block in the section with this heading. */
function blockOf(heading: string): string {
  const section = PAGE.split("\n## ").find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const blocks = [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text]) => text!.trim());
  assert.equal(blocks.length, 1, heading);
  return blocks[0]!;
}

test("what the page has the reader paste is what the page of a developer shows, and names the resource of /mcp", async () => {
  await using app = await createTestApp({ origin: "http://localhost:3000" });
  const { body } = await app.client().get("/.well-known/oauth-protected-resource/mcp");
  const url = body.resource;
  for (const { name, paste } of AGENTS) assert.equal(blockOf(name), paste(url), name);
  assert.deepEqual(JSON.parse(blockOf("VS Code")), { servers: { holdfast: { type: "http", url } } });
});

test("the page names every tool", () => {
  const rows = PAGE.split("\n").filter((line) => line.startsWith("| `") && !line.includes("policy_denied"));
  const named = rows.flatMap((line) =>
    [...line.split("|")[1]!.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!)
  );
  assert.deepEqual(named.filter((name) => name !== "insufficient_scope"), TOOLS.map(({ name }) => name));
});

test("an agent that is registered as the page says connects to /mcp", async () => {
  await using app = await createTestApp({ origin: "http://localhost:3000" });
  const [, body] = /-d '(.*?)'/s.exec(blockOf("An agent that does not describe itself")) ?? [];
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const made = await app.client().post("/api/admin/oauth/clients", JSON.parse(body!), { headers });
  assert.equal(made.status, 201, made.text);
  const { client } = made.body;
  const owner = app.client();
  const keyId = (await signUp(owner, "ada@example.com")).body.key.id;
  const pkce = pkcePair();
  const { request } = await askFor(owner, client, pkce, {
    scope: "",
    resource: "http://localhost:3000/mcp",
  });
  const decision = { request, decision: "approve", [`key:${keyId}`]: "on" };
  const redirect = locationOf(await postForm(owner, "/consent", decision), "http://localhost:3000");
  const tokens = await askToken(app, client, {
    grant_type: "authorization_code",
    code: redirect.searchParams.get("code")!,
    redirect_uri: client.redirectUris[0]!,
    code_verifier: pkce.verifier,
  });
  assert.equal(tokens.body.token_type, "Bearer", tokens.text);
  const listed = await app.client().post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {
    headers: {
      authorization: `Bearer ${tokens.body.access_token}`,
      accept: "application/json, text/event-stream",
    },
  });
  assert.match(listed.text, /"sign_message"/);
});
