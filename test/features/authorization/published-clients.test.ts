import assert from "node:assert/strict";
import { test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { FetchedResponse } from "../../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS, ORIGIN } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { askFor } from "../../support/key-application.ts";
import { locationOf, pkcePair, postForm } from "../../support/oauth.ts";
import type { Fields, Registered } from "../../support/oauth.ts";

interface Published {
  readonly client_id: string;
  readonly client_name: string;
  readonly token_endpoint_auth_method: string;
  readonly jwks_uri?: string;
}

/** The documents as published at each `client_id` in September 2026, with a redirect URI that the client sends. */
const PUBLISHED: readonly (readonly [sent: string, document: Published & Record<string, unknown>])[] = [
  ["http://localhost:51234/callback", {
    client_id: "https://claude.ai/oauth/claude-code-client-metadata",
    client_name: "Claude Code",
    client_uri: "https://claude.ai",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  }],
  ["https://claude.ai/api/mcp/auth_callback", {
    client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    client_name: "Claude",
    client_uri: "https://claude.ai",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  }],
  ["https://chatgpt.com/connector_platform_oauth_redirect", {
    client_id: "https://chatgpt.com/oauth/client.json",
    client_uri: "https://chatgpt.com/",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    client_name: "ChatGPT",
    logo_uri: "https://persistent.oaistatic.com/sonic/misc/openai-logo.png",
    token_endpoint_auth_signing_alg: "RS256",
    jwks_uri: "https://chatgpt.com/oauth/jwks.json",
  }],
  ["http://127.0.0.1:51234/callback", {
    client_id: "https://chatgpt.com/oauth/codex/client.json",
    client_uri: "https://chatgpt.com/codex",
    application_type: "native",
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    token_endpoint_auth_method: "none",
    token_endpoint_auth_methods_supported: ["none"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    client_name: "Codex",
    logo_uri: "https://persistent.oaistatic.com/sonic/misc/openai-logo.png",
  }],
  ["http://127.0.0.1:33418/", {
    client_name: "Visual Studio Code",
    logo_uri: "https://code.visualstudio.com/assets/branding/code-stable.png",
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
    client_id: "https://vscode.dev/oauth/client-metadata.json",
    client_uri: "https://vscode.dev/product",
    redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  }],
  ["http://127.0.0.1:19876/callback", {
    client_id: "https://opencode.ai/oauth/opencode/client.json",
    client_name: "opencode",
    client_uri: "https://opencode.ai",
    logo_uri: "https://opencode.ai/web-app-manifest-512x512.png",
    application_type: "native",
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    token_endpoint_auth_methods_supported: ["none"],
  }],
];

const KEYS = await generateKeyPair("RS256", { extractable: true });
const JWKS = { keys: [{ ...await exportJWK(KEYS.publicKey), kid: "1", alg: "RS256", use: "sig" }] };

/** Returns how the client authenticates at the token endpoint. */
async function credentialsOf({ client_id: id, jwks_uri: uri }: Published, now: number): Promise<Fields> {
  if (uri === undefined) return { client_id: id };
  const seconds = Math.floor(now / 1000);
  const claims = { iss: id, sub: id, aud: ORIGIN, iat: seconds, exp: seconds + 60, jti: crypto.randomUUID() };
  return {
    client_id: id,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" })
      .sign(KEYS.privateKey),
  };
}

for (const [sent, document] of PUBLISHED) {
  test(`${document.client_name} connects to /mcp by the document that it publishes`, async () => {
    const fetch = (url: string): Promise<FetchedResponse> => {
      if (url === document.client_id) return Promise.resolve(Response.json(document));
      assert.equal(url, document.jwks_uri);
      return Promise.resolve(Response.json(JWKS));
    };
    await using app = await createTestApp({ identity: { ...NO_PROVIDERS, fetch } });
    const person = app.client();
    const keyId = (await signUp(person, "ada@example.com")).body.key.id;
    const client = { clientId: document.client_id, redirectUris: [sent] } as unknown as Registered;
    const pkce = pkcePair();
    const resource = `${ORIGIN}/mcp`;
    const { request, page } = await askFor(person, client, pkce, { scope: "", resource });
    assert.match(page.text, new RegExp(`It calls itself <bdi>${document.client_name}</bdi>`));
    const decision = { request, decision: "approve", [`key:${keyId}`]: "on", otherwise: "ask" };
    const redirect = locationOf(await postForm(person, "/consent", decision));
    assert.equal(redirect.origin + redirect.pathname, sent);
    assert.equal(redirect.searchParams.get("iss"), ORIGIN);
    const redeem = async (form: Fields) =>
      await postForm(app.client(), "/api/auth/oauth2/token", {
        ...await credentialsOf(document, app.now),
        ...form,
        resource,
      }, {});
    const tokens = await redeem({
      grant_type: "authorization_code",
      code: redirect.searchParams.get("code")!,
      redirect_uri: sent,
      code_verifier: pkce.verifier,
    });
    assert.deepEqual([tokens.body.token_type, tokens.body.expires_in], ["Bearer", 600], tokens.text);
    const refreshed = await redeem({
      grant_type: "refresh_token",
      refresh_token: tokens.body.refresh_token,
    });
    assert.equal(refreshed.status, 200, refreshed.text);
    const listed = await app.client().post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {
      headers: {
        authorization: `Bearer ${refreshed.body.access_token}`,
        accept: "application/json, text/event-stream",
      },
    });
    assert.match(listed.text, /"sign_message"/);
  });
}
