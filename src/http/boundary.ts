import { DatabaseError } from "../db/error.ts";
import { isLasting } from "../db/health.ts";
import { USUAL_LANGUAGE } from "../lib/language.ts";
import { type ProblemCode, ProtocolError, RefusalError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { IpNetwork } from "../lib/ip-address.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Clock } from "../lib/time.ts";
import { createClientAddressReader } from "./request/client-address.ts";
import { readTraceparent } from "./request/traceparent.ts";
import { readCookies } from "./cookie/cookie.ts";
import { clearDuplicateCookies } from "./cookie/cookies.ts";
import { type ExtraHeaders, redirectToUrl } from "./response/respond.ts";
import { aliasTarget } from "./loopback-alias.ts";
import { assertSameOrigin, hasAuthorizationToken } from "./guard/guard.ts";
import type { AccountView, FrameView } from "../ui/layout.ts";
import { API, FOR_TOKENS, ORDINARY_PAGE, PUBLIC_API, securityHeaders } from "./response/security-headers.ts";
import type { HeaderList, StrictTransport, Surface } from "./response/security-headers.ts";
import { acceptedLanguage, setContentLanguage } from "./response/language.ts";
import { oauthProblem, problem, problemPage } from "./response/problem.ts";
import { removeRateLimitHeaders } from "./response/rate-limit.ts";
import type { IncomingRequest, RequestContext } from "./request-context.ts";
import type { Route } from "./route.ts";
import { createRouter, getRoute, type Resource } from "./router.ts";
import { createCpuQueue } from "./cpu-queue.ts";

export interface ConnectionInfo {
  /** The peer's address: a proxy's if the service is behind one. */
  readonly clientAddress: string;
}

/** The HTTP service as one function. Never rejects. */
export type App = (request: IncomingRequest, info: ConnectionInfo) => Promise<Response>;

export interface AppOptions<S> {
  readonly routes: readonly Route<S>[];
  readonly services: S;
  /** `BASE_URL`: an origin. */
  readonly baseUrl: string;
  readonly random: RandomBytes;
  readonly now: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly frame: Pick<FrameView, "tee" | "brand">;
  /** Finds the signed-in user for the account bar of an error page. */
  readonly findViewer: (context: RequestContext) => Promise<AccountView | undefined>;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly IpNetwork[];
  readonly strictTransport: StrictTransport;
}

const PAGE: Surface = { kind: "page", ...ORDINARY_PAGE };
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** The logged route of a request that matched none. The path itself is not logged, because it can contain anything. */
const NO_ROUTE = "none";
/** Problems logged as errors. Excludes a failed identity provider: the log line of its request has the reason. */
const OUR_FAULTS: ReadonlySet<ProblemCode> = new Set(["internal_error", "unavailable"]);
/** Seconds in `Retry-After` when the database is unavailable. */
const RETRY_AFTER = { temporary: "1", persistent: "10" } as const;

/** Returns the URL of a request. Joins text instead of resolving it, so that `//host` is a path and not a host. */
function readTarget(requestUrl: string, baseOrigin: string): URL {
  const authority = requestUrl.indexOf("//") + 2;
  const start = requestUrl.indexOf("/", authority);
  const url = URL.parse(baseOrigin + (start < 0 ? "/" : requestUrl.slice(start)));
  if (url === null || url.origin !== baseOrigin) {
    throw new ProtocolError("invalid_request", "Cannot read request: malformed target");
  }
  return url;
}

/** A host name or IPv6 literal with an optional port. Excludes the comma that joins two Host headers. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?$/;

/** Throws unless there is exactly one valid Host (RFC 9112 section 3.2). On Bun it could shift the path. */
function assertOneHost(headers: Headers): void {
  if (!HOST.test(headers.get("host") ?? "")) {
    throw new ProtocolError("invalid_request", "Cannot read request: it needs exactly one Host header");
  }
}

/** Removes the content but keeps its length (RFC 9110 sections 8.6 and 9.3.2). Bun would send length 0. */
async function withoutContent(response: Response): Promise<Response> {
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== 204) response.headers.set("content-length", String(byteLength));
  return new Response(null, { status: response.status, headers: response.headers });
}

/** Inserts cookies before those of the response, because browsers apply them in order. */
function putCookiesFirst(headers: Headers, cookies: ExtraHeaders): void {
  if (cookies.length === 0) return;
  const own = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const [name, value] of cookies) headers.append(name, value);
  for (const value of own) headers.append("set-cookie", value);
}

