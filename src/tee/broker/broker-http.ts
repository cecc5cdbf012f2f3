import { ExchangeError, readReply } from "../dstack/unix-http.ts";
import type { UnixReply } from "../dstack/unix-http.ts";

/** A POST of JSON to somebody who is not trusted. */
export interface JsonPost {
  readonly url: string;
  readonly body: string;
  /** Milliseconds for the whole exchange, the last byte of the answer included. */
  readonly deadline: number;
  /** Bytes of an answer beyond which it is given up. */
  readonly largest: number;
}

/** Sends a POST. Throws `ExchangeError` alone. */
export type PostJson = (post: JsonPost) => Promise<UnixReply>;

async function exchange({ url, body, largest }: JsonPost, signal: AbortSignal): Promise<UnixReply> {
  const headers = { "content-type": "application/json" };
  // A redirect is an answer like any other that was not asked for.
  const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  const reply = answer.body === null ? new Uint8Array() : await readReply(answer.body, largest);
  return { status: answer.status, body: reply };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code) : error.message;
}

function describeFailure(cause: unknown): ExchangeError {
  if (cause instanceof ExchangeError) return cause;
  return new ExchangeError("unreachable", `nobody answers (${codeOf(cause)})`, { cause });
}

/**
 * Sends JSON to an http or https URL and gives the whole reply. Throws `ExchangeError` alone, at the deadline at the
 * latest, wherever the other side hangs. Checks neither status nor content, follows no redirect and sends no cookie.
 */
export async function postJson(post: JsonPost): Promise<UnixReply> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const controller = new AbortController();
  const timer = setTimeout(() => {
    reject(new ExchangeError("timed_out", `no whole reply within ${post.deadline / 1000} s`));
  }, post.deadline);
  try {
    return await Promise.race([exchange(post, controller.signal), expired]);
  } catch (error) {
    throw describeFailure(error);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
