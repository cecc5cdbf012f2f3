import { asObject } from "../lib/object.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { readCode } from "./callback.ts";
import { check } from "./error.ts";
import { fetchJson } from "./provider-request.ts";
import type { GitHubProviderConfig, IdentityProvider } from "./provider.ts";
import { exchangeCode } from "./token-exchange.ts";

/** The issuer under which GitHub accounts are stored. */
const GITHUB_ISSUER = "https://github.com";

/** The issuer that GitHub may send in an authorization response (RFC 9207). */
const GITHUB_AUTHORIZATION_SERVER = "https://github.com/login/oauth";
const AUTHORIZATION_ENDPOINT = "https://github.com/login/oauth/authorize";
const TOKEN_ENDPOINT = "https://github.com/login/oauth/access_token";
const USER = "https://api.github.com/user";
const EMAILS = "https://api.github.com/user/emails";

/** Grants access to the public profile and the email addresses. */
const SCOPE = "user:email";

/**
 * Creates the GitHub provider. GitHub has OAuth without OpenID Connect, so the user is read from its API. Accounts are
 * identified by their number, because names can be reassigned.
 */
export function createGitHubProvider(
  { id, name, clientId, clientSecret }: GitHubProviderConfig,
): IdentityProvider {
  const client = {
    tokenEndpoint: TOKEN_ENDPOINT,
    clientId,
    clientSecret,
    authentication: "client_secret_post",
  } as const;
  return {
    id,
    name,
    issuer: GITHUB_ISSUER,
    authorizationUrl(attempt) {
      const further = { client_id: clientId, scope: SCOPE };
      return Promise.resolve(authorizationUrl(AUTHORIZATION_ENDPOINT, attempt, further));
    },
    async identify(callback, attempt, connection) {
      const code = readCode(callback, { issuer: GITHUB_AUTHORIZATION_SERVER, namesIssuer: false });
      const { accessToken } = await exchangeCode(connection, client, { code, attempt });
      const headers = {
        "accept": "application/vnd.github+json",
        "authorization": `Bearer ${accessToken}`,
        "x-github-api-version": "2022-11-28",
      };
      const user = asObject(await fetchJson(connection, USER, { headers }));
      const number = user?.["id"];
      check(typeof number === "number" && Number.isSafeInteger(number) && number > 0, "user_answer");
      const emails = await fetchJson(connection, EMAILS, { headers });
      const called = user?.["name"] ?? user?.["login"];
      return {
        issuer: GITHUB_ISSUER,
        subject: String(number),
        name: typeof called === "string" ? called : undefined,
        verifiedEmail: primaryEmail(emails),
      };
    },
  };
}

function primaryEmail(emails: unknown): string | undefined {
  check(Array.isArray(emails), "user_answer");
  const primary = emails.map(asObject).find((entry) =>
    entry?.["primary"] === true && entry["verified"] === true
  );
  const email = primary?.["email"];
  return typeof email === "string" ? email : undefined;
}
