import type { Code, Fault, Problem } from "./api.ts";

/** A code of the list, or one that a later version of the service has. */
export type ProblemCode = Code | (string & Record<never, never>);

/** What the service, or whatever stands before it, refused with. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  /** For programs; `http_error` where the answer was no problem document. */
  readonly code: ProblemCode;
  readonly status: number;
  /** The same as in the service's log; undefined where the answer has none. */
  readonly requestId: string | undefined;
  /** What in the request is at fault. */
  readonly errors: readonly Fault[];
  /** Seconds after which to try again; undefined where nobody said. */
  readonly retryAfter: number | undefined;
  /** The whole document, with the members that only some problems have. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? `The service answered ${response.status}`);
    this.code = problem.code ?? "http_error";
    this.status = response.status;
    this.requestId = problem.requestId ?? response.headers.get("x-request-id") ?? undefined;
    this.errors = problem.errors ?? [];
    this.retryAfter = readRetryAfter(response);
    this.problem = problem;
  }
}

/** Seconds of `Retry-After` (RFC 9110 section 10.2.3); the service never sends a date. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** The error of an answer that is no success. */
export async function toError(response: Response): Promise<HoldfastError> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") === true;
  const problem = isProblem ? await response.json().catch(() => ({})) : {};
  if (!isProblem) await response.body?.cancel();
  return new HoldfastError(response, problem as Partial<Problem>);
}
