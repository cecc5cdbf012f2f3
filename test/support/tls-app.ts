import { createHash, createPublicKey } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Db } from "../../src/db/schema/schema.ts";
import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { findFreePort } from "./free-port.ts";
import { CERTIFICATES } from "./smtp-certificates.ts";

/** The service of a test behind TLS, and every other host. */
export interface TlsApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly baseUrl: string;
  /** Chromium's flags that resolve the hosts and trust the certificate. */
  readonly flags: readonly string[];
}

const { key, cert } = CERTIFICATES.elsewhere;

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}

async function toRequest(request: IncomingMessage, origin: string): Promise<Request> {
  const headers = new Headers();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    headers.append(request.rawHeaders[index]!, request.rawHeaders[index + 1]!);
  }
  const method = request.method!;
  const body = await readBody(request);
  return new Request(origin + request.url!, { method, headers, ...(body.length > 0 ? { body } : {}) });
}

/** Writes a response of the service to a request over TLS. */
export async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") response.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  response.end(new Uint8Array(await answer.arrayBuffer()));
}

/**
 * Serves a new service over TLS at `https://<host>`, at a port of this machine. Requests for any other host go to
 * `neighbour`.
 */
export async function serveOverTls(
  host: string,
  neighbour: (request: IncomingMessage, response: ServerResponse) => void,
  options: {
    readonly db?: Db;
    readonly environment?: (origin: string) => Readonly<Record<string, string>>;
  } = {},
): Promise<TlsApp> {
  const port = await findFreePort();
  const baseUrl = `https://${host}:${port}`;
  const { db, environment } = options;
  const app = await createTestApp({
    origin: baseUrl,
    ...(db && { db }),
    ...(environment && { environment: environment(baseUrl) }),
  });
  const server = createServer({ key, cert }, (request, response) => {
    if (request.headers.host !== new URL(baseUrl).host) return neighbour(request, response);
    void toRequest(request, baseUrl).then((asked) => app.app(asked, { clientAddress: "127.0.0.1" }))
      .then((answer) => send(answer, response));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const spki = createPublicKey(cert).export({ type: "spki", format: "der" });
  const hash = createHash("sha256").update(spki).digest("base64");
  return {
    app,
    baseUrl,
    flags: [
      `--host-resolver-rules=MAP *.example.localhost 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${hash}`,
    ],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await app[Symbol.asyncDispose]();
    },
  };
}
