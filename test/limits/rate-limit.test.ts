import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema/schema.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { createRateLimiter, RATE_LIMITS, UNLIMITED } from "../../src/limits/rate-limit.ts";
import type { RateLimitName } from "../../src/limits/rate-limit.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestVault } from "../support/vault.ts";

const limiter = createRateLimiter(createTestVault());
const NOW = 1_700_000_000_000;

async function tryTake(
  db: Db,
  name: RateLimitName,
  subject: string,
  now: number,
  holder?: string,
): Promise<ProtocolError | undefined> {
  try {
    await limiter.take(db, name, subject, now, holder);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ProtocolError, String(error));
    assert.equal(error.code, "rate_limited");
    return error;
  }
}

/** Returns how many of `tries` at one instant succeed. */
async function granted(
  db: Db,
  name: RateLimitName,
  subject: string,
  now: number,
  tries: number,
  holder?: string,
): Promise<number> {
  let count = 0;
  for (let index = 0; index < tries; index++) {
    if (await tryTake(db, name, subject, now, holder) === undefined) count++;
  }
  return count;
}

describe("RATE_LIMITS", () => {
  for (const [name, { limit, windowSeconds }] of Object.entries(RATE_LIMITS)) {
    test(`${name} has an interval of whole milliseconds`, () => {
      assert.equal((windowSeconds * 1000) % limit, 0);
    });
  }
});

