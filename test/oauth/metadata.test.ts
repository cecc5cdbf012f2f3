import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PROMPTS } from "../../src/oauth/authorize/authorization-request.ts";
import { createClientDocuments } from "../../src/oauth/client/client-documents.ts";
import { NO_PROVIDERS } from "../support/app.ts";
import { providerMetadata } from "../../src/oauth/metadata.ts";
import { TOKEN_ALGORITHMS } from "../../src/oauth/token/signing-key.ts";
import { ISSUER, NOW, oauthError, signInAgain } from "./fixture.ts";
import { ask, getTokens, goOn, jwtPart, openStory, requestToken } from "./story.ts";

const METADATA = providerMetadata({
  issuer: ISSUER,
  clientDocuments: createClientDocuments(NO_PROVIDERS, { hosts: "on", allowed: "public" }),
});

function listed(name: string): readonly string[] {
  return METADATA[name] as readonly string[];
}

describe("providerMetadata()", { timeout: 30_000 }, () => {
  test("has the documented members (T52, T141, T143)", () => {
    assert.equal(METADATA["issuer"], ISSUER);
    for (const [name, value] of Object.entries(METADATA)) {
      if (!/_endpoint$|_uri$/.test(name)) continue;
      assert.match(String(value), /^https:\/\/example\.org\/api\/auth\/[a-z2/_-]+$/);
    }
    const expected = {
      scopes_supported: ["openid", "email", "profile", "groups", "wallets", "keys:read", "keys:sign"],
      dpop_signing_alg_values_supported: ["ES256", "EdDSA", "Ed25519"],
      authorization_details_types_supported: ["ethereum_sign"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
      ],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256", "EdDSA"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "none", "private_key_jwt"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    };
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(METADATA[name], value, name);
  });

  test("lists exactly the supported grant types (T142)", async () => {
    await using story = await openStory();
    for (const grant_type of listed("grant_types_supported")) {
      const error = grant_type.endsWith("device_code") ? "unauthorized_client" : "invalid_request";
      await assert.rejects(requestToken(story, story, { grant_type }), oauthError(error));
    }
    await assert.rejects(
      requestToken(story, story, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" }),
      oauthError("unsupported_grant_type"),
    );
  });

  test("lists every supported prompt (T142)", async () => {
    assert.deepEqual(listed("prompt_values_supported"), PROMPTS);
    for (const prompt of PROMPTS) {
      await using story = await openStory();
      const step = await ask(story, { prompt });
      if (step.kind === "redirect") {
        assert.equal(new URL(step.uri).searchParams.get("error"), "consent_required");
      } else if (step.kind === "sign_in") {
        const signedIn = await signInAgain(story, story.signedIn.account, NOW + 1);
        assert.equal((await goOn(story, step.requestId, { signedIn, now: NOW + 1 })).kind, "consent");
      } else assert.equal(step.kind, "consent");
    }
  });

  test("lists every claim of an ID token, and each algorithm works (T142)", async () => {
    for (const idTokenSignedResponseAlg of TOKEN_ALGORITHMS) {
      const { id_token } = await getTokens(await openStory({ idTokenSignedResponseAlg }));
      assert.equal(jwtPart(id_token, 0)["alg"], idTokenSignedResponseAlg);
      const claims = Object.keys(jwtPart(id_token, 1));
      assert.deepEqual(claims.filter((claim) => !listed("claims_supported").includes(claim)), []);
      assert.deepEqual(listed("acr_values_supported"), [jwtPart(id_token, 1)["acr"]]);
    }
  });
});
