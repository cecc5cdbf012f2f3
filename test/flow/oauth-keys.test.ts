import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { hashMessage, recoverAddress } from "viem";
import { signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { locationOf, postForm, registerClient } from "../support/oauth.ts";
import type { Provider, Registered } from "../support/oauth.ts";
import { serveTestApp } from "../support/served-app.ts";

// Unmodified client libraries as an application that signs with its users' keys.

const INSECURE = { [oauth.allowInsecureRequests]: true };
const REDIRECT = "https://bot.example/cb";
const SIGN_IN = { version: 1, messages: { signIn: [{ domains: ["shop.example"] }] } };
const DETAILS = JSON.stringify([{ type: "ethereum_sign", policy: SIGN_IN }]);
const SCOPE = "openid keys:read keys:sign";

/** Returns a sign-in message (EIP-4361). */
function signInTo(domain: string, address: string): string {
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    "",
    "",
    `URI: https://${domain}/login`,
    "Version: 1",
    "Chain ID: 1",
    "Nonce: 32891756",
    "Issued At: 2026-01-31T09:30:00Z",
  ].join("\n");
}

interface Stage {
  readonly provider: Provider;
  readonly person: Client;
  readonly keyId: string;
  readonly address: string;
  readonly client: Registered;
  stop(): Promise<void>;
}

async function setStage(change: object = {}): Promise<Stage> {
  const served = await serveTestApp();
  // The libraries use the machine's clock.
  served.app.now = Date.now();
  const provider = { origin: served.baseUrl, client: () => served.app.client() };
  const person = served.app.client();
  const { key } = (await signUp(person, "ada@example.com")).body;
  const client = await registerClient(provider, {
    name: "Bot",
    type: "spa",
    redirectUris: [REDIRECT],
    scopes: ["openid", "keys:read", "keys:sign"],
    ...change,
  });
  return { provider, person, keyId: key.id, address: key.address, client, stop: () => served.stop() };
}

/** Opens the consent page, and approves with one key and the first rule. */
async function agree({ person, keyId }: Stage, url: URL): Promise<URL> {
  const consentUrl = locationOf(await person.get(url.pathname + url.search));
  const page = await person.get(consentUrl.pathname + consentUrl.search);
  assert.match(page.text, /May sign in to shop\.example\./);
  const form = { request: consentUrl.searchParams.get("request")!, decision: "approve", end: "week" };
  return locationOf(
    await postForm(person, "/consent", { ...form, [`key:${keyId}`]: "on", "rule:signIn/0": "on" }),
  );
}

describe("an application that requests keys:sign", () => {
  test("oauth4webapi, as a public client: RAR, dpop_jkt, DPoP, refresh", { timeout: 60_000 }, async () => {
    const stage = await setStage();
    try {
      const issuer = new URL(stage.provider.origin);
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE }),
      );
      assert.deepEqual(server.authorization_details_types_supported, ["ethereum_sign"]);
      assert.ok(server.scopes_supported!.includes("keys:sign"));
      const client: oauth.Client = { client_id: stage.client.clientId };
      const keys = await oauth.generateKeyPair("Ed25519");
      const dpop = oauth.DPoP(client, keys);
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(server.authorization_endpoint!);
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        response_type: "code",
        scope: SCOPE,
        authorization_details: DETAILS,
        dpop_jkt: await dpop.calculateThumbprint(),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }).toString();
      const parameters = oauth.validateAuthResponse(server, client, await agree(stage, url));
      const redeem = async () => {
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          REDIRECT,
          verifier,
          { DPoP: dpop, ...INSECURE },
        );
        return await oauth.processAuthorizationCodeResponse(server, client, answer);
      };
      const tokens = await redeem().catch((error) => {
        if (oauth.isDPoPNonceError(error)) return redeem();
        throw error;
      });
      assert.equal(tokens.token_type, "dpop");
      const [detail] = tokens.authorization_details!;
      assert.deepEqual([detail!.type, detail!["keys"]], ["ethereum_sign", [stage.keyId]]);

      const sign = (token: string, message: string) =>
        oauth.protectedResourceRequest(
          token,
          "POST",
          new URL(`/api/keys/${stage.keyId}/sign`, issuer),
          new Headers({ "content-type": "application/json" }),
          JSON.stringify({ message }),
          { DPoP: dpop, ...INSECURE },
        );
      const message = signInTo("shop.example", stage.address);
      const { signature } = await (await sign(tokens.access_token, message)).json();
      assert.equal(await recoverAddress({ hash: hashMessage(message), signature }), stage.address);
      const denied = await sign(tokens.access_token, signInTo("evil.example", stage.address));
      assert.deepEqual([denied.status, (await denied.json()).code], [403, "policy_denied"]);

      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, {
          DPoP: dpop,
          ...INSECURE,
        }),
      );
      assert.deepEqual(refreshed.authorization_details, tokens.authorization_details);
      assert.equal((await sign(refreshed.access_token, message)).status, 200);

      assert.equal(
        (await stage.person.request("DELETE", `/api/auth/grants/${client.client_id}`)).status,
        204,
      );
      await assert.rejects(sign(refreshed.access_token, message), oauth.WWWAuthenticateChallengeError);
    } finally {
      await stage.stop();
    }
  });

  test("openid-client, as a confidential client: RAR, DPoP, userinfo, introspection", {
    timeout: 60_000,
  }, async () => {
    const stage = await setStage({ type: "web" });
    try {
      const configuration = await openid.discovery(
        new URL(stage.provider.origin),
        stage.client.clientId,
        undefined,
        openid.ClientSecretBasic(stage.client.clientSecret),
        { execute: [openid.allowInsecureRequests] },
      );
      const keys = await openid.randomDPoPKeyPair();
      const handle = openid.getDPoPHandle(configuration, keys);
      const verifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: REDIRECT,
        scope: SCOPE,
        authorization_details: DETAILS,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const tokens = await openid.authorizationCodeGrant(
        configuration,
        await agree(stage, url),
        { pkceCodeVerifier: verifier },
        undefined,
        { DPoP: handle },
      );
      assert.equal(tokens.token_type, "dpop");
      const { sub } = tokens.claims()!;
      const options = { DPoP: handle };
      assert.equal((await openid.fetchUserInfo(configuration, tokens.access_token, sub, options)).sub, sub);
      const listed = await openid.fetchProtectedResource(
        configuration,
        tokens.access_token,
        new URL("/api/keys", stage.provider.origin),
        "GET",
        null,
        undefined,
        options,
      );
      const { keys: seen } = await listed.json();
      assert.deepEqual(seen.map(({ id }: { id: string }) => id), [stage.keyId]);
      const described = await openid.tokenIntrospection(configuration, tokens.access_token);
      assert.equal(described.token_type, "DPoP");
      assert.deepEqual(described["authorization_details"], tokens.authorization_details);
      const refreshed = await openid.refreshTokenGrant(
        configuration,
        tokens.refresh_token!,
        { scope: "openid keys:read" },
        options,
      );
      assert.deepEqual([refreshed.scope, refreshed.authorization_details], ["openid keys:read", undefined]);
    } finally {
      await stage.stop();
    }
  });
});
