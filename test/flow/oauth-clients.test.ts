import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { createClient, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Unmodified client libraries, which check every answer, against a listening service.

const RUNTIME = builtRuntime();
const BYE = "https://books.example/bye";

describe("client libraries of other projects", () => {
  let service: Service;
  let folder: ReturnType<typeof temporaryFolder>;
  let browser: Client;

  before(async () => {
    folder = temporaryFolder();
    service = await startService({ runtime: RUNTIME, dataDir: folder.path });
    browser = createClient(service.baseUrl, (request) => fetch(request));
    await signUp(browser, "ada@example.com");
  });
  after(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  async function register(change: object): Promise<{ clientId: string; clientSecret?: string }> {
    const adminKey = readFileSync(join(folder.path, "admin-api-key"), "utf8").trim();
    const answer = await browser.post("/api/admin/oauth/clients", {
      name: "Books",
      uri: "https://books.example",
      postLogoutRedirectUris: [BYE],
      ...change,
    }, { headers: { authorization: `Bearer ${adminKey}` } });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.client;
  }

  /** Follows a link as the person's browser does, signs in and approves, until it leaves the service. */
  async function follow(url: URL): Promise<URL> {
    let at = url;
    for (let hop = 0; at.origin === service.baseUrl; hop++) {
      assert.ok(hop < 8, "the browser is redirected in a circle");
      const request = at.searchParams.get("request")!;
      let answer = await browser.get(at.pathname + at.search);
      if (at.pathname === "/sign-in") {
        assert.equal((await signIn(browser)).status, 200);
        at = new URL(`/consent?request=${request}`, service.baseUrl);
        continue;
      }
      if (answer.status === 200) {
        answer = await browser.request("POST", "/consent", {
          text: new URLSearchParams({ request, decision: "approve" }).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", origin: service.baseUrl },
        });
      }
      assert.equal(answer.status, 303, answer.text);
      at = new URL(answer.headers.get("location")!, at);
    }
    return at;
  }

  for (const alg of ["ES256", "RS256", "EdDSA"]) {
    const title = "openid-client signs in, refreshes, introspects, revokes and signs out";
    test(`${title} as a confidential client with ${alg}`, { timeout: 60_000 }, async () => {
      const redirectUri = "https://books.example/cb";
      const client = await register({
        type: "web",
        redirectUris: [redirectUri],
        idTokenSignedResponseAlg: alg,
      });
      const metadata = { id_token_signed_response_alg: alg };
      const authentication = openid.ClientSecretBasic(client.clientSecret);
      const configuration = await openid.discovery(
        new URL(service.baseUrl),
        client.clientId,
        metadata,
        authentication,
        {
          execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
        },
      );
      const verifier = openid.randomPKCECodeVerifier();
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid",
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
        max_age: "600",
      });
      const tokens = await openid.authorizationCodeGrant(configuration, await follow(url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        maxAge: 600,
        idTokenExpected: true,
      });
      const { sub, email } = tokens.claims()!;
      assert.equal(email, "ada@example.com");
      const person = await openid.fetchUserInfo(configuration, tokens.access_token, sub);
      assert.deepEqual(person, { sub, email, email_verified: true });

      const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token!);
      assert.equal(refreshed.claims()!.sub, sub);
      const described = await openid.tokenIntrospection(configuration, refreshed.access_token);
      assert.deepEqual([described.active, described.sub], [true, sub]);
      await openid.tokenRevocation(configuration, refreshed.refresh_token!);
      const ended = await openid.tokenIntrospection(configuration, refreshed.access_token);
      assert.deepEqual(ended, { active: false });
      await assert.rejects(openid.refreshTokenGrant(configuration, refreshed.refresh_token!), {
        error: "invalid_grant",
      });

      const goodbye = openid.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: BYE,
        id_token_hint: refreshed.id_token!,
      });
      assert.equal((await follow(goodbye)).href.split("?")[0], BYE);
      assert.equal((await browser.get("/api/auth/session")).body.session, null);
    });
  }

  for (
    const [type, registered, used] of [
      ["spa", "https://books.example/spa", "https://books.example/spa"],
      ["native", "http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"],
      ["native", "com.example.books:/cb", "com.example.books:/cb"],
    ] as const
  ) {
    test(
      `oauth4webapi signs in and refreshes as a ${type} client at ${registered}`,
      { timeout: 60_000 },
      async () => {
        const insecure = { [oauth.allowInsecureRequests]: true };
        const issuer = new URL(service.baseUrl);
        const { clientId } = await register({ type, redirectUris: [registered] });
        const client: oauth.Client = { client_id: clientId };
        for (const algorithm of ["oidc", "oauth2"] as const) {
          const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
          const server = await oauth.processDiscoveryResponse(issuer, response);
          const verifier = oauth.generateRandomCodeVerifier();
          const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
          const url = new URL(server.authorization_endpoint!);
          url.search = new URLSearchParams({
            client_id: clientId,
            redirect_uri: used,
            response_type: "code",
            scope: "openid",
            code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
            code_challenge_method: "S256",
            state,
            nonce,
          }).toString();
          const callback = await follow(url);
          assert.ok(callback.href.startsWith(`${used}?`), callback.href);
          const parameters = oauth.validateAuthResponse(server, client, callback, state);
          const answer = await oauth.authorizationCodeGrantRequest(
            server,
            client,
            oauth.None(),
            parameters,
            used,
            verifier,
            insecure,
          );
          const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
            expectedNonce: nonce,
            requireIdToken: true,
          });
          await oauth.validateApplicationLevelSignature(server, answer, insecure);
          const { sub } = oauth.getValidatedIdTokenClaims(tokens)!;
          const claimsAnswer = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
          assert.equal(
            (await oauth.processUserInfoResponse(server, client, sub, claimsAnswer)).email,
            "ada@example.com",
          );

          const resource = new Request("https://api.example/", {
            headers: { authorization: `Bearer ${tokens.access_token}` },
          });
          const claims = await oauth.validateJwtAccessToken(server, resource, service.baseUrl, insecure);
          assert.deepEqual([claims.sub, claims.client_id], [sub, clientId]);

          const again = await oauth.refreshTokenGrantRequest(
            server,
            client,
            oauth.None(),
            tokens.refresh_token!,
            insecure,
          );
          const refreshed = await oauth.processRefreshTokenResponse(server, client, again);
          assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
          const revoked = await oauth.revocationRequest(
            server,
            client,
            oauth.None(),
            refreshed.refresh_token!,
            insecure,
          );
          await oauth.processRevocationResponse(revoked);
        }
      },
    );
  }
});
