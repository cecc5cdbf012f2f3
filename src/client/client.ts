import { OPERATIONS } from "./api.ts";
import type { OperationRow, Operations } from "./api.ts";
import { makeProof } from "./dpop.ts";
import { type Fetch, send } from "./send.ts";

export type * from "./api.ts";
export { NotSignedError, untilSigned } from "./signing-request.ts";
export type { SigningRequest } from "./signing-request.ts";
export { HoldfastError } from "./problem.ts";
export type { ProblemCode } from "./problem.ts";

/** Where the service is, and who asks. */
export interface ClientOptions {
  /** The origin of the service, such as `https://keys.example.org`. */
  readonly baseUrl: string;
  /** A program's token, or the admin key. */
  readonly token?: string;
  /** The key to which the token is bound (DPoP, RFC 9449): ECDSA over P-256, as Web Crypto makes it. */
  readonly dpopKey?: CryptoKeyPair;
  /** The value of the session cookie, for servers and tests. A page of the service's own origin needs none of both. */
  readonly session?: string;
  /** In place of the platform's. */
  readonly fetch?: Fetch;
  /** The newest receipt that was kept of an earlier run. */
  readonly receipt?: string;
}

/** What every operation takes beside its own arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

type Arguments<K extends keyof Operations> = Operations[K]["arguments"];

/** The arguments may be left out where none is required. */
type Parameters<K extends keyof Operations> = Record<never, never> extends Arguments<K>
  ? [given?: Arguments<K>, options?: CallOptions]
  : [given: Arguments<K>, options?: CallOptions];

type Call<K extends keyof Operations> = (...parameters: Parameters<K>) => Promise<Operations[K]["answer"]>;

/** A list also has `all`: every item of every page, fetched as they are asked for. */
type Operation<K extends keyof Operations> = Operations[K] extends { readonly item: infer Item }
  ? Call<K> & { readonly all: (...parameters: Parameters<K>) => AsyncGenerator<Item, void, undefined> }
  : Call<K>;

/** Every operation of the service by its name in the description (`/openapi.json`). */
export type HoldfastClient = { readonly [K in keyof Operations]: Operation<K> } & {
  readonly baseUrl: string;
  /** The newest receipt of the service's log: keep it, so that the next run can show it. */
  readonly receipt: () => string | undefined;
};

/** Arguments as the code has them, whatever the operation. */
interface Given {
  readonly [name: string]: unknown;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

function urlOf(baseUrl: string, [, path]: OperationRow, given: Given): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return baseUrl + filled + (query.size > 0 ? `?${query}` : "");
}

/** JSON in which a bigint is decimal digits, as the service takes integers. */
function toJson(body: unknown): string {
  return JSON.stringify(body, (_, value) => typeof value === "bigint" ? value.toString() : value);
}

/**
 * A client of the service. Its methods answer what the description says, and throw a `HoldfastError` for a refusal. A
 * request is sent again, three times at the most, where the service says that it did nothing (`Retry-After`), and after a
 * lost answer where that is safe: what only reads, what signs (signatures are deterministic), and what takes an
 * `Idempotency-Key`, of which it brings one by itself.
 */
export function createClient(options: ClientOptions): HoldfastClient {
  const { token, session, dpopKey, fetch = (url, init) => globalThis.fetch(url, init) } = options;
  // What a program reads from its environment may be missing, whatever its types say.
  if (!options.baseUrl) throw new TypeError("Cannot make client: baseUrl is missing");
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  let receipt = options.receipt;
  let nonce: string | undefined;

  async function authorize(headers: Headers, method: string, url: string): Promise<void> {
    if (token === undefined) return;
    headers.set("authorization", `${dpopKey === undefined ? "Bearer" : "DPoP"} ${token}`);
    if (dpopKey !== undefined) headers.set("dpop", await makeProof(dpopKey, { method, url, token, nonce }));
  }

  function heard({ headers }: Response): void {
    receipt = headers.get("holdfast-witness") ?? receipt;
    nonce = headers.get("dpop-nonce") ?? nonce;
  }

  function headersFor({ body }: Given, idempotencyKey: string | undefined): Headers {
    const headers = new Headers({ accept: "application/json" });
    if (body !== undefined) headers.set("content-type", "application/json");
    if (session !== undefined) headers.set("cookie", `service.session_token=${session}`);
    if (receipt !== undefined) headers.set("holdfast-witness", receipt);
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
    return headers;
  }

  async function call(row: OperationRow, given: Given = {}, { signal }: CallOptions = {}): Promise<unknown> {
    const { body } = given;
    const [method, , again] = row;
    const url = urlOf(baseUrl, row, given);
    const idempotencyKey = again === "keyed" ? given.idempotencyKey ?? crypto.randomUUID() : undefined;
    const response = await send({
      fetch,
      url,
      headers: async () => {
        const headers = headersFor(given, idempotencyKey);
        await authorize(headers, method, url);
        return headers;
      },
      heard,
      init: {
        method,
        redirect: "error",
        ...(body === undefined ? {} : { body: toJson(body) }),
        ...(signal === undefined ? {} : { signal }),
      },
      again,
    });
    return response.status === 204 ? undefined : await response.json();
  }

  async function* all(row: OperationRow, given: Given = {}, options?: CallOptions): AsyncGenerator<unknown> {
    let cursor: string | null | undefined = given.query?.["cursor"]?.toString();
    do {
      const query = { ...given.query, ...(cursor === undefined ? {} : { cursor }) };
      const page = await call(row, { ...given, query }, options) as Record<string, unknown>;
      yield* page[row[3]!] as unknown[];
      cursor = page["nextCursor"] as string | null;
    } while (cursor !== null);
  }

  const operations = Object.entries(OPERATIONS).map(([name, row]) => {
    const method = (given?: Given, options?: CallOptions): Promise<unknown> => call(row, given, options);
    const paged = (given?: Given, options?: CallOptions): AsyncGenerator<unknown> => all(row, given, options);
    return [name, row[3] === undefined ? method : Object.assign(method, { all: paged })] as const;
  });
  return { ...Object.fromEntries(operations), baseUrl, receipt: () => receipt } as unknown as HoldfastClient;
}