/** Returns true if the client of a page accepts JSON but not HTML. */
function asksForJson({ headers }: IncomingRequest): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("json") && !accept.includes("text/html");
}

/** Returns how errors are shown. For unknown paths: problem documents below `/api/`, elsewhere by `Accept`. */
function surfaceAt(resource: Resource<never> | undefined, { pathname }: URL, headers: Headers): Surface {
  if (resource !== undefined) return resource.rows.values().next().value?.surface ?? API;
  if (pathname.startsWith("/api/")) return API;
  return headers.get("accept")?.includes("text/html") ? PAGE : API;
}

/** Formats an error for programs: as an OAuth error on that surface, otherwise as a problem document. */
function showToProgram(error: RefusalError, requestId: string, surface: Surface): Response {
  return surface.kind === "oauth" ? oauthProblem(error) : problem(error, requestId);
}

/** Narrows a surface for token bearers to the readers that this request allows. */
function readableBy(surface: Surface, request: IncomingRequest): Surface {
  if (surface !== FOR_TOKENS) return surface;
  return request.method === "OPTIONS" || hasAuthorizationToken(request) ? PUBLIC_API : API;
}

function describe(
  error: unknown,
): { readonly error: string; readonly message: string; readonly stack: string; readonly cause?: string } {
  if (!(error instanceof Error)) return { error: typeof error, message: "", stack: "" };
  const { name, message, stack = "", cause } = error;
  // Only the database engine's message is logged: another cause may contain secrets.
  const reason = error instanceof DatabaseError && cause instanceof Error ? { cause: cause.message } : {};
  return { error: name, message, stack, ...reason };
}

function failure(cause: unknown): ProtocolError {
  if (!(cause instanceof DatabaseError)) {
    return new ProtocolError("internal_error", "Something went wrong on the server", { cause });
  }
  if (cause.code === "log_cut") {
    return new ProtocolError(
      "log_cut",
      "The audit log was changed: the service does nothing until its operator has checked it",
      {
        cause,
      },
    );
  }
  if (cause.code === "inconsistent") {
    return new ProtocolError(
      "inconsistent_store",
      "Data of this account is missing from the database or is not the newest: nothing is done until the operator has checked it",
      { cause },
    );
  }
  const [message, seconds] = isLasting(cause)
    ? [cause.message, RETRY_AFTER.persistent]
    : ["The database cannot serve this now; try again", RETRY_AFTER.temporary];
  return new ProtocolError("unavailable", message, { cause, headers: { "Retry-After": seconds } });
}

/** Returns the code for the log: the protocol's own, or that of a cause that the client is not shown. */
function reasonOf({ code: own, problem, cause }: RefusalError): { readonly reason?: string } {
  const inside = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const code = own === problem ? inside : own;
  return typeof code === "string" && /^[A-Za-z_]+$/.test(code) ? { reason: code } : {};
}

/**
 * Creates the outermost layer. It checks Host, route, HTTP method and the cross-site rule, redirects pages from other
 * names of localhost, and runs the route. Errors become problem documents, OAuth errors or pages. An unavailable
 * database becomes a 503, any unexpected error a 500 without details. Every response has `X-Request-Id` and the
 * security headers of its surface, which override the endpoint's. It is not cached unless the endpoint allows it. Every
 * request is logged once, with the route's pattern and the code of the refusal. Endpoints must return responses with
 * mutable headers, such as those of `respond`.
 */
