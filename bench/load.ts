/** The load generator, a process of its own: it keeps a number of requests in flight for a time and counts answers. */
import { setTimeout as wait } from "node:timers/promises";
import { loadedOf } from "./statistics.ts";
import type { Loaded } from "./statistics.ts";
import { answerRequests } from "./worker.ts";

/** What to send, over and over. */
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
   * Sends at this rate, as many people who do not know of each other would, and counts each time from when its request
   * was due; whoever waits for an answer first would leave out the worst of a pause. Not when `inFlight` are out already.
   */
  readonly perSecond?: number;
}

async function load(
  { url, method, headers, body, inFlight, milliseconds, count, perSecond }: Load,
): Promise<Loaded> {
  const init = body === undefined ? { method, headers } : { method, headers, body };
  const start = performance.now();
  const times: number[] = [];
  let left = count ?? Infinity;
  let due = start;
  async function send(): Promise<void> {
    while (left-- > 0) {
      const sentAt = perSecond === undefined ? performance.now() : due;
      if (sentAt - start >= milliseconds) return;
      if (perSecond !== undefined) {
        due += 1000 / perSecond;
        const early = sentAt - performance.now();
        if (early > 0) await wait(early);
      }
      const response = await fetch(url, init);
      const answer = await response.arrayBuffer();
      if (!response.ok) {
        throw new Error(`Cannot measure: ${response.status} ${new TextDecoder().decode(answer)}`);
      }
      times.push(performance.now() - sentAt);
    }
  }
  await Promise.all(Array.from({ length: inFlight }, send));
  return loadedOf(times, performance.now() - start);
}

await answerRequests(load);
