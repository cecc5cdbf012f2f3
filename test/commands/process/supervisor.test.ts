import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { supervise } from "../../../src/commands/process/supervisor.ts";
import type { Watched } from "../../../src/commands/process/supervisor.ts";
import type { LogFields } from "../../../src/lib/log.ts";

/** A process controlled by the test. */
interface StandIn extends Watched {
  readonly number: number;
  readonly listen: () => void;
  readonly die: (code: number) => void;
  readonly signals: string[];
}

function standIn(number: number): StandIn {
  const listening = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<number>();
  const signals: string[] = [];
  return {
    number,
    signals,
    listening: listening.promise,
    ended: ended.promise,
    listen: () => listening.resolve(true),
    die: (code) => {
      listening.resolve(false);
      ended.resolve(code);
    },
    end: () => void signals.push("end"),
    kill: () => void signals.push("kill"),
  };
}

/** Fulfils when all pending effects have run. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

function stage(count: number) {
  const started: StandIn[] = [];
  const logged: LogFields[] = [];
  const pauses: number[] = [];
  let clock = 0;
  let served = 0;
  let onPause = (): void => {};
  let hold = Promise.resolve();
  const supervisor = supervise({
    count,
    start: (number) => {
      const one = standIn(number);
      started.push(one);
      return one;
    },
    onServing: () => served++,
    log: (level, event, fields) => logged.push({ level, event, ...fields }),
    stopwatch: () => clock,
    wait: (milliseconds, signal) => {
      pauses.push(milliseconds);
      if (signal.aborted) return Promise.reject(signal.reason);
      // The pause has already ended when the stop is requested.
      onPause();
      return hold;
    },
  });
  return {
    supervisor,
    started,
    logged,
    pauses,
    served: () => served,
    pass: (by: number) => clock += by,
    pausing: (then: () => void) => onPause = then,
    /** Extends pauses that begin from now on until the returned function is called. */
    holdPauses: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = promise;
      return resolve;
    },
  };
}

/** Returns a stage on which all processes serve. */
async function upStage(count: number) {
  const on = stage(count);
  on.started[0]!.listen();
  await settled();
  for (const one of on.started.slice(1)) one.listen();
  await settled();
  return on;
}

describe("supervise()", () => {
  test("starts the first process alone, and the others together when it serves", async () => {
    const { started, served } = stage(3);
    for (const expected of [[1], [1, 2, 3]]) {
      await settled();
      assert.deepEqual(started.map(({ number }) => number), expected);
      assert.equal(served(), 0);
      started.at(-1)!.listen();
    }
    await settled();
    assert.equal(served(), 0);
    started[1]!.listen();
    await settled();
    assert.equal(served(), 1);
  });

  test("ends those that are still starting when one of them fails to start", async () => {
    const { supervisor, started, served } = stage(3);
    started[0]!.listen();
    await settled();
    started[2]!.die(2);
    await settled();
    assert.deepEqual(started.map(({ signals }) => signals), [["end"], ["end"], []]);
    for (const one of started.slice(0, 2)) one.die(0);
    assert.deepEqual([await supervisor.ended, served()], [2, 0]);
  });

  test("does not restart a process whose pause ended at the moment of the stop", async () => {
    const on = await upStage(2);
    on.pausing(() => on.supervisor.stop());
    on.started[0]!.die(1);
    await settled();
    on.started[1]!.die(0);
    assert.equal(await on.supervisor.ended, 0);
    assert.equal(on.started.length, 2);
  });

  test("exits with the code of a first process that fails to start, and starts no second", async () => {
    const { supervisor, started, served, logged } = stage(2);
    started[0]!.die(2);
    assert.equal(await supervisor.ended, 2);
    assert.equal(started.length, 1);
    assert.deepEqual([served(), logged], [0, []]);
  });

  test("ends the first when the second fails to start, with the worse code", async () => {
    const { supervisor, started } = stage(2);
    started[0]!.listen();
    await settled();
    started[1]!.die(2);
    await settled();
    assert.deepEqual(started[0]!.signals, ["end"]);
    started[0]!.die(0);
    assert.equal(await supervisor.ended, 2);
  });

  for (const code of [0, 1, 2, 3, 137]) {
    test(`restarts a process that exited with ${code} by itself, under its number, while the other continues`, async () => {
      const { started, logged } = await upStage(2);
      started[1]!.die(code);
      await settled();
      assert.deepEqual(started.map(({ number }) => number), [1, 2, 2]);
      assert.deepEqual(started[0]!.signals, []);
      assert.deepEqual(logged, [
        { level: "error", event: "process_ended", process: 2, code, again_in_ms: 1000 },
      ]);
    });
  }

  test("doubles the pause after each early exit, up to half a minute, and resets it after a stable minute", async () => {
    const { started, pauses, pass } = await upStage(2);
    for (let death = 0; death < 7; death++) {
      started.at(-1)!.die(1);
      await settled();
    }
    assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    pass(60_000);
    started.at(-1)!.die(1);
    await settled();
    assert.equal(pauses.at(-1), 1000);
  });

  test("pauses at most a second for the last running process, and the full time for the others", async () => {
    const { started, pauses, holdPauses } = await upStage(2);
    for (let death = 0; death < 3; death++) {
      started.at(-1)!.die(1);
      await settled();
    }
    assert.deepEqual(pauses, [1000, 2000, 4000]);
    const release = holdPauses();
    started.at(-1)!.die(1);
    await settled();
    started[0]!.die(1);
    await settled();
    assert.deepEqual(pauses.slice(3), [8000, 1000]);
    release();
    await settled();
    // Both are running again, so the next pause is a full one.
    started.findLast(({ number }) => number === 2)!.die(1);
    await settled();
    assert.equal(pauses.at(-1), 16_000);
  });

  test("counts the pauses of each process separately", async () => {
    const { started, pauses } = await upStage(2);
    started[0]!.die(1);
    started[1]!.die(1);
    await settled();
    assert.deepEqual(pauses, [1000, 1000]);
  });

  test("stops all when it is stopped, restarts none, and exits with the worst code", async () => {
    const { supervisor, started } = await upStage(3);
    supervisor.stop();
    supervisor.stop();
    assert.deepEqual(started.map(({ signals }) => signals), [["end"], ["end"], ["end"]]);
    started[0]!.die(0);
    started[1]!.die(3);
    started[2]!.die(1);
    assert.equal(await supervisor.ended, 3);
    assert.equal(started.length, 3);
  });

  test("exits with 0 when all of them do, whatever earlier exit codes were", async () => {
    const { supervisor, started } = await upStage(2);
    started[0]!.die(137);
    await settled();
    supervisor.stop();
    started[1]!.die(0);
    started[2]!.die(0);
    assert.equal(await supervisor.ended, 0);
  });

  test("starts no other process when it is stopped during the start", async () => {
    const { supervisor, started, served } = stage(3);
    supervisor.stop();
    started[0]!.die(0);
    assert.equal(await supervisor.ended, 0);
    assert.deepEqual([started.length, served()], [1, 0]);
  });
});