export function createApp<S>(options: AppOptions<S>): App {
  const { routes, services, baseUrl, random, now, log, metrics, frame, findViewer } = options;
  const { trustedProxies, strictTransport } = options;
  const readClientAddress = createClientAddressReader(trustedProxies);
  const base = new URL(baseUrl);
  const findResource = createRouter(routes);
  const cpuQueue = createCpuQueue(now);
  const headerLists = new Map<Surface, HeaderList>(
    [API, PUBLIC_API, PAGE, ...routes.map((row) => row.surface)].map((
      surface,
    ) => [surface, securityHeaders(base, surface, strictTransport)]),
  );

  /** Returns the error that the client is shown. Logs the reason if the service is at fault. */
  function toRefusal(error: unknown, requestId: string, route: string): RefusalError {
    const shown = error instanceof RefusalError ? error : failure(error);
    // The database health monitor logs a persistent fault once. The log line of the request has its code.
    const isLogged = shown.cause instanceof DatabaseError && isLasting(shown.cause);
    if (OUR_FAULTS.has(shown.problem) && !isLogged) {
      log("error", "request_failed", { requestId, route, ...describe(shown.cause ?? shown) });
    }
    return shown;
  }

  /** Renders an error as a page. Falls back to a problem document if that fails. */
  async function showPage(
    error: RefusalError,
    requestId: string,
    context: RequestContext | undefined,
  ): Promise<Response> {
    try {
      // If the user cannot be found, the page is shown without one: the same fault may have caused both errors.
      const account = context && await findViewer(context).catch(() => undefined);
      const language = account?.language ??
        (context ? acceptedLanguage(context.request.headers) : USUAL_LANGUAGE);
      if (context !== undefined) setContentLanguage(context, language);
      return problemPage(error, { ...frame, requestId, language, ...(account && { account }) });
    } catch (reason) {
      return problem(toRefusal(reason, requestId, "error page"), requestId);
    }
  }

  function protect(response: Response, surface: Surface, requestId: string): Response {
    const { headers } = response;
    for (const [name, value] of headerLists.get(surface)!) headers.set(name, value);
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    headers.set("x-request-id", requestId);
    return response;
  }

  return async (request, connection) => {
    const startedAt = now();
    const begun = metrics.stopwatch();
    const requestId = random(16).toHex();
    const traceparent = readTraceparent(request.headers);
    const trace = traceparent === undefined ? {} : { traceparent };
    let surface: Surface = API;
    let route = NO_ROUTE;
    let url: URL | undefined;
    let context: RequestContext | undefined;
    let response: Response;
    let refused: RefusalError | undefined;
    let leaveCpuQueue: (() => void) | undefined;
    const enterCpuQueue = async (): Promise<void> => void (leaveCpuQueue ??= await cpuQueue.enter());
    const cookies = readCookies(request.headers);
    const responseHeaders: RequestContext["responseHeaders"] = new Map();
    try {
      assertOneHost(request.headers);
      url = readTarget(request.url, base.origin);
      const resource = findResource(url.pathname);
      surface = surfaceAt(resource, url, request.headers);
      route = resource?.path ?? NO_ROUTE;
      const clientAddress = readClientAddress(request.headers, connection.clientAddress);
      const params = resource?.params ?? {};
      const visit = {
        request,
        url,
        cookies,
        params,
        requestId,
        clientAddress,
        responseHeaders,
        enterCpuQueue,
        ...trace,
      };
      context = { ...visit, now: startedAt, clock: now };
      const match = getRoute(resource, request.method);
      surface = readableBy(match.route.surface, request);
      assertSameOrigin(request, base.origin, match.route.unsafe);
      const elsewhere = surface.kind === "page" ? aliasTarget(request, url, base) : undefined;
      const unprotected = elsewhere === undefined
        ? await match.route.run(context, services)
        : redirectToUrl(elsewhere);
      response = protect(unprotected, surface, requestId);
    } catch (error) {
      refused = toRefusal(error, requestId, route);
      if (refused.problem === "rate_limited") removeRateLimitHeaders({ responseHeaders });
      const isPage = surface.kind === "page" && !asksForJson(request);
      const shown = isPage
        ? await showPage(refused, requestId, context)
        : showToProgram(refused, requestId, surface);
      response = protect(shown, surface, requestId);
    }
    leaveCpuQueue?.();
    for (const given of responseHeaders.values()) {
      for (const [name, value] of given) response.headers.append(name, value);
    }
    if (url !== undefined) {
      putCookiesFirst(response.headers, clearDuplicateCookies(cookies, url, base.origin));
    }
    const method = METHODS.has(request.method) ? request.method : "other";
    const status = String(response.status);
    metrics.count("holdfast_http_requests_total", method, route, status);
    metrics.observeSince("holdfast_http_request_duration_seconds", begun, method, route, status);
    log("info", "request", {
      requestId,
      method,
      route,
      status: response.status,
      durationMs: now() - startedAt,
      ...(refused === undefined ? {} : { code: refused.problem, ...reasonOf(refused) }),
      ...trace,
    });
    return request.method === "HEAD" ? withoutContent(response) : response;
  };
}
