import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import { approve, ask, ASKING_TERMS, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Program } from "../../support/asking.ts";

/** Polls a request and returns the duration in milliseconds and the response. A slow machine only makes it longer. */
async function poll(program: Program, id: string, prefer: string) {
  const begun = performance.now();
  const { status, body, headers } = await program.get(`${REQUESTS}/${id}`, { prefer });
  return {
    took: performance.now() - begun,
    state: status === 200 ? body.request.status : status,
    applied: headers.get("preference-applied"),
    retryAfter: headers.get("retry-after"),
  };
}

async function openStory() {
  const app = await createTestApp();
  const owner = await newOwner(app);
  const program = await newProgram(app, owner);
  const other = await newProgram(app, owner);
  const id = await ask(program, owner.keyId);
  return { app, owner, program, other, id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/**
 * Starts a long wait of the other program for a request without a decision. A poll that ends while it still waits did
 * not wait for its own time, however slow the machine.
 */
async function beginLongWait({ other: program, owner }: Awaited<ReturnType<typeof openStory>>) {
  const id = await ask(program, owner.keyId);
  let isOver = false;
  const waiting = poll(program, id, "wait=8").then(() => isOver = true);
  return {
    isOver: () => isOver,
    end: async () => {
      await owner.person.post(`${REQUESTS}/${id}/decline`);
      await waiting;
    },
  };
}

/** Starts all polls at once. Returns the first response, received while all others wait. */
async function firstOf(polls: readonly ReturnType<typeof poll>[]) {
  let over = 0;
  const all = polls.map(async (one) => {
    const answer = await one;
    return { answer, place: over++ };
  });
  const { answer, place } = await Promise.race(all);
  assert.deepEqual([place, over], [0, 1]);
  const others = Promise.all(all).then((ended) => ended.filter(({ place }) => place > 0));
  return { answer, others: others.then((ended) => ended.map(({ answer }) => answer)) };
}

describe("GET /api/signing-requests/:requestId with Prefer: wait (RFC 7240 section 4.3)", () => {
  test("answers after that time without a decision", async () => {
    await using story = await openStory();
    const long = await beginLongWait(story);
    const { took, ...answer } = await poll(story.program, story.id, "wait=2");
    assert.deepEqual(answer, { state: "pending", applied: "wait=2", retryAfter: "5" });
    assert.ok(took >= 1900, `${took} ms`);
    assert.equal(long.isOver(), false);
    await long.end();
  });

  test("answers at once without the header, with 0, and with an invalid value", async () => {
    await using story = await openStory();
    const long = await beginLongWait(story);
    for (
      const [prefer, applied] of [["respond-async", null], ["wait=0", "wait=0"], ["wait=soon", null]] as const
    ) {
      const answer = await poll(story.program, story.id, prefer);
      assert.deepEqual([answer.state, answer.applied], ["pending", applied]);
      assert.equal(long.isOver(), false);
    }
    await long.end();
  });

  test("waits at most 8 seconds, and not for a decided request", async () => {
    await using story = await openStory();
    const { owner: { person }, program, id } = story;
    const long = await beginLongWait(story);
    await person.post(`${REQUESTS}/${id}/decline`);
    const answer = await poll(program, id, "wait=3600");
    assert.deepEqual([answer.state, answer.applied], ["declined", "wait=8"]);
    assert.equal(long.isOver(), false);
    await long.end();
  });

  test("answers soon after a decision", async () => {
    await using story = await openStory();
    const { owner: { person }, program, id } = story;
    const long = await beginLongWait(story);
    const waiting = poll(program, id, "wait=8");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal((await approve(person, id)).status, 200);
    assert.equal((await waiting).state, "signed");
    assert.equal(long.isOver(), false);
    await long.end();
  });

  test("answers when the request expires meanwhile", async () => {
    await using story = await openStory();
    story.app.now += 3_600_000 - 1500;
    const long = await beginLongWait(story);
    assert.equal((await poll(story.program, story.id, "wait=8")).state, "expired");
    assert.equal(long.isOver(), false);
    await long.end();
  });

  test("lets four requests of a program wait, answers a fifth at once, and lets another program's wait", async () => {
    await using story = await openStory();
    const { owner, program, other, id } = story;
    const otherId = await ask(other, owner.keyId);
    const five = await firstOf(Array.from({ length: 5 }, () => poll(program, id, "wait=3")));
    assert.equal(five.answer.state, "pending");
    const { took } = await poll(other, otherId, "wait=2");
    assert.ok(took >= 1900, `${took} ms`);
    for (const { took } of await five.others) assert.ok(took >= 2900, `${took} ms`);
    assert.ok((await poll(program, id, "wait=1")).took >= 900, "there is room again");
  });

  test("lets twenty requests of an account wait, over all its tokens, and other accounts' too", async () => {
    await using story = await openStory();
    const { app, owner } = story;
    const begin = async (): Promise<() => ReturnType<typeof poll>> => {
      const program = await newProgram(app, owner);
      const id = await ask(program, owner.keyId);
      return () => poll(program, id, "wait=2");
    };
    const polls = await Promise.all(Array.from({ length: 6 }, begin));
    const bob = await newOwner(app, "bob@example.com");
    const bobs = await newProgram(app, bob);
    const bobsId = await ask(bobs, bob.keyId);
    const all = await firstOf([
      ...polls.slice(0, 5).flatMap((one) => [one(), one(), one(), one()]),
      polls[5]!(),
    ]);
    assert.equal(all.answer.state, "pending");
    const { took } = await poll(bobs, bobsId, "wait=1");
    assert.ok(took >= 900, `${took} ms`);
    for (const { took } of await all.others) assert.ok(took >= 1900, `${took} ms`);
  });

  test("ends when the client disconnects", async () => {
    await using story = await openStory();
    const { app, program, id } = story;
    const gone = new AbortController();
    const { text } = (await story.owner.person.post("/api/auth/tokens", ASKING_TERMS)).body;
    const headers = { host: "localhost:3000", authorization: `Bearer ${text}`, prefer: "wait=8" };
    const response = await app.app(
      new Request(`http://localhost:3000/api/keys/${story.owner.keyId}/sign`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ message: "hello" }),
      }),
      { clientAddress: "192.0.2.9" },
    );
    const { request } = await response.json();
    const long = await beginLongWait(story);
    const url = `http://localhost:3000${REQUESTS}/${request.id}`;
    const waiting = app.app(new Request(url, { headers, signal: gone.signal }), {
      clientAddress: "192.0.2.9",
    });
    setTimeout(() => gone.abort(), 200);
    await waiting;
    assert.equal(long.isOver(), false);
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
    await long.end();
  });
});
