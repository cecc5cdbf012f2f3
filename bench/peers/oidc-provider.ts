/**
 * oidc-provider on Bun, over SQLite with an fsync in each commit: `bun oidc-provider.ts FILE PORT`. With `:memory:` as
 * the file it writes nothing to the disk. Prints its listing as a line of JSON when it serves. The client is in its
 * configuration, as its documentation recommends first; the service reads its own from the database at each request.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import process from "node:process";
import { openBunDatabase } from "./bun.ts";
import { mergeCookies, PEOPLE, REDIRECT_URI, SETUP_CHALLENGE } from "./listing.ts";
import type { Listing, ServerListing } from "./listing.ts";
import { createAdapters } from "./oidc-provider-adapter.ts";

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

interface Provider {
  readonly Grant: new (properties: { clientId: string; accountId: string }) => Grant;
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}

/** Not a literal: it has no types. */
const OIDC_PROVIDER: string = "oidc-provider";
const { default: Provider } = await import(OIDC_PROVIDER) as {
  default: new (issuer: string, configuration: object) => Provider;
};

const [file, port] = process.argv.slice(2);
const issuer = `http://localhost:${port}`;
const address = `http://127.0.0.1:${port}`;
const CLIENT = { id: "books", secret: "a secret of the benchmark, 256 bits of it or so" } as const;
const SCOPE = "openid";

const database = await openBunDatabase(file!);
database.exec(
  "create table if not exists account (id text primary key, email text not null) strict, without rowid",
);
const insertAccount = database.prepare("insert into account values (?, ?)");
const selectAccount = database.prepare("select id, email from account where id = ?");

async function makeSigningKey(): Promise<JsonWebKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const jwk = await crypto.subtle.exportKey("jwk", (pair as CryptoKeyPair).privateKey);
  return { kty: jwk.kty!, crv: jwk.crv!, x: jwk.x!, y: jwk.y!, d: jwk.d!, alg: "ES256", use: "sig" };
}

function findAccount(_context: unknown, id: string): object | undefined {
  const account = selectAccount.get(id) as { readonly id: string; readonly email: string } | null;
  return account === null ? undefined : { accountId: account.id, claims: () => ({ sub: account.id }) };
}

const provider = new Provider(issuer, {
  adapter: createAdapters(database),
  clients: [{
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "client_secret_basic",
    id_token_signed_response_alg: "ES256",
  }],
  jwks: { keys: [await makeSigningKey()] },
  cookies: { keys: ["a key of the benchmark"] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount,
  // Like the service: each code gives a refresh token, which outlives the browser's session and rotates.
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  rotateRefreshToken: () => true,
});

const handle = provider.callback();
/** The users of an earlier start stay. */
const run = Date.now();

/** Signs in the user named in the header and consents, as an application's page would. */
async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = String(request.headers["x-account"]);
  const grant = new provider.Grant({ clientId: CLIENT.id, accountId });
  grant.addOIDCScope(SCOPE);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId }, consent });
}

async function enrol(index: number): Promise<string> {
  const accountId = `person-${run}-${index}`;
  insertAccount.run(accountId, `${accountId}@example.com`);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT.id,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    code_challenge: SETUP_CHALLENGE,
    code_challenge_method: "S256",
  });
  let cookie = "";
  let target = `${address}/auth?${query}`;
  for (let step = 0; step < 5; step++) {
    const response = await fetch(target, { headers: { cookie, "x-account": accountId }, redirect: "manual" });
    cookie = mergeCookies(cookie, response);
    const location = response.headers.get("location") ?? "";
    if (location.startsWith(REDIRECT_URI)) return cookie;
    target = new URL(location, address).href.replace(issuer, address);
  }
  throw new Error(`Cannot set up: still at ${target}`);
}

const server = createServer((request, response) => {
  const isInteraction = request.url!.startsWith("/interaction/");
  void (isInteraction ? interact(request, response) : handle(request, response));
});
await new Promise<void>((resolve) => server.listen(Number(port), "127.0.0.1", resolve));

const people: string[] = [];
for (let index = 0; index < PEOPLE; index++) people.push(await enrol(index));
const oauth: ServerListing = {
  issuer,
  address,
  paths: { authorize: "/auth", token: "/token", userinfo: "/me", keys: "/jwks" },
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  redirectUri: REDIRECT_URI,
  scope: SCOPE,
  people,
};
const listing: Listing = { address, health: "/.well-known/openid-configuration", requests: {}, oauth };
process.stdout.write(JSON.stringify(listing) + "\n");
