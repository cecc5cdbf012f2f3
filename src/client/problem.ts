import type { Code, Fault, Problem } from "./api.ts";

/** A known code, or one of a later version of the service. */
export type ProblemCode = Code | (string & Record<never, never>);

/** A refusal by the service or a proxy in front of it. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  /** `http_error` if the response was no problem document. */
  readonly code: ProblemCode;
  readonly status: number;
  /** Equals the request id in the service's log; undefined if the response has none. */
  readonly requestId: string | undefined;
  readonly errors: readonly Fault[];
  /** Seconds until the next attempt; undefined if the response has none. */
  readonly retryAfter: number | undefined;
  /** The whole document, with the members of individual problems. */
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

/** Reads the seconds of `Retry-After` (RFC 9110 section 10.2.3). Ignores dates, which the service never sends. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

export async function toError(response: Response): Promise<HoldfastError> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json") === true;
  const problem = isProblem ? await response.json().catch(() => ({})) : {};
  if (!isProblem) await response.body?.cancel();
  return new HoldfastError(response, problem as Partial<Problem>);
}
