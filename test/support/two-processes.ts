import { request as httpRequest } from "node:http";
import { ADMIN_KEY, ORIGIN } from "./app.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { findFreePort } from "./free-port.ts";
import type { Provider } from "./oauth.ts";
import { createPostgresDatabase, isOnPostgres, postgresUrl } from "./postgres.ts";
import { builtRuntime, startService } from "./service.ts";
import { temporaryFolder } from "./temporary.ts";

/** The index of one of two processes. */
export type Which = 0 | 1;

/** One service in two processes on one database, one on Bun and one on Deno. Both have the origin `ORIGIN`. */
export interface TwoProcesses extends AsyncDisposable {
  readonly addresses: readonly [string, string];
  readonly providers: readonly [Provider, Provider];
  /** Creates a browser. It talks to the first process until `go`. */
  browser(): { readonly client: Client; readonly go: (to: Which) => Client };
}

/** Sends a request to an address with its original Host, which one runtime's fetch does not allow. */
export async function sendTo(address: string, request: Request): Promise<Response> {
  const { method, headers, url } = request;
  const body = new Uint8Array(await request.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const target = new URL(new URL(url).pathname + new URL(url).search, address);
  const sent = httpRequest(target, {
    method,
    headers: { ...Object.fromEntries(headers), host: new URL(url).host },
  });
  sent.on("error", reject);
  sent.on("response", (incoming) => {
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on("error", reject);
    incoming.on("end", () => {
      const answered = new Headers();
      for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
        answered.append(incoming.rawHeaders[index]!, incoming.rawHeaders[index + 1]!);
      }
      const status = incoming.statusCode!;
      const isEmpty = status === 204 || status === 304;
      resolve(new Response(isEmpty ? null : new Blob(chunks as BlobPart[]), { status, headers: answered }));
    });
  });
  sent.end(body);
  return await promise;
}

/** One service in several processes on one database, at these addresses. All have the origin `ORIGIN`. */
export interface SeveralProcesses extends AsyncDisposable {
  readonly addresses: readonly string[];
  readonly providers: readonly Provider[];
}

/**
 * Starts a process on each of these runtimes. `env` is for all, for instance another database than the one in their
 * common folder.
 */
export async function startSeveral(
  runtimes: readonly ("bun" | "deno")[],
  env: Readonly<Record<string, string>> = {},
): Promise<SeveralProcesses> {
  const folder = temporaryFolder();
  // Uses the tests' server if the tests run on PostgreSQL. Its databases are deleted with it.
  const database = isOnPostgres ? { DATABASE_URL: postgresUrl(await createPostgresDatabase("empty")) } : {};
  const start = async (runtime: "bun" | "deno") => {
    const port = await findFreePort();
    const all = { ADMIN_API_KEY: ADMIN_KEY, BASE_URL: ORIGIN, PORT: String(port), ...database, ...env };
    const service = await startService({ runtime: builtRuntime(runtime), dataDir: folder.path, env: all });
    return { service, address: `http://localhost:${port}` };
  };
  // Starts one before the others, because a first start makes the seed.
  const [first, ...others] = runtimes;
  const all = [await start(first!)];
  all.push(...await Promise.all(others.map(start)));
  return {
    addresses: all.map(({ address }) => address),
    providers: all.map(({ address }) => ({
      origin: ORIGIN,
      client: () => createClient(ORIGIN, (request) => sendTo(address, request)),
    })),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(({ service }) => service.stop()));
      folder[Symbol.dispose]();
    },
  };
}

/** Starts both, as `startSeveral` does. */
export async function startTwo(env: Readonly<Record<string, string>> = {}): Promise<TwoProcesses> {
  const both = await startSeveral(["bun", "deno"], env);
  const addresses = both.addresses as TwoProcesses["addresses"];
  const browser: TwoProcesses["browser"] = () => {
    let at: Which = 0;
    const client = createClient(ORIGIN, (request) => sendTo(addresses[at], request));
    const go = (to: Which): Client => {
      at = to;
      return client;
    };
    return { client, go };
  };
  return { ...both, addresses, providers: both.providers as TwoProcesses["providers"], browser };
}
