import { ExchangeError, readReply, type UnixReply } from "../dstack/unix-http.ts";

export interface JsonPost {
  readonly url: string;
  readonly body: string;
  /** Milliseconds for the whole exchange, including the last byte of the reply. */
  readonly deadline: number;
  /** Maximum of bytes in a reply. */
  readonly largest: number;
}

/** Sends a POST. Throws only `ExchangeError`. */
export type PostJson = (post: JsonPost) => Promise<UnixReply>;

async function exchange({ url, body, largest }: JsonPost, signal: AbortSignal): Promise<UnixReply> {
  const headers = { "content-type": "application/json" };
  // Not followed: a redirect is a wrong reply.
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  const reply = response.body === null ? new Uint8Array() : await readReply(response.body, largest);
  return { status: response.status, body: reply };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code) : error.message;
}

function describeFailure(cause: unknown): ExchangeError {
  if (cause instanceof ExchangeError) return cause;
  return new ExchangeError("unreachable", `no answer (${codeOf(cause)})`, { cause });
}

/**
 * Sends JSON to an http or https URL and returns the whole reply. Throws only `ExchangeError`, at the deadline at the
 * latest. Does not check status or content, follow redirects or send cookies.
 */
export async function postJson(post: JsonPost): Promise<UnixReply> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const controller = new AbortController();
  const timer = setTimeout(() => {
    reject(new ExchangeError("timed_out", `no complete reply within ${post.deadline / 1000} s`));
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
