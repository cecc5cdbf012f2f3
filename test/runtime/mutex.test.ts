import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError } from "../../src/db/error.ts";
import { createConnectionMutex } from "../../src/runtime/mutex.ts";

describe("createConnectionMutex()", () => {
  test("is acquired in the order of the calls", async () => {
    const mutex = createConnectionMutex();
    const order: number[] = [];
    await mutex.acquire();
    const others = [1, 2, 3].map(async (number) => {
      await mutex.acquire();
      order.push(number);
      await Promise.resolve();
      mutex.release();
    });
    assert.deepEqual(order, []);
    mutex.release();
    await Promise.all(others);
    assert.deepEqual(order, [1, 2, 3]);
    await mutex.acquire();
  });

  test("rejects a caller after the time limit, and later lets the next one in", async () => {
    const mutex = createConnectionMutex(20);
    await mutex.acquire();
    await assert.rejects(
      mutex.acquire(),
      (error) => error instanceof DatabaseError && error.code === "connection_timeout",
    );
    const inTime = mutex.acquire();
    mutex.release();
    await inTime;
    mutex.release();
    await mutex.acquire();
  });

  test("lets others acquire it during a yielding job, and then returns it to the caller", async () => {
    const mutex = createConnectionMutex();
    const order: string[] = [];
    await mutex.acquire();
    const other = mutex.acquire().then(() => order.push("other"));
    const yieldWhile = mutex.yieldWhile(async () => {
      await other;
      order.push("job");
      return 7;
    }).then((value) => order.push(`back with ${value}`));
    const third = mutex.acquire().then(() => order.push("third"));
    await other;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ["other", "job"], "the other has not given its turn");
    mutex.release();
    await third;
    mutex.release();
    await yieldWhile;
    assert.deepEqual(order, ["other", "job", "third", "back with 7"]);
  });

  test("returns it to the caller after a yielding job that failed", async () => {
    const mutex = createConnectionMutex();
    await mutex.acquire();
    await assert.rejects(mutex.yieldWhile(() => Promise.reject(new Error("No"))), /No/);
    let locked = false;
    const next = mutex.acquire().then(() => locked = true);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(locked, false);
    mutex.release();
    await next;
  });

  test("leaves no timer that could reject a caller that acquired it", async () => {
    const mutex = createConnectionMutex(20);
    await mutex.acquire();
    const next = mutex.acquire();
    mutex.release();
    await next;
    await wait(40);
    mutex.release();
    await mutex.acquire();
  });
});
