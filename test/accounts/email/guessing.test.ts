import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { issueEmailCode, redeemEmailCode } from "../../../src/accounts/email/email-code.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { DAY, MINUTE } from "../../../src/lib/time.ts";
import { networkOf } from "../../../src/lib/ip-address.ts";
import { createRateLimiter } from "../../../src/limits/rate-limit.ts";
import { NOW, openFixture, random, RELYING_PARTY } from "../fixture.ts";

const TARGET = "alice@example.com";
const LIMIT = { timeout: 60_000 };

/** Opens sign-up with its real limits. Tests advance its clock by days. */
async function openStory() {
  const { db, services: plain, mails } = await openFixture();
  const services = { ...plain, limits: createRateLimiter(plain.vault) };
  const at = (clientAddress: string, browserHash: string, now: number) => ({
    email: TARGET,
    browserHash,
    network: networkOf(clientAddress),
    admission: { rule: "open", invitation: undefined } as const,
    relyingParty: RELYING_PARTY,
    now,
    random,
  });
  let browsers = 0;

  /** Requests a code and tries it. Returns the number of compared attempts, and true if the last one was right. */
  async function tryCode(
    clientAddress: string,
    now: number,
    tries: "wrong" | "right",
    requestedAt = clientAddress,
  ): Promise<[number, boolean]> {
    const value = at(clientAddress, `browser-${++browsers}`, now);
    let looked = 0;
    try {
      await issueEmailCode(db, services, { ...value, network: networkOf(requestedAt), language: "en" });
      const code = /\b\d{6}\b/.exec(mails.at(-1)!.text)![0];
      if (tries === "right") {
        await redeemEmailCode(db, services, { ...value, code });
        return [1, true];
      }
      const wrong = code === "111111" ? "222222" : "111111";
      for (let attempt = 0; attempt < 3; attempt++) {
        await redeemEmailCode(db, services, { ...value, code: wrong }).catch((error) => {
          if (!(error instanceof ProtocolError) || error.code !== "invalid_code") throw error;
        });
        looked++;
      }
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== "rate_limited") throw error;
    }
    return [looked, false];
  }

  return { tryCode };
}

type Where = (index: number) => string;

/** Attackers and the daily number of tries that the limits must enforce. */
const GUESSERS: readonly (readonly [who: string, where: Where, perDay: number])[] = [
  ["one machine with an IPv6 /48", (index) => `2001:db8:7:${(index % 65_536).toString(16)}::1`, 6 + 6],
  [
    "one provider with an IPv6 /32",
    (index) => `2001:db8:${(index * 7919 % 65_536).toString(16)}::1`,
    12 + 72,
  ],
  ["one IPv4 /24", (index) => `198.51.100.${index % 256}`, 6 + 72],
  [
    "machines all over the world",
    (index) => `${1 + index * 31 % 220}.${index * 17 % 256}.${index % 256}.9`,
    72 + 72,
  ],
];

const QUIET: readonly string[] = ["2a00:1450:4001::7", "203.0.113.77"];

describe("guessing the code of an address that has no account", () => {
  for (const [who, where, perDay] of GUESSERS) {
    test(`takes decades from ${who}`, LIMIT, async () => {
      const { tryCode } = await openStory();
      const days = 3;
      let [looked, index] = [0, 0];
      for (let now = NOW; now < NOW + days * DAY; now += 20 * MINUTE) {
        for (let request = 0; request < 4; request++) {
          looked += (await tryCode(where(index++), now, "wrong"))[0];
        }
      }
      // A burst of one day's tries after a quiet day, then as many each day.
      assert.ok(looked <= (days + 1) * perDay, `${looked} guesses in ${days} days`);
      assert.ok(
        looked >= days * perDay / 2,
        `${looked} guesses in ${days} days: the rest is not what limits them`,
      );
      // Each guess is right once in a million times. An attacker needs years for an even chance.
      assert.ok(Math.LN2 * 1_000_000 / perDay / 365 > 13);
    });
  }

  for (const [who, where] of GUESSERS.slice(0, 3)) {
    test(`does not prevent sign-up elsewhere during the attack from ${who}`, LIMIT, async () => {
      const { tryCode } = await openStory();
      for (let index = 0; index < 200; index++) await tryCode(where(index), NOW + index * MINUTE, "wrong");
      for (const address of QUIET) {
        assert.deepEqual(await tryCode(address, NOW + 200 * MINUTE, "right"), [1, true], address);
      }
    });
  }

  const WORLD = GUESSERS[3]![1];
  const ELSEWHERE = "203.0.113.78";

  test("does not prevent the newest code in the browser that requested it, after 72 wrong attempts elsewhere", async () => {
    for (const [who, where] of GUESSERS.slice(1)) {
      const { tryCode } = await openStory();
      let looked = 0;
      for (let index = 0; looked < 72 && index < 200; index++) {
        looked += (await tryCode(where(index), NOW, "wrong"))[0];
      }
      assert.equal(looked, 72);
      assert.deepEqual(await tryCode(where(201), NOW, "right"), [1, true], who);
    }
    const { tryCode } = await openStory();
    for (let index = 0; index < 24; index++) await tryCode(WORLD(index), NOW, "wrong");
    assert.deepEqual(await tryCode(QUIET[1]!, NOW, "right", ELSEWHERE), [0, false], "requested elsewhere");
    for (const address of QUIET) {
      assert.deepEqual(await tryCode(address, NOW, "wrong"), [3, false], "as if no try was made");
      assert.deepEqual(await tryCode(address, NOW, "right"), [1, true]);
    }
  });

  test("compares 144 attempts a day over all networks, and 6 of a user beyond the first 72", async () => {
    const { tryCode } = await openStory();
    let looked = 0;
    for (let index = 0; index < 24; index++) looked += (await tryCode(WORLD(index), NOW, "wrong"))[0];
    assert.equal(looked, 72);
    for (let round = 0; round < 3; round++) looked += (await tryCode(QUIET[0]!, NOW, "wrong"))[0];
    assert.equal(looked, 78);
    for (let index = 24; index < 100; index++) looked += (await tryCode(WORLD(index), NOW, "wrong"))[0];
    assert.equal(looked, 144);
    assert.deepEqual(await tryCode(QUIET[1]!, NOW, "right"), [0, false]);
    assert.deepEqual(await tryCode(QUIET[1]!, NOW + 20 * MINUTE, "right"), [1, true]);
  });

  test("is refused with the time until the next attempt", async () => {
    const { tryCode } = await openStory();
    for (let index = 0; index < 10; index++) await tryCode(`198.51.100.${index}`, NOW, "wrong", ELSEWHERE);
    assert.deepEqual(await tryCode("198.51.100.77", NOW, "right", ELSEWHERE), [0, false]);
    assert.deepEqual(await tryCode("198.51.100.77", NOW + DAY / 6, "right", ELSEWHERE), [1, true]);
  });
});
