/**
 * The load generator of `scale.ts`, its own process. It sends the requests of a population's users, each request
 * another user's, with the cookies of their browsers.
 */
import { createHash, createPrivateKey, randomInt, sign } from "node:crypto";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { mergeCookies } from "./peers/listing.ts";
import type { Inhabitant, Population } from "./population.ts";
import { loadedOf } from "./statistics.ts";
import type { Loaded } from "./statistics.ts";
import { answerRequests } from "./worker.ts";

export const SCALE_WORKS = ["personal_sign", "list keys", "session", "sign in", "code flow"] as const;

export type ScaleWork = (typeof SCALE_WORKS)[number];

export interface ScaleRequest {
  /** The folder of the population; the same at each request to a worker. */
  readonly folder: string;
  /** The origin of the service, or of several with a copy of the population each. Each user stays at one of them. */
  readonly origins: readonly string[];
  readonly work: ScaleWork;
  readonly inFlight: number;
  /** The number of users who take part, spread over the sample; the whole sample by default. */
  readonly people?: number;
  readonly milliseconds: number;
}

interface Browser extends Inhabitant {
  readonly address: string;
  readonly origin: string;
  cookies: string;
}

interface World {
  readonly population: Population;
  readonly browsers: readonly Browser[];
}

let world: World | undefined;

function readWorld({ folder, origins }: ScaleRequest): World {
  const population = JSON.parse(readFileSync(join(folder, "population.json"), "utf8")) as Population;
  const browsers = population.sample.map((inhabitant, index) => ({
    ...inhabitant,
    origin: origins[index % origins.length]!,
    address: origins[index % origins.length]!.replace("localhost", "127.0.0.1"),
    cookies: `service.session_token=${inhabitant.session}`,
  }));
  return { population, browsers };
}

/** Returns a random browser of at most `people` that are spread over the whole population. */
function randomBrowser({ browsers }: World, people = browsers.length): Browser {
  const every = Math.ceil(browsers.length / people);
  return browsers[every * randomInt(Math.ceil(browsers.length / every))]!;
}

interface Sent {
  readonly method?: "POST";
  readonly body?: string;
  readonly type?: string;
  readonly authorization?: string;
}

async function send(
  browser: Browser,
  path: string,
  { method, body, type, authorization }: Sent = {},
): Promise<{ response: Response; text: string }> {
  const { address, origin, cookies } = browser;
  const headers: Record<string, string> = { cookie: cookies, host: new URL(origin).host };
  // From random addresses, so that the limits of networks apply as in production.
  headers["x-forwarded-for"] = [1 + randomInt(223), randomInt(256), randomInt(256), randomInt(256)].join(".");
  if (body !== undefined) headers["content-type"] = type ?? "application/json";
  if (authorization !== undefined) headers["authorization"] = authorization;
  const init: RequestInit = { method: method ?? "GET", headers, redirect: "manual" };
  if (body !== undefined) init.body = body;
  const response = await fetch(address + path, init);
  const text = await response.text();
  if (response.headers.has("set-cookie")) browser.cookies = mergeCookies(browser.cookies, response);
  if (response.status >= 400) throw new Error(`Cannot measure: ${path} ${response.status} ${text}`);
  return { response, text };
}

/** Makes an assertion (WebAuthn Level 3 section 7.2) of the passkey that all users of a population have. */
function assertionFor({ population }: World, browser: Browser, challenge: string): object {
  const { origin } = browser;
  const clientData = Buffer.from(
    JSON.stringify({ type: "webauthn.get", challenge, origin, crossOrigin: false }),
  );
  const hash = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
  // User present and verified, backup eligible and backed up; no counter.
  const authenticatorData = Buffer.concat([hash(new URL(origin).hostname), Buffer.of(0x1d, 0, 0, 0, 0)]);
  const key = createPrivateKey({ key: population.passkey as never, format: "jwk" });
  const signature = sign("sha256", Buffer.concat([authenticatorData, hash(clientData)]), key);
  return {
    id: browser.credentialId,
    rawId: browser.credentialId,
    type: "public-key",
    authenticatorAttachment: "platform",
    clientExtensionResults: {},
    response: {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authenticatorData.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: Buffer.from(browser.accountId).toString("base64url"),
    },
  };
}

/** Signs in from a browser without a session. The population's session stays. */
async function signIn(world: World, { cookies: _, ...inhabitant }: Browser): Promise<void> {
  const browser = { ...inhabitant, cookies: "" };
  const { text } = await send(browser, "/api/auth/passkey/authentication/options", {
    method: "POST",
    body: "{}",
  });
  const { challenge } = JSON.parse(text) as { challenge: string };
  const body = JSON.stringify({ response: assertionFor(world, browser, challenge) });
  await send(browser, "/api/auth/passkey/authentication", { method: "POST", body });
}

async function codeFlow(world: World, browser: Browser): Promise<void> {
  const { clientId, clientSecret, redirectUri } = world.population.client;
  const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid",
    state: "state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const { response } = await send(browser, `/api/auth/oauth2/authorize?${query}`);
  const location = response.headers.get("location") ?? "";
  const code = new URLSearchParams(location.slice(location.indexOf("?") + 1)).get("code");
  if (code === null) throw new Error(`Cannot measure: authorize leads to ${location}`);
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
  await send(browser, "/api/auth/oauth2/token", {
    method: "POST",
    body: new URLSearchParams(form).toString(),
    type: "application/x-www-form-urlencoded",
    authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
  });
}

const SIGNED = JSON.stringify({ message: "Hello, world!" });

const WORKS: Readonly<Record<ScaleWork, (world: World, browser: Browser) => Promise<unknown>>> = {
  "personal_sign": (_, browser) =>
    send(browser, `/api/keys/${browser.keyId}/sign`, { method: "POST", body: SIGNED }),
  "list keys": (_, browser) => send(browser, "/api/keys"),
  "session": (_, browser) => send(browser, "/api/auth/session"),
  "sign in": signIn,
  "code flow": codeFlow,
};

async function load(request: ScaleRequest): Promise<Loaded> {
  world ??= readWorld(request);
  const { work, inFlight, people, milliseconds } = request;
  const times: number[] = [];
  const start = performance.now();
  async function goOn(world: World): Promise<void> {
    for (;;) {
      const from = performance.now();
      if (from - start >= milliseconds) return;
      await WORKS[work](world, randomBrowser(world, people));
      times.push(performance.now() - from);
    }
  }
  await Promise.all(Array.from({ length: inFlight }, () => goOn(world!)));
  return loadedOf(times, performance.now() - start);
}

await answerRequests(load);
