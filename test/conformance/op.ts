import { createGroupCommit } from "../../src/db/group-commit.ts";
import { rotateSigningKeys, TOKEN_ALGORITHMS } from "../../src/oauth/token/signing-key.ts";
import { serve } from "../../src/runtime/serve.ts";
import type { ServedRequest } from "../../src/runtime/server.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { createTestApp, NO_PROVIDERS } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { providerAt } from "../support/oauth.ts";
import type { Provider } from "../support/oauth.ts";

/** The provider under test: the service behind a listener, with a clock that only modules move. */
export interface Op extends Provider, AsyncDisposable {
  /** Its discovery document. */
  // deno-lint-ignore no-explicit-any -- modules read every member
  readonly metadata: any;
  /** Returns its time in milliseconds. */
  now(): number;
  /** Advances its clock. */
  pass(seconds: number): void;
  /** Delivers the due logout tokens over the network. */
  deliverLogoutTokens(): Promise<void>;
  /** Rotates the signing keys, as the command `rotate-keys` does. */
  rotateKeys(): Promise<void>;
}

/** A fault in the provider's response, to test that a module detects it. */
export type Tamper = (request: Request, response: Response) => Promise<Response> | Response;

export const DISCOVERY = "/.well-known/openid-configuration";

/** A fault in how the provider reads a request. */
export type TamperRequest = (request: Request) => Promise<Request> | Request;

/** Returns a copy as the platform's `Request`, which can be cloned. */
async function toRequest(served: ServedRequest): Promise<Request> {
  const { method, url, headers } = served;
  const content = await served.arrayBuffer();
  return new Request(url, { method, headers, ...(content.byteLength > 0 && { body: content }) });
}

/** Starts the provider on a free port. */
export async function openOp(
  tamper: Tamper = (_, response) => response,
  tamperRequest: TamperRequest = (request) => request,
): Promise<Op> {
  // The service needs its port, which is known only after the server listens.
  const started: { service?: TestApp } = {};
  const server = await serve({
    hostname: "127.0.0.1",
    port: 0,
    handler: async (served, connection) => {
      const request = await toRequest(served);
      return await tamper(request, await started.service!.app(await tamperRequest(request), connection));
    },
  });
  const origin = `http://localhost:${server.port}`;
  const service = started.service = await createTestApp({ origin, identity: { ...NO_PROVIDERS, fetch } });
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
        authority: createRowAuthority(vault, Date.now),
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

/** Returns the path of an endpoint from the metadata. */
export function pathOf(op: Op, endpoint: string): string {
  const url: unknown = op.metadata[endpoint];
  if (typeof url !== "string" || !url.startsWith(`${op.origin}/`)) {
    throw new Error(`No ${endpoint} of this provider`);
  }
  return url.slice(op.origin.length);
}
