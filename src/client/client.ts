import { type OperationRow, OPERATIONS, type Operations } from "./api.ts";
import { makeProof } from "./dpop.ts";
import { type Fetch, send } from "./send.ts";

export type * from "./api.ts";
export { NotSignedError, untilSigned } from "./signing-request.ts";
export type { SigningRequest } from "./signing-request.ts";
export { HoldfastError } from "./problem.ts";
export type { ProblemCode } from "./problem.ts";

export interface ClientOptions {
  /** The origin of the service, such as `https://keys.example.org`. */
  readonly baseUrl: string;
  /** An API token, an access token or the admin key. */
  readonly token?: string;
  /** The key that the token is bound to (DPoP, RFC 9449): ECDSA over P-256, from Web Crypto. */
  readonly dpopKey?: CryptoKeyPair;
  /**
   * The value of the session cookie, for servers and tests. A page on the service's own origin needs neither this nor a
   * token.
   */
  readonly session?: string;
  readonly fetch?: Fetch;
  readonly receipt?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

type Arguments<K extends keyof Operations> = Operations[K]["arguments"];

/** The parameters of an operation. The arguments are optional if none of them is required. */
type Parameters<K extends keyof Operations> = Record<never, never> extends Arguments<K>
  ? [given?: Arguments<K>, options?: CallOptions]
  : [given: Arguments<K>, options?: CallOptions];

type Call<K extends keyof Operations> = (...parameters: Parameters<K>) => Promise<Operations[K]["answer"]>;

/** An operation. A list also has `all`, which yields every item and fetches the pages lazily. */
type Operation<K extends keyof Operations> = Operations[K] extends { readonly item: infer Item }
  ? Call<K> & { readonly all: (...parameters: Parameters<K>) => AsyncGenerator<Item, void, undefined> }
  : Call<K>;

/** Every operation of the service by its `operationId` in `/openapi.json`. */
export type HoldfastClient = { readonly [K in keyof Operations]: Operation<K> } & {
  readonly baseUrl: string;
  /** Returns the newest receipt of the service's log. Store it, so that the next run can present it. */
  readonly receipt: () => string | undefined;
};

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

/** Formats JSON with bigints as decimal strings, which the service accepts as integers. */
function toJson(body: unknown): string {
  return JSON.stringify(body, (_, value) => typeof value === "bigint" ? value.toString() : value);
}

/**
 * Creates a client. Its methods return what the OpenAPI document describes, and throw a `HoldfastError` for a refusal.
 * A request is sent at most three times: again if the service reports that it did nothing (`Retry-After`), and after a
 * lost response if that is safe. Safe are reads, signatures (they are deterministic) and operations with an
 * `Idempotency-Key`, which the client generates unless given.
 */
export function createClient(options: ClientOptions): HoldfastClient {
  const { token, session, dpopKey, fetch = (url, init) => globalThis.fetch(url, init) } = options;
  // A value from the environment may be missing despite its type.
  if (!options.baseUrl) throw new TypeError("Cannot create client: baseUrl is missing");
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
