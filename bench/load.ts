/** The load generator, its own process. It keeps a number of requests in flight for a time and counts responses. */
import { loadedOf } from "./statistics.ts";
import type { Loaded } from "./statistics.ts";
import { answerRequests } from "./worker.ts";

/** The request to send repeatedly. */
export interface Load {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly inFlight: number;
  readonly milliseconds: number;
  /** Stops earlier after this many requests. */
  readonly count?: number;
  /**
   * Sends at this rate, like many independent users, and measures each time from when its request was due. Waiting for
   * a response first would leave out the worst part of a pause. Sends nothing while `inFlight` requests are
   * outstanding.
   */
  readonly perSecond?: number;
}

/** Sends one request, and waits for the whole response. */
async function send({ url, method, headers, body }: Load): Promise<void> {
  const response = await fetch(url, body === undefined ? { method, headers } : { method, headers, body });
  const answer = await response.arrayBuffer();
  if (!response.ok) throw new Error(`Cannot measure: ${response.status} ${new TextDecoder().decode(answer)}`);
}

/** Sends the next request with each response. */
async function loadFully(load: Load): Promise<Loaded> {
  const start = performance.now();
  const times: number[] = [];
  let left = load.count ?? Infinity;
  await Promise.all(Array.from({ length: load.inFlight }, async () => {
    for (let sentAt = start; left-- > 0; times.push(performance.now() - sentAt)) {
      sentAt = performance.now();
      if (sentAt - start >= load.milliseconds) return;
      await send(load);
    }
  }));
  return loadedOf(times, performance.now() - start);
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Sends at a rate. Checks the clock at each turn of the event loop instead of setting timers, which fire at whole
 * milliseconds and would send a dozen requests at once.
 */
async function loadSteadily(load: Load, perSecond: number): Promise<Loaded> {
  const start = performance.now();
  const times: number[] = [];
  const late: number[] = [];
  const out = new Set<Promise<void>>();
  for (let due = start; due - start < load.milliseconds; due += 1000 / perSecond) {
    const dueAt = due;
    while (performance.now() < dueAt) await yieldToEventLoop();
    late.push(performance.now() - dueAt);
    while (out.size >= load.inFlight) await yieldToEventLoop();
    const sending = send(load).then(() => {
      times.push(performance.now() - dueAt);
      out.delete(sending);
    });
    out.add(sending);
  }
  await Promise.all(out);
  return { ...loadedOf(times, performance.now() - start), late: loadedOf(late, 1).p99 };
}

await answerRequests((load: Load) =>
  load.perSecond === undefined ? loadFully(load) : loadSteadily(load, load.perSecond)
);
