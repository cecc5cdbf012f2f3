import assert from "node:assert/strict";
import type { Fetch, Lookup } from "../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS } from "./app.ts";
import type { TestApp, TestAppOptions } from "./app.ts";
import type { Answer, Client } from "./client.ts";
import { createUpstream } from "./upstream.ts";
import type { Upstream } from "./upstream.ts";

/** The service with two identity providers that the test controls. */
export interface IdentityStage extends AsyncDisposable {
  readonly app: TestApp;
  readonly upstream: Upstream;
  readonly other: Upstream;
  /**
   * The limit in milliseconds, read at the start of each request to a provider. Change it to make a request time out.
   */
  readonly limit: { timeLimit: number };
}

/** Creates a service with the providers `upstream` and `other`. */
export async function createIdentityStage(
  options: TestAppOptions & { readonly lookup?: Lookup } = {},
): Promise<IdentityStage> {
  const clock: { app?: TestApp } = {};
  const now = (): number => clock.app!.now;
  const upstream = await createUpstream({ now });
  const other = await createUpstream({ id: "other", issuer: "https://other.example", now });
  const identity = {
    providers: [upstream.config, other.config],
    fetch:
      ((url, init) =>
        (url.startsWith(other.config.issuer) ? other : upstream).fetch(url, init)) satisfies Fetch,
    lookup: options.lookup ?? NO_PROVIDERS.lookup,
    timeLimit: NO_PROVIDERS.timeLimit as number,
  };
  clock.app = await createTestApp({ ...options, identity });
  const { app } = clock;
  return { app, upstream, other, limit: identity, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Begins a sign-in. Returns where the browser is redirected. */
export async function beginAt(client: Client, { config }: Upstream, query = ""): Promise<string> {
  const answer = await client.get(`/api/auth/identity/${config.id}${query}`);
  assert.equal(answer.status, 303, answer.text);
  return answer.headers.get("location")!;
}

export function comeBack(
  client: Client,
  { config }: Upstream,
  query: URLSearchParams | string,
): Promise<Answer> {
  return client.get(`/api/auth/identity/${config.id}/callback?${query}`);
}

/** Visits the provider and returns. */
export async function visitProvider(client: Client, upstream: Upstream, query = ""): Promise<Answer> {
  return await comeBack(client, upstream, upstream.visit(await beginAt(client, upstream, query)));
}

/** Returns the code of the check that failed for the last request in the log. */
export function lastReason({ logged }: TestApp): string | undefined {
  const requests = logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "request");
  return requests.at(-1).reason;
}

/** Returns a lookup that is answered when the test says so, and a promise that fulfils once it is asked. */
export function heldLookup() {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<readonly string[]>();
  const lookup = (): Promise<readonly string[]> => {
    ask();
    return answered;
  };
  return { lookup, asked, answer: () => answer(["93.184.216.34"]) };
}
