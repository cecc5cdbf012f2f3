import { join } from "../lib/bytes.ts";
import type { Fetch, FetchedAnswer, Lookup, Outgoing } from "../lib/outgoing.ts";
import type { Instant } from "../lib/time.ts";
import { check, IdentityError } from "./error.ts";

/** The maximum response size in bytes, after decompression. */
export const SIZE_LIMIT = 1 << 20;

/** The connections, time and cancellation signal for the requests of one sign-in step. */
export interface Line {
  readonly fetch: Fetch;
  readonly lookup: Lookup;
  readonly signal: AbortSignal;
  readonly now: Instant;
}

/** Creates a line that aborts after the time limit. */
export function openLine({ fetch, lookup, timeLimit }: Outgoing, now: Instant): Line {
  return { fetch, lookup, signal: AbortSignal.timeout(timeLimit), now };
}

/** The options of a request. Only responses with one of `statuses` are read, by default 200. */
export interface Question {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly statuses?: readonly number[];
}

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json(?:\s*;|$)/i;

/**
 * Sends a request to a provider and returns the parsed JSON. Does not follow redirects, because they would let an
 * attacker choose the host that the service contacts; a redirect fails as a wrong status. Stops reading at the size
 * limit and when the signal aborts. Does not check the URL: URLs come from configuration and checked metadata only.
 * Throws an IdentityError.
 */
export async function askJson(line: Line, url: string, question: Question = {}): Promise<unknown> {
  const { method = "GET", headers = {}, body, statuses = [200] } = question;
  try {
    const answer = await line.fetch(url, {
      method,
      headers: { accept: "application/json", "user-agent": "holdfast", ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
      signal: line.signal,
    });
    return parse(await readAnswer(answer, line.signal, statuses));
  } catch (error) {
    if (error instanceof IdentityError) throw error;
    throw new IdentityError(line.signal.aborted ? "too_slow" : "unreachable");
  }
}

async function readAnswer(
  { status, headers, body }: FetchedAnswer,
  signal: AbortSignal,
  statuses: readonly number[],
): Promise<Uint8Array> {
  const reader = body?.getReader();
  const leave = (): void => void reader?.cancel().catch(() => {});
  // On some platforms the signal does not abort a body that is being read.
  signal.addEventListener("abort", leave);
  try {
    check(statuses.includes(status), "answer_status");
    check(JSON_TYPE.test(headers.get("content-type") ?? ""), "answer_type");
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true, value: undefined };
      signal.throwIfAborted();
      if (done) return join(chunks);
      size += value.length;
      check(size <= SIZE_LIMIT, "too_large");
      chunks.push(value);
    }
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new IdentityError("answer_json");
  }
}
