import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import type { Fetch, FetchedResponse, FetchInit, Lookup, Outgoing } from "../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS } from "./app.ts";
import type { TestApp, TestAppOptions } from "./app.ts";

export interface ReceivedLogout {
  readonly url: string;
  readonly init: FetchInit;
  readonly token: string;
  readonly aud: string;
  readonly sub: string;
  readonly sid: string | undefined;
}

/** A listener in place of every application's logout endpoint. */
export interface LogoutListener {
  /** Returns the notifications since its last call. */
  take(): readonly ReceivedLogout[];
  /** Responds to a notification; 200 by default. */
  answer: (url: string, init: FetchInit) => FetchedResponse | Promise<FetchedResponse>;
  lookup: Lookup;
  readonly outgoing: Outgoing;
}

/** Creates a listener that accepts every notification. */
export function createLogoutListener(): LogoutListener {
  let received: ReceivedLogout[] = [];
  const fetch: Fetch = async (url, init) => {
    const form = new URLSearchParams(init.body);
    assert.deepEqual([...form.keys()], ["logout_token"]);
    const token = form.get("logout_token")!;
    const { aud, sub, sid } = decodeJwt<{ aud: string; sid?: string }>(token);
    received.push({ url, init, token, aud: aud as string, sub: sub!, sid });
    return await listener.answer(url, init);
  };
  const listener: LogoutListener = {
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    answer: () => new Response(null),
    lookup: () => Promise.resolve(["93.184.216.34"]),
    outgoing: { fetch, lookup: (name) => listener.lookup(name), timeLimit: NO_PROVIDERS.timeLimit },
  };
  return listener;
}

/** Creates a service whose applications all get their logout notifications at one listener. */
export async function createListenedApp(
  options: Omit<TestAppOptions, "identity"> = {},
): Promise<{ readonly app: TestApp; readonly listener: LogoutListener } & AsyncDisposable> {
  const listener = createLogoutListener();
  const app = await createTestApp({ ...options, identity: { providers: [], ...listener.outgoing } });
  return { app, listener, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}
