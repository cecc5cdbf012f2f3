import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWTPayload } from "jose";
import type { Fetch, FetchInit } from "../../src/lib/outgoing.ts";
import type { OpenIdProviderConfig } from "../../src/identity/provider.ts";

/** An OpenID Connect provider that the test controls. It has no socket and replaces `fetch`. */
export interface Upstream {
  readonly config: OpenIdProviderConfig;
  readonly fetch: Fetch;
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
  metadata: Record<string, unknown>;
  /** Replaces claims of the next ID token. Undefined removes one. */
  claims: Record<string, unknown>;
  sign: (claims: JWTPayload) => Promise<string>;
  /** Replaces members of the token response. */
  tokenAnswer: Record<string, unknown>;
  readonly instead: Map<string, (init: FetchInit) => Response | Promise<Response>>;
  readonly privateKey: () => CryptoKey;
  keys: object[];
  rotate(kid: string): Promise<void>;
  /**
   * Visits it as a browser: takes the URL of the redirect and returns the query of the way back. The user is always
   * the same and agrees at once.
   */
  visit(location: string): URLSearchParams;
}

export const PERSON = {
  sub: "person-1",
  name: "Ada Lovelace",
  email: "ada@example.com",
  email_verified: true,
};

function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

/** Creates a provider with this issuer, whose clock is `now`. */
export async function createUpstream(
  { id = "upstream", issuer = "https://id.example", now }: {
    readonly id?: string;
    readonly issuer?: string;
    readonly now: () => number;
  },
): Promise<Upstream> {
  const config: OpenIdProviderConfig = {
    kind: "openid",
    id,
    name: id[0]!.toUpperCase() + id.slice(1),
    issuer,
    clientId: "holdfast client",
    clientSecret: "s:ecret/+%",
    scopes: "openid email profile",
  };
  const requests: Upstream["requests"] = [];
  const codes = new Map<
    string,
    { readonly nonce: string; readonly challenge: string; readonly redirectUri: string }
  >();
  let privateKey: CryptoKey;
  let currentKid = "";
  let visits = 0;

  const upstream: Upstream = {
    config,
    requests,
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize?tenant=1`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
    },
    claims: {},
    tokenAnswer: {},
    instead: new Map(),
    privateKey: () => privateKey,
    keys: [],
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: currentKid }).sign(privateKey),
    async rotate(kid) {
      const pair = await generateKeyPair("ES256");
      privateKey = pair.privateKey;
      currentKid = kid;
      upstream.keys = [{ ...await exportJWK(pair.publicKey), kid, alg: "ES256", use: "sig" }];
    },
    visit(location) {
      const { searchParams } = new URL(location);
      const code = `code-${++visits}`;
      codes.set(code, {
        nonce: searchParams.get("nonce")!,
        challenge: searchParams.get("code_challenge")!,
        redirectUri: searchParams.get("redirect_uri")!,
      });
      return new URLSearchParams({ code, state: searchParams.get("state")! });
    },
    async fetch(url, init) {
      requests.push({ url, init });
      const { pathname } = new URL(url);
      const instead = upstream.instead.get(pathname);
      if (instead !== undefined) return await instead(init);
      if (pathname === "/.well-known/openid-configuration") return jsonAnswer(upstream.metadata);
      if (pathname === "/jwks") return jsonAnswer({ keys: upstream.keys });
      if (pathname === "/userinfo") return jsonAnswer(PERSON);
      return await tokenAnswer(new URLSearchParams(init.body));
    },
  };

  async function tokenAnswer(form: URLSearchParams): Promise<Response> {
    const given = codes.get(form.get("code")!);
    codes.delete(form.get("code")!);
    const challenge = await sha256(form.get("code_verifier") ?? "");
    const isRight = given?.challenge === challenge && given.redirectUri === form.get("redirect_uri");
    if (!isRight) return jsonAnswer({ error: "invalid_grant" }, 400);
    const accessToken = "the access token";
    const atHash = (await sha256Bytes(accessToken)).slice(0, 16).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
    const seconds = Math.floor(now() / 1000);
    const right = {
      ...PERSON,
      iss: issuer,
      aud: config.clientId,
      iat: seconds,
      exp: seconds + 300,
      nonce: given.nonce,
      at_hash: atHash,
    };
    const claims = Object.fromEntries(
      Object.entries({ ...right, ...upstream.claims }).filter(([, value]) => value !== undefined),
    );
    return jsonAnswer({
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 300,
      id_token: await upstream.sign(claims),
      ...upstream.tokenAnswer,
    });
  }

  await upstream.rotate("key-1");
  return upstream;
}

async function sha256Bytes(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

async function sha256(text: string): Promise<string> {
  return (await sha256Bytes(text)).toBase64({ alphabet: "base64url", omitPadding: true });
}