describe("RateLimiter.take()", () => {
  test("grants exactly the limit at one instant, and then states when to retry", async () => {
    const db = await openTestDatabase();
    assert.equal(await granted(db, "key_generate", "acc_1", NOW, 100), 60);
    const error = await tryTake(db, "key_generate", "acc_1", NOW);
    assert.equal(error?.message, "Too many requests: try again in 1 s");
    assert.deepEqual(error?.headers, {
      "Retry-After": "1",
      "RateLimit-Policy": '"key_generate";q=60;w=60',
      "RateLimit": '"key_generate";r=0;t=1',
    });
    await db.destroy();
  });

  test("states how many requests are left, and when there is one more", async () => {
    const db = await openTestDatabase();
    const take = (at: number) => limiter.take(db, "key_quote", "acc_1", NOW + at);
    const policy = { name: "key_quote", limit: 10, windowSeconds: 60 };
    assert.deepEqual(await take(0), { ...policy, remaining: 9, resetSeconds: 6 });
    assert.deepEqual(await take(0), { ...policy, remaining: 8, resetSeconds: 6 });
    assert.deepEqual(await take(4500), { ...policy, remaining: 7, resetSeconds: 2 });
    assert.deepEqual(await take(6000), { ...policy, remaining: 7, resetSeconds: 6 });
    assert.deepEqual(await take(600_000), { ...policy, remaining: 9, resetSeconds: 6 });
    await db.destroy();
  });

  for (const name of ["explain", "key_quote", "key_generate"] as const) {
    test(`grants a holder at most half of ${name}, and reserves a quarter for the owner`, async () => {
      const { limit } = RATE_LIMITS[name];
      const db = await openTestDatabase();
      const take = (holder?: string) => granted(db, name, "account_1", NOW, limit + 1, holder);
      const one = await take("token_1");
      assert.equal(one, Math.floor(limit / 2));
      const others = await take("token_2") + await take("grant_1");
      assert.equal(one + others, Math.floor(limit * 3 / 4));
      assert.equal(await take(), limit - one - others);
      assert.equal(await take("token_3"), 0);
      await db.destroy();
    });
  }

  test("refills a holder's half, and returns the state of the smaller share", async () => {
    const db = await openTestDatabase();
    const take = (at: number, holder?: string) =>
      limiter.take(db, "key_quote", "account_1", NOW + at, holder);
    const half = { name: "key_quote", limit: 5, windowSeconds: 60 };
    const whole = { name: "key_quote", limit: 10, windowSeconds: 60 };
    assert.deepEqual(await take(0, "token_1"), { ...half, remaining: 4, resetSeconds: 12 });
    for (let n = 0; n < 4; n++) await take(0, "token_1");
    assert.deepEqual((await tryTake(db, "key_quote", "account_1", NOW, "token_1"))?.headers, {
      "Retry-After": "12",
      "RateLimit-Policy": '"key_quote";q=5;w=60',
      "RateLimit": '"key_quote";r=0;t=12',
    });
    assert.deepEqual(await take(0, "token_2"), { ...whole, remaining: 1, resetSeconds: 3 });
    for (let n = 0; n < 4; n++) await take(0);
    // Nothing is left. A program waits for the refill of the owner's quarter, the owner does not.
    const refused = await tryTake(db, "key_quote", "account_1", NOW, "token_2");
    assert.equal(refused?.headers["Retry-After"], "21");
    await assert.rejects(take(20_999, "token_2"), /try again in 1 s/);
    assert.ok(await take(21_000, "token_2"));
    await db.destroy();
  });

  for (const name of ["email_address_tries", "email_code_global", "signing_request_mail"] as const) {
    test(`does not return the state of ${name} before it is exceeded`, async () => {
      const db = await openTestDatabase();
      assert.equal(await limiter.take(db, name, "ada@example.com", NOW), undefined);
      await db.destroy();
    });
  }

  test("grants again after Retry-After, and not a millisecond before the interval", async () => {
    const db = await openTestDatabase();
    assert.equal(await granted(db, "email_code_guess", "192.0.2.1", NOW, 11), 10);
    const error = await tryTake(db, "email_code_guess", "192.0.2.1", NOW + 500);
    assert.equal(error?.headers["Retry-After"], "6");
    assert.ok(await tryTake(db, "email_code_guess", "192.0.2.1", NOW + 5999));
    assert.equal(await tryTake(db, "email_code_guess", "192.0.2.1", NOW + 6000), undefined);
    assert.ok(await tryTake(db, "email_code_guess", "192.0.2.1", NOW + 6000));
    await db.destroy();
  });

  test("grants no more than the limit and one per interval over a long time", async () => {
    const db = await openTestDatabase();
    let count = 0;
    for (let at = 0; at < 600_000; at += 1500) count += await granted(db, "key_quote", "acc_1", NOW + at, 1);
    assert.equal(count, 10 + 99);
    await db.destroy();
  });

  test("grants the whole limit again after a pause of one window, and no more", async () => {
    const db = await openTestDatabase();
    await granted(db, "key_quote", "acc_1", NOW, 10);
    assert.equal(await granted(db, "key_quote", "acc_1", NOW + 600_000, 20), 10);
    await db.destroy();
  });

  test("delays the next request by what was charged beyond the limit, at most two windows", async () => {
    const db = await openTestDatabase();
    const charge = (count: number) =>
      limiter.charge(db, "key_quote", "acc_1", NOW, { count, holder: undefined });
    const waitOf = async () => (await tryTake(db, "key_quote", "acc_1", NOW))?.headers["Retry-After"];
    await charge(4);
    assert.equal((await limiter.take(db, "key_quote", "acc_1", NOW))?.remaining, 5);
    await charge(7);
    assert.equal(await waitOf(), "18");
    await charge(1);
    assert.equal(await waitOf(), "24");
    await charge(1000);
    assert.equal(await waitOf(), "66");
    await db.destroy();
  });

  test("charges a holder beyond its share, and reserves a quarter for the owner", async () => {
    const db = await openTestDatabase();
    const charge = (holder: string) => limiter.charge(db, "sign", "acc_1", NOW, { count: 9000, holder });
    await charge("token_1");
    await assert.rejects(limiter.take(db, "sign", "acc_1", NOW + 30_000, "token_1"), /try again in/);
    await assert.rejects(limiter.take(db, "sign", "acc_1", NOW, "token_2"), /try again in/);
    await charge("token_2");
    assert.equal((await limiter.take(db, "sign", "acc_1", NOW))?.remaining, 1499);
    assert.ok(await limiter.take(db, "sign", "acc_1", NOW + 30_000, "token_3"));
    await db.destroy();
  });

  test("writes nothing when it refuses", async () => {
    const db = await openTestDatabase();
    await granted(db, "key_quote", "acc_1", NOW, 10);
    const before = await db.selectFrom("rate_limit").selectAll().execute();
    assert.equal(await granted(db, "key_quote", "acc_1", NOW + 1, 5), 0);
    assert.deepEqual(await db.selectFrom("rate_limit").selectAll().execute(), before);
    await db.destroy();
  });

  test("counts parallel requests one by one", async () => {
    const db = await openTestDatabase();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => tryTake(db, "key_quote", "acc_1", NOW)),
    );
    assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 10);
    await db.destroy();
  });

  test("counts limits and subjects separately", async () => {
    const db = await openTestDatabase();
    await granted(db, "key_quote", "acc_1", NOW, 10);
    assert.equal(await tryTake(db, "key_quote", "acc_2", NOW), undefined);
    assert.equal(await tryTake(db, "key_generate", "acc_1", NOW), undefined);
    assert.ok(await tryTake(db, "key_quote", "acc_1", NOW));
    await db.destroy();
  });

  test("counts all subjects together when the limit is global", async () => {
    const db = await openTestDatabase();
    await limiter.take(db, "email_code_global", "one", NOW);
    await limiter.take(db, "email_code_global", "other", NOW);
    assert.deepEqual(await db.selectFrom("rate_limit").selectAll().execute(), [
      { name: "email_code_global", subject: "", full_at: NOW + 12 },
    ]);
    await db.destroy();
  });

  test("stores only 16 bits of a network, which do not reveal it", async () => {
    const db = await openTestDatabase();
    const network = "2001:db8:1:2::/64";
    await limiter.take(db, "passkey_ceremony", network, NOW);
    await createRateLimiter(createTestVault(8)).take(db, "passkey_ceremony", network, NOW);
    const rows = await db.selectFrom("rate_limit").select("subject").execute();
    assert.equal(rows.length, 2, "another vault's key gives another bucket");
    for (const { subject } of rows) assert.match(subject, /^[0-9a-f]{4}$/);
    await db.destroy();
  });

  test("keeps counting when the clock is set back a little, and restarts when it is set back far", async () => {
    const db = await openTestDatabase();
    await granted(db, "key_quote", "acc_1", NOW, 10);
    assert.equal(await granted(db, "key_quote", "acc_1", NOW - 60_000, 3), 0);
    assert.equal(await granted(db, "key_quote", "acc_1", NOW - 3_600_000, 20), 10);
    await db.destroy();
  });
});

describe("UNLIMITED", () => {
  test("never refuses and stores nothing", async () => {
    const db = await openTestDatabase();
    for (let index = 0; index < 20; index++) await UNLIMITED.take(db, "key_quote", "acc_1", NOW);
    assert.deepEqual(await db.selectFrom("rate_limit").selectAll().execute(), []);
    await db.destroy();
  });
});
