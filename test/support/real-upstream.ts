import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { findFreePort } from "./free-port.ts";

/** oidc-provider has no types. A name that is no literal keeps the type checkers from resolving them. */
const OIDC_PROVIDER: string = "oidc-provider";

/** The service as a client of the provider. */
export const UPSTREAM_CLIENT = { clientId: "holdfast", clientSecret: "a secret: with / and %" } as const;

/** A third-party provider, on a port of this machine. */
export interface RealUpstream {
  readonly issuer: string;
  close(): Promise<void>;
}

/** The users of the provider, by their user names there. */
const PEOPLE: Readonly<Record<string, object>> = {
  ada: { name: "Ada Lovelace", email: "ada@upstream.example", email_verified: true },
  grace: { name: "Grace Hopper", email: "grace@upstream.example", email_verified: false },
  linus: { name: "Linus", email: "linus@upstream.example", email_verified: true },
  barbara: {},
  alan: {},
  hedy: {},
};

const PAGE = `<!doctype html><title>Upstream</title><h1>Upstream</h1><form method="post">
${
  Object.keys(PEOPLE).map((name) => `<button name="person" value="${name}">Continue as ${name}</button>`)
    .join("\n")
}
<button name="person" value="">Cancel</button></form>`;

async function readPerson(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body).get("person") ?? "";
}

/**
 * Starts oidc-provider with one client, which has this redirect URI. It asks for the user on one page, and never for
 * consent. Claims about users are only at its userinfo endpoint, as the standard requires.
 */
export async function startRealUpstream(redirectUri: string): Promise<RealUpstream> {
  const port = await findFreePort();
  const issuer = `http://localhost:${port}`;
  const warn = console.warn;
  console.warn = () => {}; // It warns of everything that makes it a provider for tests.
  const { default: Provider } = await import(OIDC_PROVIDER);
  const provider = new Provider(issuer, {
    clients: [{
      client_id: UPSTREAM_CLIENT.clientId,
      client_secret: UPSTREAM_CLIENT.clientSecret,
      redirect_uris: [redirectUri],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["a key of the test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...PEOPLE[sub] }),
    }),
    // deno-lint-ignore no-explicit-any -- the context of a third-party library
    async loadExistingGrant({ oidc }: any) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  console.warn = warn;

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
      return;
    }
    const person = await readPerson(request);
    const result = person === ""
      ? { error: "access_denied", error_description: "the person cancelled" }
      : { login: { accountId: person } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  const server = createServer((request, response) => {
    if (request.url!.startsWith("/interaction/")) void interact(request, response);
    else callback(request, response);
  }).listen(port, "localhost");
  await once(server, "listening");
  return {
    issuer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Visits the provider as a browser: follows its redirects with cookies and answers the one question, until it is
 * redirected back to this origin. Returns the path there.
 */
export async function visitUpstream(location: string, person: string, origin: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = location;
  let init: RequestInit = {};
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const header of answer.headers.getSetCookie()) {
      const [name, value] = header.split(";")[0]!.split("=");
      cookies.set(name!, value!);
    }
    const next = answer.headers.get("location");
    await answer.text();
    if (next === null) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      init = { method: "POST", headers, body: new URLSearchParams({ person }) };
      continue;
    }
    init = {};
    url = new URL(next, url).href;
    if (url.startsWith(origin)) return url.slice(origin.length);
  }
  throw new Error("The provider never sent the browser back");
}
