import type * as v from "valibot";
import type { AnySchema } from "../api/value.ts";
import { addLogReceipt } from "./cookie/log-receipt.ts";
import type { MembersSchema, Operation } from "./description.ts";
import { forRequest } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Guard, UnsafeRule } from "./guard/guard.ts";
import { readForm, readJson } from "./request/body.ts";
import { readPageQuery, readQuery } from "./request/query.ts";
import { isLate, runWithRecheck } from "./request/recheck-after-slow-body.ts";
import type { RequestContext } from "./request-context.ts";
import { API, ORDINARY_PAGE, type PagePolicy, type Surface } from "./response/security-headers.ts";
import type { Services } from "./services.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** The schemas of an endpoint's request: one for the query, one for the body. */
export interface Reads {
  /** Refuses unknown parameters. */
  readonly query?: MembersSchema;
  /** Ignores unknown parameters: links to pages may have tracking tags. */
  readonly pageQuery?: MembersSchema;
  /** JSON. */
  readonly body?: AnySchema;
  /** JSON; may be missing. */
  readonly optionalBody?: AnySchema;
  readonly form?: MembersSchema;
  /** Bytes of the form; `BODY_LIMIT` by default. */
  readonly formLimit?: number;
}

type OutputOf<S> = S extends AnySchema ? v.InferOutput<S> : undefined;
type Member<R, N extends keyof Reads> = R extends Readonly<Record<N, infer S>> ? OutputOf<S> : never;
type OrUndefined<T> = [T] extends [never] ? undefined : T;

export interface Input<R extends Reads> {
  readonly query: OrUndefined<Member<R, "query"> | Member<R, "pageQuery">>;
  readonly body: OrUndefined<Member<R, "body"> | Member<R, "optionalBody"> | Member<R, "form">>;
}

export interface Endpoint<S = Services> {
  readonly guard: Pick<Guard<unknown, never>, "name" | "unsafe">;
  readonly reads: Reads;
  readonly respond: (context: RequestContext, services: S) => Promise<Response>;
}

async function readInput<R extends Reads>(context: RequestContext, reads: Reads): Promise<Input<R>> {
  const { query, pageQuery, body, optionalBody, form, formLimit } = reads;
  const input: { query?: unknown; body?: unknown } = {};
  if (query !== undefined) input.query = readQuery(context, query);
  if (pageQuery !== undefined) input.query = readPageQuery(context, pageQuery);
  if (body !== undefined) input.body = await readJson(context, body);
  if (optionalBody !== undefined) {
    input.body = await readJson(context, optionalBody, { content: "empty-allowed" });
  }
  if (form !== undefined) {
    input.body = await readForm(context, form, formLimit === undefined ? {} : { limit: formLimit });
  }
  return input as Input<R>;
}

/**
 * Creates an endpoint. It runs the guard, then reads the query and the body, then calls `handle` with the guard's
 * principal. An endpoint that requires a session does not type-check behind a guard without one.
 */
export function defineEndpoint<P, const R extends Reads, S = Services>(
  guard: Guard<P, NoInfer<S>>,
  reads: R,
  handle: (
    context: RequestContext,
    principal: NoInfer<P>,
    input: Input<NoInfer<R>>,
    services: S,
  ) => Promise<Response>,
): Endpoint<S> {
  const respond = async (context: RequestContext, services: S): Promise<Response> => {
    const principal = await guard.check(context, services);
    if (principal instanceof Response) return principal;
    return handle(context, principal, await readInput<R>(context, reads), services);
  };
  return { guard, reads, respond };
}

export interface Route<S = Services> {
  readonly method: Method;
  /** `/api/keys/:keyId`: `:name` matches one whole segment. */
  readonly path: string;
  readonly guard: string;
  readonly unsafe: UnsafeRule;
  /** The format of its errors and the security headers of its responses. */
  readonly surface: Surface;
  readonly description: Operation;
  /** Runs the guard, then the endpoint; both again if the body was late. */
  readonly run: (context: RequestContext, services: S) => Promise<Response>;
}

type LogReceiptServices = Pick<Services, "logReceipt">;

type Row<S> = Operation & {
  /** Adds a log receipt to each response of status 200, and to the description. */
  readonly receipt?: S extends LogReceiptServices ? true : never;
};

function withLogReceipt<S>(respond: Endpoint<S>["respond"]): Endpoint<S>["respond"] {
  return async (context, services) => {
    const response = await respond(context, services);
    if (response.status === 200) addLogReceipt(response, context, services as S & LogReceiptServices);
    return response;
  };
}

function describe({ query, pageQuery, body, optionalBody, form }: Reads, row: Operation): Operation {
  const described = {
    query: query ?? pageQuery,
    body: body ?? optionalBody ?? form,
    bodyIs: form ? "form" as const : optionalBody && "optional" as const,
  };
  const known = Object.entries(described).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...row };
}

/** Returns the services with a `db` that reads the state of an account once, until the request is late. */
function servicesFor<S>(context: RequestContext, services: S): S {
  const db = (services as { readonly db?: Db } | undefined)?.db;
  const own = db && forRequest(db, () => isLate(context));
  return own === db ? services : { ...services, db: own };
}

function createRow<S>(
  method: Method,
  path: string,
  { guard, reads, respond }: Endpoint<S>,
  row: Operation,
  surface: Surface,
): Route<S> {
  const hasBody = method !== "GET" && method !== "OPTIONS";
  const once: Endpoint<S>["respond"] = (context, services) =>
    respond(context, servicesFor(context, services));
  const run = hasBody
    ? (context: RequestContext, services: S) => runWithRecheck(context, (again) => once(again, services))
    : once;
  return {
    method,
    path,
    guard: guard.name,
    unsafe: guard.unsafe,
    surface,
    description: describe(reads, row),
    run,
  };
}

/** Creates an API route. Errors are problem documents, unless the surface differs. GET includes HEAD. */
export function route<S>(
  method: Method,
  path: string,
  endpoint: Endpoint<S>,
  { receipt, ...description }: Row<S>,
  surface: Surface = API,
): Route<S> {
  if (receipt === undefined) return createRow(method, path, endpoint, description, surface);
  const { respond, ...rest } = endpoint;
  const { responseHeaders } = description;
  const row = {
    ...description,
    responseHeaders: { ...responseHeaders, 200: [...responseHeaders?.[200] ?? [], "Holdfast-Witness"] },
  } as const;
  return createRow(method, path, { ...rest, respond: withLogReceipt<S>(respond) }, row, surface);
}

/** Creates the route of a page. Errors are pages, and the security headers are those of a document. */
export function pageRoute<S>(
  method: Method,
  path: string,
  endpoint: Endpoint<S>,
  description: Omit<Operation, "tag" | "returns"> & Partial<Operation>,
  policy: PagePolicy = ORDINARY_PAGE,
): Route<S> {
  const row = { tag: "Pages", returns: { 200: "page", 303: null }, ...description } as const;
  return createRow(method, path, endpoint, row, { kind: "page", ...policy });
}
