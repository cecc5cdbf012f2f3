import type { Log } from "../../lib/log.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";

/** One of several processes, as who watches them sees it. */
export interface Watched {
  /** Fulfils with true when it serves, with false when it ended before it did. */
  readonly listening: Promise<boolean>;
  /** Fulfils with its code when it is gone. */
  readonly ended: Promise<number>;
  /** Asks it to finish what is in flight and end. */
  end(): void;
  /** Ends it at once. */
  kill(): void;
}

/** What watching needs. */
export interface Supervision {
  readonly count: number;
  /** Starts the process of a number, from 1. */
  readonly start: (number: number) => Watched;
  /** Hears once that all of them serve. */
  readonly onServing: () => void;
  readonly log: Log;
  /** Milliseconds that never go back. */
  readonly stopwatch: () => number;
  /** Fulfils after so many milliseconds, or rejects when the signal is given. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Several processes that are watched. */
export interface Supervisor {
  /** Fulfils when the last one is gone, with the worst code of those that ended last. */
  readonly over: Promise<number>;
  /** Asks all to finish, and ends who does not within the time that one needs. */
  stop(): void;
}

/** The first pause before a process that died is started again; it doubles with each that dies soon. */
const SHORTEST_PAUSE = SECOND;
const LONGEST_PAUSE = 30 * SECOND;
/** Who lived for so long did not die of its start. */
const STEADY = MINUTE;
/** More than the ten seconds that a process gives what is in flight, and its mails and database besides. */
const STOP_LIMIT = 20 * SECOND;

/**
 * Starts processes, the first alone and then the others together: what is done once at a start is done when they begin,
 * and what is wrong is said once. One that does not come to serve ends them all, with its code. From then on one that ends
 * unasked is started again after a pause, whatever it ended with: the others serve meanwhile; where there are none, it is a
 * second.
 */
export function supervise({ count, start, onServing, log, stopwatch, wait }: Supervision): Supervisor {
  const running = new Set<Watched>();
  const codes: number[] = [];
  const stopping = new AbortController();

  function launch(number: number): Watched {
    const watched = start(number);
    running.add(watched);
    void watched.ended.then(() => running.delete(watched));
    return watched;
  }

  function stop(): void {
    if (stopping.signal.aborted) return;
    stopping.abort();
    for (const watched of running) watched.end();
    const limit = setTimeout(() => running.forEach((watched) => watched.kill()), STOP_LIMIT);
    void over.then(() => clearTimeout(limit));
  }

  /** Until it ends after it was asked to. */
  async function keep(number: number, first: Watched): Promise<void> {
    let pause = SHORTEST_PAUSE;
    for (let watched = first;; watched = launch(number)) {
      const begun = stopwatch();
      const code = await watched.ended;
      if (stopping.signal.aborted) return void codes.push(code);
      if (stopwatch() - begun >= STEADY) pause = SHORTEST_PAUSE;
      // While nobody serves, the last one to go does not wait for long, however often it died.
      const again = running.size === 0 ? SHORTEST_PAUSE : pause;
      log("error", "process_ended", { process: number, code, again_in_ms: again });
      await wait(again, stopping.signal).catch(() => {});
      // Also where it was asked to stop when the pause was over already.
      if (stopping.signal.aborted) return;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  async function run(): Promise<number> {
    const kept: Promise<void>[] = [];
    const begin = async (number: number): Promise<void> => {
      const watched = launch(number);
      if (await watched.listening) return void kept.push(keep(number, watched));
      codes.push(await watched.ended);
      stop();
    };
    await begin(1);
    if (!stopping.signal.aborted) {
      await Promise.all(Array.from({ length: count - 1 }, (_, index) => begin(index + 2)));
    }
    if (!stopping.signal.aborted) onServing();
    await Promise.all(kept);
    return Math.max(0, ...codes);
  }

  const over = run();
  return { over, stop };
}
