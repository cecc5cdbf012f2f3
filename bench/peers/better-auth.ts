/**
 * better-auth with its OAuth provider plugin on Bun, over SQLite with an fsync in each commit: `bun better-auth.ts
 * FILE PORT`. Prints its listing as a line of JSON when it serves.
 */
import { createHash } from "node:crypto";
import process from "node:process";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { jwt } from "better-auth/plugins";
import { oauthProvider } from "@better-auth/oauth-provider";
import { mergeCookies, PEOPLE, REDIRECT_URI, SETUP_CHALLENGE } from "./listing.ts";
import type { Listing, ServerListing } from "./listing.ts";
import { openBunDatabase, serveWithBun } from "./bun.ts";

const [file, port] = process.argv.slice(2);
const issuer = `http://localhost:${port}`;
const SCOPE = "openid offline_access";

const database = await openBunDatabase(file!);

/** Not measured: no user signs in with a password meanwhile. */
const password = {
  hash: (text: string) => Promise.resolve(createHash("sha256").update(text).digest("hex")),
  verify: () => Promise.resolve(false),
};

const auth = betterAuth({
  baseURL: issuer,
  secret: "a secret of the benchmark that is long enough for better-auth",
  database: database as never,
  emailAndPassword: { enabled: true, password },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  disabledPaths: ["/token"],
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: "ES256" } } }),
    oauthProvider({
      loginPage: "/sign-in",
      consentPage: "/consent",
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }) as never,
  ],
});

await (await getMigrations(auth.options as never)).runMigrations();

async function call(path: string, init: RequestInit): Promise<Response> {
  return await auth.handler(new Request(`${issuer}/api/auth${path}`, init));
}

async function post(path: string, body: object, cookie = ""): Promise<Response> {
  const headers = { "content-type": "application/json", origin: issuer, cookie };
  const response = await call(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`Cannot set up: ${path} ${response.status} ${await response.text()}`);
  return response;
}

async function signUp(index: number): Promise<string> {
  const email = `person${run}-${index}@example.com`;
  return mergeCookies(
    "",
    await post("/sign-up/email", { email, name: "Person", password: "long enough a word" }),
  );
}

async function agree(cookie: string, clientId: string): Promise<void> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    state: "state",
    code_challenge: SETUP_CHALLENGE,
    code_challenge_method: "S256",
  });
  const asked = await call(`/oauth2/authorize?${query}`, { headers: { cookie }, redirect: "manual" });
  const location = new URL(asked.headers.get("location") ?? "", issuer);
  if (location.pathname !== "/consent") throw new Error(`Cannot set up: ${asked.status} ${location}`);
  await post("/oauth2/consent", { accept: true, oauth_query: location.search.slice(1) }, cookie);
}

serveWithBun(Number(port), auth.handler);
/** The users of an earlier start stay. */
const run = Date.now();
const people: string[] = [];
for (let index = 0; index < PEOPLE; index++) people.push(await signUp(index));
// deno-lint-ignore no-explicit-any -- the plugin's endpoints are typed by its options
const client = await (auth.api as any).adminCreateOAuthClient({
  headers: new Headers({ cookie: people[0]! }),
  body: {
    client_name: "Books",
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: SCOPE,
  },
});
for (const cookie of people) await agree(cookie, client.client_id);
const oauth: ServerListing = {
  issuer: `${issuer}/api/auth`,
  address: `http://127.0.0.1:${port}`,
  paths: {
    authorize: "/api/auth/oauth2/authorize",
    token: "/api/auth/oauth2/token",
    userinfo: "/api/auth/oauth2/userinfo",
    keys: "/api/auth/jwks",
  },
  clientId: client.client_id,
  clientSecret: client.client_secret,
  redirectUri: REDIRECT_URI,
  scope: SCOPE,
  people,
};
const listing: Listing = {
  address: oauth.address,
  health: "/api/auth/ok",
  requests: { session: { method: "GET", path: "/api/auth/get-session", headers: { cookie: people[0]! } } },
  oauth,
};
process.stdout.write(JSON.stringify(listing) + "\n");
