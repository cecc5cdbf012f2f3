import { TokenRequestResult } from "@oslojs/oauth2";
import { utf8 } from "../lib/bytes.ts";
import { asObject } from "../lib/object.ts";
import { check } from "./error.ts";
import { fetchJson, type ProviderConnection } from "./provider-request.ts";
import type { Attempt } from "./provider.ts";

/** The way a client sends its secret (RFC 6749 section 2.3.1). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post";

export interface TokenClient {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authentication: ClientAuthentication;
}

export interface ExchangedTokens {
  readonly accessToken: string;
  /** Undefined if missing or not a string. */
  readonly idToken: string | undefined;
}

/** Encodes a half of the Basic credentials as `application/x-www-form-urlencoded` (RFC 6749 section 2.3.1). */
function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function basicCredentials({ clientId, clientSecret }: TokenClient): string {
  return `Basic ${utf8(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toBase64()}`;
}

/**
 * Redeems a code with its PKCE verifier (RFC 6749 section 4.1.3, RFC 7636 section 4.5). Discards the refresh token,
 * because the provider is queried only once. Throws an IdentityError.
 */
export async function exchangeCode(
  connection: ProviderConnection,
  client: TokenClient,
  { code, attempt }: { readonly code: string; readonly attempt: Attempt },
): Promise<ExchangedTokens> {
  const isBasic = client.authentication === "client_secret_basic";
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: attempt.redirectUri,
    code_verifier: attempt.codeVerifier,
    ...(isBasic ? {} : { client_id: client.clientId, client_secret: client.clientSecret }),
  });
  const tokenResponse = asObject(
    await fetchJson(connection, client.tokenEndpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(isBasic ? { authorization: basicCredentials(client) } : {}),
      },
      body: form.toString(),
      // GitHub sends errors with status 200, others as in RFC 6749 section 5.2.
      statuses: [200, 400, 401],
    }),
  );
  check(tokenResponse !== undefined, "token_answer");
  return readTokens(tokenResponse);
}

function readTokens(tokenResponse: object): ExchangedTokens {
  // The getters throw if a member has another type, so each is called only after its type was checked.
  const result = new TokenRequestResult(tokenResponse);
  check(!("error" in tokenResponse), "token_refused");
  const { access_token, token_type, id_token } = tokenResponse as Readonly<Record<string, unknown>>;
  check(typeof access_token === "string" && access_token !== "", "token_answer");
  check(typeof token_type === "string" && result.tokenType().toLowerCase() === "bearer", "token_answer");
  return { accessToken: result.accessToken(), idToken: typeof id_token === "string" ? id_token : undefined };
}
