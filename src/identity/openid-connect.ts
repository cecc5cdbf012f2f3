import { asObject } from "../lib/object.ts";
import { HOUR, type Instant } from "../lib/time.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { readCode } from "./callback.ts";
import { check } from "./error.ts";
import { type IdTokenClaims, verifyIdToken } from "./id-token.ts";
import { createKeySet } from "./key-set.ts";
import { discover, type ProviderMetadata } from "./provider-metadata.ts";
import { fetchJson, type ProviderConnection } from "./provider-request.ts";
import type { ExternalIdentity, IdentityProvider, OpenIdProviderConfig } from "./provider.ts";
import { exchangeCode } from "./token-exchange.ts";

const METADATA_LIFETIME = HOUR;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Creates an OpenID Connect provider (code flow, OpenID Connect Core section 3.1). Requests metadata and keys on first
 * use and caches one of each for an hour, limited in size.
 */
export function createOpenIdProvider(config: OpenIdProviderConfig): IdentityProvider {
  const { id, name, issuer, clientId, clientSecret, scopes } = config;
  const keysOf = createKeySet();
  let cached: { readonly metadata: ProviderMetadata; readonly since: Instant } | undefined;

  // The operator chose the issuer's host. The provider chose any other.
  const mayBePrivate = (hostname: string): boolean =>
    config.network === "private" || hostname === new URL(issuer).hostname;

  async function getMetadata(connection: ProviderConnection): Promise<ProviderMetadata> {
    if (cached === undefined || Math.abs(connection.now - cached.since) >= METADATA_LIFETIME) {
      cached = { metadata: await discover(connection, config), since: connection.now };
    }
    return cached.metadata;
  }

  return {
    id,
    name,
    issuer,
    async authorizationUrl(attempt, connection) {
      const { authorizationEndpoint } = await getMetadata({ ...connection, mayBePrivate });
      const further = { client_id: clientId, scope: scopes, nonce: attempt.nonce };
      return authorizationUrl(authorizationEndpoint, attempt, further);
    },
    async identify(callback, attempt, plainLine) {
      const connection = { ...plainLine, mayBePrivate };
      const metadata = await getMetadata(connection);
      const code = readCode(callback, { issuer, namesIssuer: metadata.namesIssuer });
      const client = { ...metadata, clientId, clientSecret };
      const { accessToken, idToken } = await exchangeCode(connection, client, { code, attempt });
      check(idToken !== undefined, "token_answer");
      const claims = await verifyIdToken(idToken, keysOf(connection, metadata.jwksUri), {
        issuer,
        clientId,
        nonce: attempt.nonce,
        accessToken,
        now: connection.now,
      });
      const further = await furtherClaims(connection, metadata, claims, accessToken);
      return {
        issuer,
        subject: claims.sub,
        name: readName(claims) ?? readName(further),
        ...readEmail(further),
      };
    },
  };
}

/**
 * Returns the claims that contain the email address (OpenID Connect Core sections 5.3 and 5.4): those of the ID token,
 * or the userinfo response if the token has no address. Both must have the same subject (section 5.3.2). Does not merge
 * them, because `email_verified` of one says nothing about the address of the other.
 */
async function furtherClaims(
  connection: ProviderConnection,
  { userinfoEndpoint }: ProviderMetadata,
  claims: IdTokenClaims,
  accessToken: string,
): Promise<Claims> {
  if (claims["email"] !== undefined || userinfoEndpoint === undefined) return claims;
  const headers = { authorization: `Bearer ${accessToken}` };
  const further = asObject(await fetchJson(connection, userinfoEndpoint, { headers }));
  check(further?.["sub"] === claims.sub, "userinfo_sub");
  return further;
}

function readName({ name }: Claims): string | undefined {
  return typeof name === "string" ? name : undefined;
}

function readEmail(
  { email, email_verified: isVerified }: Claims,
): Pick<ExternalIdentity, "verifiedEmail"> {
  // Accepts only the boolean true. A provider that sends the strings "true" and "false" is not trusted.
  return { verifiedEmail: typeof email === "string" && isVerified === true ? email : undefined };
}
