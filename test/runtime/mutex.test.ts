import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError } from "../../src/db/error.ts";
import { createTurns } from "../../src/runtime/mutex.ts";

describe("createTurns()", () => {
  test("gives turns in the order in which they were asked for", async () => {
    const turns = createTurns();
    const order: number[] = [];
    await turns.take();
    const others = [1, 2, 3].map(async (number) => {
      await turns.take();
      order.push(number);
      await Promise.resolve();
      turns.give();
    });
    assert.deepEqual(order, []);
    turns.give();
    await Promise.all(others);
    assert.deepEqual(order, [1, 2, 3]);
    await turns.take();
  });

  test("refuses who waits too long, and later gives the turn to who still waits", async () => {
    const turns = createTurns(20);
    await turns.take();
    await assert.rejects(
      turns.take(),
      (error) => error instanceof DatabaseError && error.code === "connection_timeout",
    );
    const inTime = turns.take();
    turns.give();
    await inTime;
    turns.give();
    await turns.take();
  });

  test("lets others have their turns during a job aside, and then it is the caller's again", async () => {
    const turns = createTurns();
    const order: string[] = [];
    await turns.take();
    const other = turns.take().then(() => order.push("other"));
    const aside = turns.aside(async () => {
      await other;
      order.push("job");
      return 7;
    }).then((value) => order.push(`back with ${value}`));
    const third = turns.take().then(() => order.push("third"));
    await other;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ["other", "job"], "the other has not given its turn");
    turns.give();
    await third;
    turns.give();
    await aside;
    assert.deepEqual(order, ["other", "job", "third", "back with 7"]);
  });

  test("gives the turn back to who stepped aside for a job that failed", async () => {
    const turns = createTurns();
    await turns.take();
    await assert.rejects(turns.aside(() => Promise.reject(new Error("No"))), /No/);
    let taken = false;
    const next = turns.take().then(() => taken = true);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(taken, false);
    turns.give();
    await next;
  });

  test("leaves no timer behind that could refuse a turn that was given", async () => {
    const turns = createTurns(20);
    await turns.take();
    const next = turns.take();
    turns.give();
    await next;
    await wait(40);
    turns.give();
    await turns.take();
  });
});
