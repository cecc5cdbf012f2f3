import assert from "node:assert/strict";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "../../src/webauthn/options.ts";
import { createAuthenticator } from "./authenticator.ts";
import type { SoftwareAuthenticator } from "./authenticator.ts";

/** Sends a request to the app itself, or with `fetch` to a service that runs elsewhere. */
export type Send = (request: Request) => Promise<Response>;

/** The optional parts of a request. */
export interface RequestOptions {
  readonly body?: unknown;
  /** The body's exact text, instead of `body` as JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response with its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body; undefined for anything else. */
  // deno-lint-ignore no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

/** A browser without a window: it keeps cookies and has an authenticator. */
export interface Client {
  readonly origin: string;
  readonly cookies: Map<string, string>;
  readonly authenticator: SoftwareAuthenticator;
  /** The headers and text of every response so far, for tests that search them for secrets. */
  readonly seen: string[];
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
}

/** Updates the cookies by `Set-Cookie`. Ignores all attributes except Max-Age=0. */
function keepCookies(cookies: Map<string, string>, headers: Headers): void {
  for (const header of headers.getSetCookie()) {
    const [pair, ...attributes] = header.split(";");
    const equals = pair!.indexOf("=");
    const name = pair!.slice(0, equals);
    const isGone = attributes.some((attribute) => attribute.trim().toLowerCase() === "max-age=0");
    if (isGone) cookies.delete(name);
    else cookies.set(name, pair!.slice(equals + 1));
  }
}

/** Creates a client of the service at `origin`. Sends no Origin and no Sec-Fetch headers, as curl does. */
export function createClient(origin: string, send: Send): Client {
  const cookies = new Map<string, string>();
  const seen: string[] = [];
  const request: Client["request"] = async (method, path, { body, text, headers = {} } = {}) => {
    const sent = new Headers({ host: new URL(origin).host });
    if (cookies.size > 0) {
      sent.set(
        "cookie",
        [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      );
    }
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
    if (content !== undefined) sent.set("content-type", "application/json");
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const init: RequestInit = { method, headers: sent, redirect: "manual" };
    if (content !== undefined) init.body = content;
    const response = await send(new Request(origin + path, init));
    keepCookies(cookies, response.headers);
    const answer = await response.text();
    seen.push([...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n") + "\n\n" + answer);
    const isJson = method !== "HEAD" && response.headers.get("content-type")?.includes("json") === true;
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: isJson ? JSON.parse(answer) : undefined,
    };
  };
  return {
    origin,
    cookies,
    seen,
    authenticator: createAuthenticator(),
    request,
    get: (path, options) => request("GET", path, options),
    post: (path, body, options) =>
      request("POST", path, { ...(body === undefined ? {} : { body }), ...options }),
  };
}

/** Returns the newest 6-digit code in the development outbox for an address. */
export async function readCode(client: Client, email: string): Promise<string> {
  const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
  const codes = body.messages.filter((message: { to: string }) => message.to === email.toLowerCase())
    .map((mail: { text: string }) => /\b\d{6}\b/.exec(mail.text)?.[0]);
  const code = codes.find((found: string | undefined) => found !== undefined);
  assert.ok(code !== undefined, `no code for ${email} in the outbox`);
  return code;
}

/** Verifies an address. Afterwards the client has a sign-up ticket, or is told to sign in. */
export async function proveAddress(client: Client, email: string): Promise<string> {
  assert.equal((await client.post("/api/auth/email-code", { email })).status, 200);
  const answer = await client.post("/api/auth/email-code/verify", {
    email,
    code: await readCode(client, email),
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.next;
}

/** Registers the first passkey of a verified address, or a further one. `account` is that member of the body. */
export async function registerPasskey(client: Client, account?: string): Promise<Answer> {
  const choice = account === undefined ? {} : { account };
  const options = await client.post("/api/auth/passkey/registration/options", choice);
  assert.equal(options.status, 200, options.text);
  const response = await client.authenticator.register(
    options.body as PublicKeyCredentialCreationOptionsJSON,
    { origin: client.origin },
  );
  return await client.post("/api/auth/passkey/registration", { response, ...choice });
}

/** Creates an account with a passkey and signs the client in. */
export async function signUp(client: Client, email: string): Promise<Answer> {
  assert.equal(await proveAddress(client, email), "register_passkey");
  const answer = await registerPasskey(client, "new");
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

export async function signIn(client: Client): Promise<Answer> {
  const options = await client.post("/api/auth/passkey/authentication/options", {});
  assert.equal(options.status, 200, options.text);
  const response = await client.authenticator.authenticate(
    options.body as PublicKeyCredentialRequestOptionsJSON,
    { origin: client.origin },
  );
  return await client.post("/api/auth/passkey/authentication", { response });
}
