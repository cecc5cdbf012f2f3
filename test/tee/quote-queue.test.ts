import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { limitQuotes, QUOTE_LIMITS } from "../../src/tee/quote-queue.ts";
import type { QuoteLimits } from "../../src/tee/quote-queue.ts";
import { TeeUnavailableError } from "../../src/tee/tee.ts";
import type { Quote, Tee } from "../../src/tee/tee.ts";

/** Creates a TEE whose quotes the test completes. */
function slowTee() {
  const asked: { readonly reportData: Uint8Array; readonly answer: PromiseWithResolvers<Quote> }[] = [];
  const tee: Tee = {
    provider: "tdx",
    inTee: true,
    keyProvider: { name: "file", id: "", verified: null },
    sealingKey: () => Promise.resolve(new Uint8Array(32).fill(7)),
    forgetSealingKey: () => {},
    quote: (reportData) => {
      const answer = Promise.withResolvers<Quote>();
      asked.push({ reportData, answer });
      return answer.promise;
    },
  };
  return { tee, asked };
}

/** Creates a TEE that quotes at once. */
function fastTee(): { tee: Tee; asked(): number } {
  let asked = 0;
  const { tee } = slowTee();
  const quote = (reportData: Uint8Array): Promise<Quote> => {
    asked++;
    return Promise.resolve({ quote: reportData });
  };
  return { tee: { ...tee, quote }, asked: () => asked };
}

/** Lets all pending promise jobs run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

function limits(change: Partial<QuoteLimits>): QuoteLimits {
  return { waiting: 100, burst: 1000, interval: 1000, quoteTimeout: 600_000, ...change };
}

const data = (value: number): Uint8Array => new Uint8Array(64).fill(value);
const frozen = (): number => 1_800_000_000_000;

describe("limitQuotes()", () => {
  test("does not change the rest of the TEE", async () => {
    const limited = limitQuotes({ ...slowTee().tee, keySource: "a" }, { now: frozen });
    assert.deepEqual([limited.provider, limited.inTee, limited.keySource], ["tdx", true, "a"]);
    assert.deepEqual(await limited.sealingKey(), new Uint8Array(32).fill(7));
  });

  test("makes one quote at a time, in the order of the requests", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({}) });
    const quotes = [1, 2, 3].map((value) => limited.quote(data(value)));
    for (const value of [1, 2, 3]) {
      await settle();
      assert.equal(asked.length, value);
      assert.deepEqual(asked.at(-1)!.reportData, data(value));
      asked.at(-1)!.answer.resolve({ quote: data(value) });
    }
    assert.deepEqual((await Promise.all(quotes)).map(({ quote }) => quote[0]), [1, 2, 3]);
  });

  test("continues after a failed quote, whose error it passes on", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({}) });
    const [first, second] = [limited.quote(data(1)), limited.quote(data(2))];
    await settle();
    asked[0]!.answer.reject(new TypeError("broken"));
    await assert.rejects(first, TypeError);
    await settle();
    asked[1]!.answer.resolve({ quote: data(2) });
    assert.deepEqual((await second).quote, data(2));
  });

  test("rejects at once when the queue is full, and takes more when it is not", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({ waiting: 2 }) });
    const quotes = [1, 2, 3].map((value) => limited.quote(data(value)));
    await settle();
    await assert.rejects(limited.quote(data(4)), TeeUnavailableError);
    asked[0]!.answer.resolve({ quote: data(1) });
    await settle();
    quotes.push(limited.quote(data(5)));
    await assert.rejects(limited.quote(data(6)), TeeUnavailableError);
    for (const index of [1, 2, 3]) {
      await settle();
      asked[index]!.answer.resolve({ quote: data(0) });
    }
    assert.equal((await Promise.all(quotes)).length, 4);
    assert.deepEqual(asked.map(({ reportData }) => reportData[0]), [1, 2, 3, 5]);
  });

  test("accepts in one turn at most one running request and the queue", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({ waiting: 2 }) });
    const outcomes = Array.from({ length: 10 }, (_, value) => limited.quote(data(value)));
    const refused = outcomes.slice(3).map((outcome) => assert.rejects(outcome, TeeUnavailableError));
    await Promise.all(refused);
    for (const index of [0, 1, 2]) {
      await settle();
      asked[index]!.answer.resolve({ quote: data(0) });
    }
    await Promise.all(outcomes.slice(0, 3));
    assert.equal(asked.length, 3);
  });

  test("rejects a request after its time limit, without a second concurrent quote", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({ quoteTimeout: 20 }) });
    await assert.rejects(limited.quote(data(1)), TeeUnavailableError);
    await assert.rejects(limited.quote(data(2)), TeeUnavailableError);
    assert.deepEqual(asked.map(({ reportData }) => reportData[0]), [1]);
    const third = limited.quote(data(3)).catch(() => undefined);
    asked[0]!.answer.resolve({ quote: data(1) });
    await settle();
    // The request that was given up while pending is never made.
    assert.deepEqual(asked.map(({ reportData }) => reportData[0]), [1, 3]);
    asked[1]!.answer.resolve({ quote: data(3) });
    await third;
  });

  test("leaves no unhandled rejection when a rejected quote fails later", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({ quoteTimeout: 20 }) });
    await assert.rejects(limited.quote(data(1)), TeeUnavailableError);
    asked[0]!.answer.reject(new Error("late"));
    await new Promise((resolve) => setTimeout(resolve, 0));
  });

  test("allows the burst and then one for each interval", async () => {
    const { tee, asked } = fastTee();
    let time = frozen();
    const limited = limitQuotes(tee, { now: () => time, limits: limits({ burst: 3, interval: 1000 }) });
    const refuse = async (): Promise<void> =>
      await assert.rejects(limited.quote(data(1)), TeeUnavailableError);
    for (let index = 0; index < 3; index++) await limited.quote(data(1));
    await refuse();
    time += 999;
    await refuse();
    time += 1;
    await limited.quote(data(1));
    await refuse();
    time += 3_600_000;
    for (let index = 0; index < 3; index++) await limited.quote(data(1));
    await refuse();
    assert.equal(asked(), 7);
  });

  test("is not blocked for long by a clock that is set back", async () => {
    const { tee } = fastTee();
    let time = frozen();
    const limited = limitQuotes(tee, { now: () => time, limits: limits({ burst: 2, interval: 1000 }) });
    await limited.quote(data(1));
    await limited.quote(data(1));
    time -= 86_400_000;
    await assert.rejects(limited.quote(data(1)), TeeUnavailableError);
    time += 2000;
    await limited.quote(data(1));
  });

  test("uses no token for a request that the queue refuses", async () => {
    const { tee, asked } = slowTee();
    const limited = limitQuotes(tee, { now: frozen, limits: limits({ waiting: 0, burst: 2 }) });
    const first = limited.quote(data(1));
    await settle();
    for (let index = 0; index < 5; index++) {
      await assert.rejects(limited.quote(data(2)), TeeUnavailableError);
    }
    asked[0]!.answer.resolve({ quote: data(1) });
    await first;
    await settle();
    const second = limited.quote(data(3));
    await settle();
    asked[1]!.answer.resolve({ quote: data(3) });
    await second;
  });

  test("rejects by default before the server's limit of 15 seconds without a byte", () => {
    assert.ok(QUOTE_LIMITS.quoteTimeout < 15_000);
  });
});
