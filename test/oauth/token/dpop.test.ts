import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { introspectToken } from "../../../src/oauth/token/introspection.ts";
import type { TokenResponse } from "../../../src/oauth/token/token-response.ts";
import { readUserInfo } from "../../../src/oauth/token/userinfo.ts";
import { presentNonce } from "../../../src/oauth/dpop/nonce.ts";
import { createProver, hashOf } from "../../support/dpop.ts";
import type { ProofClaims, Prover } from "../../support/dpop.ts";
import { ISSUER, NOW, oauthError, VERIFIER } from "../fixture.ts";
import { credentials, getCode, jwtPart, openStory, requestToken, sentTo, sentToken } from "../story.ts";
import type { Fields, Story } from "../story.ts";

const INVALID_GRANT = oauthError("invalid_grant");
const TOKEN = "/api/auth/oauth2/token";
const USERINFO = "/api/auth/oauth2/userinfo";

const [prover, other] = [await createProver(), await createProver("EdDSA")];

/** Returns a valid proof for a request to a path, with these changes. */
function proveFor(
  { services: { vault } }: Story,
  by: Prover,
  [method, path]: readonly [method: string, path: string],
  change: ProofClaims = {},
): Promise<string> {
  return by.prove({
    htm: method,
    htu: ISSUER + path,
    iat: NOW / 1000,
    nonce: presentNonce(vault, NOW),
    ...change,
  });
}

function tokenProof(story: Story, by: Prover, change: ProofClaims = {}): Promise<string> {
  return proveFor(story, by, ["POST", TOKEN], change);
}

async function redeem(story: Story, code: string, proof: string | null): Promise<TokenResponse> {
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: story.client.redirectUris[0],
    code_verifier: VERIFIER,
  };
  return await requestToken(story, story, form, NOW, proof);
}

async function refresh(story: Story, token: string, proof: string | null): Promise<TokenResponse> {
  return await requestToken(story, story, { grant_type: "refresh_token", refresh_token: token }, NOW, proof);
}

async function bound(
  type: "web" | "spa",
  asked: Fields = {},
): Promise<{ story: Story; tokens: TokenResponse }> {
  const story = await openStory({ type });
  const code = await getCode(story, asked);
  return { story, tokens: await redeem(story, code, await tokenProof(story, prover)) };
}

describe("the token endpoint with a proof (RFC 9449 section 5)", () => {
  test("binds the access token to the proof's key, and sets the token type", async () => {
    const { tokens } = await bound("web");
    assert.equal(tokens.token_type, "DPoP");
    assert.deepEqual(jwtPart(tokens.access_token, 1)["cnf"], { jkt: prover.jkt });
  });

  test("binds no token without one", async () => {
    await using story = await openStory({ type: "spa" });
    const tokens = await redeem(story, await getCode(story), null);
    assert.equal(tokens.token_type, "Bearer");
    assert.ok(!("cnf" in jwtPart(tokens.access_token, 1)));
    assert.equal((await refresh(story, tokens.refresh_token, null)).token_type, "Bearer");
  });

  test("requires a nonce, and does not use up the code", async () => {
    await using story = await openStory({ type: "spa" });
    const code = await getCode(story);
    for (const nonce of [undefined, "old"]) {
      const asked = redeem(story, code, await tokenProof(story, prover, { nonce }));
      await assert.rejects(asked, oauthError("use_dpop_nonce"));
    }
    assert.equal((await redeem(story, code, await tokenProof(story, prover))).token_type, "DPoP");
  });

  test("refuses a wrong proof, and does not use up the code", async () => {
    await using story = await openStory({ type: "spa" });
    const code = await getCode(story);
    for (const change of [{ htm: "GET" }, { htu: ISSUER + USERINFO }, { iat: 0 }, { jti: "" }]) {
      const asked = redeem(story, code, await tokenProof(story, prover, change));
      await assert.rejects(asked, oauthError("invalid_dpop_proof"));
    }
    await assert.rejects(redeem(story, code, ""), oauthError("invalid_dpop_proof"));
    await redeem(story, code, null);
  });

  test("refuses a proof that was used, and does not use up the refresh token", async () => {
    await using story = await openStory({ type: "spa" });
    const proof = await tokenProof(story, prover);
    const { refresh_token: token } = await redeem(story, await getCode(story), proof);
    await assert.rejects(refresh(story, token, proof), oauthError("invalid_dpop_proof"));
    await refresh(story, token, await tokenProof(story, prover));
  });
});

describe("the token endpoint refuses a code that dpop_jkt bound (section 10)", () => {
  for (const type of ["web", "spa"] as const) {
    test(`without a proof, and with one by another key, for a ${type} client`, async () => {
      await using story = await openStory({ type });
      const code = await getCode(story, { dpop_jkt: prover.jkt });
      await assert.rejects(redeem(story, code, null), INVALID_GRANT);
      await assert.rejects(redeem(story, code, await tokenProof(story, other)), INVALID_GRANT);
      assert.equal((await redeem(story, code, await tokenProof(story, prover))).token_type, "DPoP");
    });
  }
});

