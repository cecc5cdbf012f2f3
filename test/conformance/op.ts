import { createGroupCommit } from "../../src/db/group-commit.ts";
import { rotateSigningKeys, TOKEN_ALGORITHMS } from "../../src/oauth/token/signing-key.ts";
import { serve } from "../../src/runtime/serve.ts";
import type { ServedRequest } from "../../src/runtime/server.ts";
import { createRowAuthority } from "../../src/vault/row-authority.ts";
import { createTestApp, NO_PROVIDERS } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { providerAt } from "../support/oauth.ts";
import type { Provider } from "../support/oauth.ts";

/** The provider under test: the whole service behind a real listener, with a clock that only modules move. */
export interface Op extends Provider, AsyncDisposable {
  /** What it published at its well-known address. */
  // deno-lint-ignore no-explicit-any -- modules look at every member
  readonly metadata: any;
  /** Its time, in milliseconds. */
  now(): number;
  /** Lets time go by there: nobody waits. */
  pass(seconds: number): void;
  /** Tells applications of the logouts that there were, over the network. */
  deliverLogoutTokens(): Promise<void>;
  /** Does what the command `rotate-keys` does. */
  rotateKeys(): Promise<void>;
}

/** A fault put between the provider and the suite, to see that a module notices it. */
export type Tamper = (request: Request, response: Response) => Promise<Response> | Response;

export const DISCOVERY = "/.well-known/openid-configuration";

/** A fault put before the provider: it answers another request than was sent. */
export type Disguise = (request: Request) => Promise<Request> | Request;

/** The platform's own request, which can be copied. */
async function toWhole(asked: ServedRequest): Promise<Request> {
  const { method, url, headers } = asked;
  const content = await asked.arrayBuffer();
  return new Request(url, { method, headers, ...(content.byteLength > 0 && { body: content }) });
}

/** Starts the provider on a port of its own. */
export async function openOp(
  tamper: Tamper = (_, response) => response,
  disguise: Disguise = (request) => request,
): Promise<Op> {
  // The service must know its port, and the port is known once it listens.
  const late: { service?: TestApp } = {};
  const server = await serve({
    hostname: "127.0.0.1",
    port: 0,
    handler: async (asked, connection) => {
      const request = await toWhole(asked);
      return await tamper(request, await late.service!.app(await disguise(request), connection));
    },
  });
  const origin = `http://localhost:${server.port}`;
  const service = late.service = await createTestApp({ origin, identity: { ...NO_PROVIDERS, fetch } });
  const provider = providerAt(origin);
  const { body: metadata } = await provider.client().get(DISCOVERY);
  return {
    ...provider,
    metadata,
    now: () => service.now,
    pass: (seconds) => void (service.now += seconds * 1000),
    deliverLogoutTokens: () => service.deliverLogoutTokens(),
    rotateKeys: async () => {
      const { db, vault } = service;
      const services = {
        vault,
        authority: createRowAuthority(vault, () => {}),
        groupCommit: createGroupCommit(db),
      };
      await rotateSigningKeys(db, services, { algorithms: TOKEN_ALGORITHMS, now: service.now });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** The path of an endpoint, as its metadata names it. */
export function pathOf(op: Op, endpoint: string): string {
  const url: unknown = op.metadata[endpoint];
  if (typeof url !== "string" || !url.startsWith(`${op.origin}/`)) throw new Error(`No ${endpoint} here`);
  return url.slice(op.origin.length);
}
