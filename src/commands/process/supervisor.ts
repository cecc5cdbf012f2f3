import type { Log } from "../../lib/log.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";

export interface Watched {
  /** Fulfils with true once it serves, or with false if it ended before. */
  readonly listening: Promise<boolean>;
  readonly ended: Promise<number>;
  end(): void;
  kill(): void;
}

export interface Supervision {
  readonly count: number;
  /** Starts the process with this number, from 1. */
  readonly start: (number: number) => Watched;
  /** Called once, when all processes serve. */
  readonly onServing: () => void;
  readonly log: Log;
  /** Returns milliseconds of a monotonic clock. */
  readonly stopwatch: () => number;
  /** Fulfils after the time, or rejects if the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Supervisor {
  /** Fulfils after the last process ended, with the highest code of those that ended last. */
  readonly ended: Promise<number>;
  /** Asks all processes to finish, and kills those that take too long. */
  stop(): void;
}

/** The first pause before a restart. Doubles with each process that dies early. */
const SHORTEST_PAUSE = SECOND;
const LONGEST_PAUSE = 30 * SECOND;
/** A process that lived this long did not die of its start. */
const STEADY = MINUTE;
/** More than the ten seconds that a process allows for pending requests, with time for mails and database. */
const STOP_LIMIT = 20 * SECOND;

/**
 * Starts the first process alone and then the others together, so that one-time work and its errors occur once. If a
 * process ends before it serves, ends all with its code. Later restarts any process that ends unasked after a pause,
 * whatever its code. The pause is one second if no other process is running.
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
    void ended.then(() => clearTimeout(limit));
  }

  async function keep(number: number, first: Watched): Promise<void> {
    let pause = SHORTEST_PAUSE;
    for (let watched = first;; watched = launch(number)) {
      const begun = stopwatch();
      const code = await watched.ended;
      if (stopping.signal.aborted) return void codes.push(code);
      if (stopwatch() - begun >= STEADY) pause = SHORTEST_PAUSE;
      // With no process left, the pause stays short despite earlier deaths.
      const again = running.size === 0 ? SHORTEST_PAUSE : pause;
      log("error", "process_ended", { process: number, code, again_in_ms: again });
      await wait(again, stopping.signal).catch(() => {});
      // The signal may have come after the pause ended.
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

  const ended = run();
  return { ended, stop };
}