describe("a public client's refresh token is bound (section 5)", () => {
  test("it is refused without a proof by its key, and accepted with one", async () => {
    const { story, tokens } = await bound("spa");
    await assert.rejects(refresh(story, tokens.refresh_token, null), INVALID_GRANT);
    await assert.rejects(
      refresh(story, tokens.refresh_token, await tokenProof(story, other)),
      INVALID_GRANT,
    );
    const refreshed = await refresh(story, tokens.refresh_token, await tokenProof(story, prover));
    assert.equal(refreshed.token_type, "DPoP");
    await refresh(story, refreshed.refresh_token, await tokenProof(story, prover));
  });

  test("a thief cannot end the grant with a used copy", async () => {
    const { story, tokens } = await bound("spa");
    const { refresh_token: next } = await refresh(
      story,
      tokens.refresh_token,
      await tokenProof(story, prover),
    );
    await refresh(story, next, await tokenProof(story, prover));
    await assert.rejects(refresh(story, tokens.refresh_token, null), INVALID_GRANT);
    assert.equal((await story.db.selectFrom("authorization_grant").selectAll().execute()).length, 1);
  });

  test("an unbound one is bound from the first proof on", async () => {
    await using story = await openStory({ type: "spa" });
    const { refresh_token: first } = await redeem(story, await getCode(story), null);
    const { refresh_token: second } = await refresh(story, first, await tokenProof(story, prover));
    await assert.rejects(refresh(story, second, null), INVALID_GRANT);
    await refresh(story, second, await tokenProof(story, prover));
  });

  test("a retry within ten seconds needs the same key", async () => {
    const { story, tokens } = await bound("spa");
    const answer = await refresh(story, tokens.refresh_token, await tokenProof(story, prover));
    await assert.rejects(refresh(story, tokens.refresh_token, null), INVALID_GRANT);
    assert.deepEqual(
      await refresh(story, tokens.refresh_token, await tokenProof(story, prover)),
      answer,
    );
  });
});

test("a confidential client's refresh token is bound to its authentication alone", async () => {
  const { story, tokens } = await bound("web");
  const refreshed = await refresh(story, tokens.refresh_token, await tokenProof(story, other));
  assert.deepEqual(jwtPart(refreshed.access_token, 1)["cnf"], { jkt: other.jkt });
  assert.equal((await refresh(story, refreshed.refresh_token, null)).token_type, "Bearer");
});

test("introspection returns the key that an access token is bound to (section 6.2)", async () => {
  const { story, tokens } = await bound("web");
  const described = await introspectToken(
    story.db,
    story.services,
    credentials(story, { token: tokens.access_token }),
  );
  assert.ok(described.active);
  assert.deepEqual([described.token_type, described.cnf], ["DPoP", { jkt: prover.jkt }]);
});

describe("readUserInfo() with a bound token (sections 7.1 and 7.2)", () => {
  async function ask(story: Story, text: string, proof: string | null, scheme: "Bearer" | "DPoP" = "DPoP") {
    const sent = { ...sentToken(text), scheme, proof: sentTo("GET", USERINFO, proof) };
    return await readUserInfo(story.db, story.services, { sent, now: NOW });
  }
  const refused = (code: string) => (error: unknown): boolean => {
    const { code: actual, status, headers } = error as Record<string, unknown>;
    assert.deepEqual([actual, status], [code, 401]);
    const challenge = (headers as Record<string, string>)["WWW-Authenticate"]!;
    assert.match(challenge, new RegExp(`^DPoP algs="ES256 EdDSA Ed25519", error="${code}"`));
    return true;
  };

  test("accepts a proof by its key for this token, method and address, once", async () => {
    const { story, tokens: { access_token: token } } = await bound("spa");
    const ath = hashOf(token);
    const proof = await proveFor(story, prover, ["GET", USERINFO], { ath });
    assert.equal((await ask(story, token, proof)).email, "alice@example.com");
    await assert.rejects(ask(story, token, proof), refused("invalid_dpop_proof"));
  });

  test("refuses a stolen token: as Bearer, without a proof, and with a proof by another key", async () => {
    const { story, tokens: { access_token: token } } = await bound("spa");
    const ath = hashOf(token);
    await assert.rejects(
      readUserInfo(story.db, story.services, { sent: sentToken(token), now: NOW }),
      refused("invalid_token"),
    );
    const right = await proveFor(story, prover, ["GET", USERINFO], { ath });
    await assert.rejects(ask(story, token, right, "Bearer"), refused("invalid_token"));
    await assert.rejects(ask(story, token, null), refused("invalid_dpop_proof"));
    const foreign = await proveFor(story, other, ["GET", USERINFO], { ath });
    await assert.rejects(ask(story, token, foreign), refused("invalid_dpop_proof"));
  });

  test("refuses the proof for another token, method or address, and requires a nonce", async () => {
    const { story, tokens: { access_token: token } } = await bound("spa");
    const ath = hashOf(token);
    for (
      const [request, change, code] of [
        [["GET", USERINFO], { ath: hashOf("another") }, "invalid_dpop_proof"],
        [["GET", USERINFO], {}, "invalid_dpop_proof"],
        [["POST", USERINFO], { ath }, "invalid_dpop_proof"],
        [["GET", TOKEN], { ath }, "invalid_dpop_proof"],
        [["GET", USERINFO], { ath, nonce: undefined }, "use_dpop_nonce"],
      ] as const
    ) {
      const proof = await proveFor(story, prover, request, change);
      await assert.rejects(ask(story, token, proof), refused(code));
    }
  });

  test("refuses a token that is not bound, with the scheme DPoP", async () => {
    await using story = await openStory({ type: "spa" });
    const { access_token: token } = await redeem(story, await getCode(story), null);
    const proof = await proveFor(story, prover, ["GET", USERINFO], { ath: hashOf(token) });
    await assert.rejects(ask(story, token, proof), refused("invalid_token"));
  });
});
