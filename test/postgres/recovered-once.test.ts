import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY, HOUR } from "../../src/lib/time.ts";
import { ORIGIN } from "../support/app.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import type { Client } from "../support/client.ts";
import { AT_ONCE, withFourServices } from "../support/four-services.ts";
import type { FourServices } from "../support/four-services.ts";
import { counted, kindOf, testOnce } from "../support/once-rule.ts";
import type { OnceRule } from "../support/once-rule.ts";
import { begin, cancelLink, fetchProof, mailsTo, makeCodes, pressCancel } from "../support/recovery.ts";

const LIMIT = { timeout: 60_000 };
const EMAIL = "ada@example.com";
const PASSKEY = "/api/auth/recovery/passkey";

/** The heading of the page after the recovery is cancelled. */
const CANCELLED = "200 The recovery is cancelled";
const NO_PENDING_RECOVERY = "200 No pending recovery";

/** Begins a recovery in a browser without a session. */
async function beginOne({ apps, browsers }: FourServices): Promise<Client> {
  const [code] = await makeCodes(browsers[0]!);
  const other = apps[1]!.client();
  assert.equal((await begin(other, EMAIL, code)).status, 201);
  return other;
}

/**
 * Advances the clock of each service. Runs maintenance every day, `times` times concurrently. Returns the subjects of
 * the mails that the owner got meanwhile.
 */
async function pass(
  { apps, browsers }: FourServices,
  { milliseconds, times = 1 }: { readonly milliseconds: number; readonly times?: number },
): Promise<readonly string[]> {
  const subjects: string[] = [];
  for (const app of apps) await app.maintain();
  for (let left = milliseconds; left > 0; left -= DAY) {
    for (const app of apps) app.now += Math.min(left, DAY);
    await Promise.all(new Array(times).fill(apps).flat().map((app) => app.maintain()));
    const isNew = ({ createdAt }: { readonly createdAt: string }) => Date.parse(createdAt) === apps[0]!.now;
    subjects.push(...(await mailsTo(browsers[0]!, EMAIL)).filter(isNew).map(({ subject }) => subject));
  }
  return subjects;
}

/**
 * Begins a recovery and waits until it may be finished. Creates new passkeys for it, each with its own code and
 * challenge.
 */
async function beginPasskeys(
  services: FourServices,
  count: number,
): Promise<{ readonly other: Client; readonly responses: readonly unknown[] }> {
  const other = await beginOne(services);
  await pass(services, { milliseconds: 72 * HOUR });
  const responses: unknown[] = [];
  for (let index = 0; index < count; index++) {
    const there = services.at(index % 4, other);
    const options = await there.post(`${PASSKEY}/options`, await fetchProof(there, EMAIL));
    assert.equal(options.status, 200, options.text);
    responses.push(await createAuthenticator().register(options.body, { origin: ORIGIN }));
  }
  return { other, responses };
}

async function passkeysOf({ apps: [app] }: FourServices): Promise<number> {
  return (await app!.db.selectFrom("passkey").selectAll().execute()).length;
}

/** Responses to a request that comes too late: the recovery has ended, or the challenge was used. */
const TOO_LATE = ["401 authentication_required", "400 invalid_passkey_registration"];

const RULES: readonly OnceRule[] = [
  {
    title: "begun with twenty mailed codes and a set of eight",
    prepare: async ({ apps, browsers }) => {
      const codes = await makeCodes(browsers[0]!);
      const others = Array.from({ length: AT_ONCE }, (_, index) => apps[index % 4]!.client());
      const proofs: object[] = [];
      for (const other of others) proofs.push(await fetchProof(other, EMAIL));
      return (_, index) =>
        others[index]!.post("/api/auth/recovery", { ...proofs[index], recoveryCode: codes[index % 8] });
    },
    done: { "201": "recovery_changed:begun" },
    refused: ["409 recovery_waiting", "403 recovery_refused"],
    after: async ({ browsers }) => {
      const { wayBack } = (await browsers[2]!.get("/api/auth/way-back")).body;
      assert.equal(wayBack.codesLeft, 7);
      const mails = await mailsTo(browsers[2]!, EMAIL);
      assert.equal(
        mails.filter(({ subject }) => /recovery of your account was begun/.test(subject)).length,
        1,
      );
    },
  },
  {
    title: "finished with one response",
    prepare: async (services) => {
      const { other, responses: [response] } = await beginPasskeys(services, 1);
      return (service) => services.at(service, other).post(PASSKEY, { response });
    },
    done: { "201": "recovery_changed:finished" },
    refused: TOO_LATE,
    after: async (services) => assert.equal(await passkeysOf(services), 1),
  },
  {
    title: "finished with twenty passkeys",
    prepare: async (services) => {
      const { other, responses } = await beginPasskeys(services, AT_ONCE);
      return (service, index) => services.at(service, other).post(PASSKEY, { response: responses[index] });
    },
    done: { "201": "recovery_changed:finished" },
    refused: TOO_LATE,
    after: async (services) => {
      assert.equal(await passkeysOf(services), 1);
      assert.equal(await services.count("passkey_removed"), 1);
      const sessions = await services.apps[2]!.db.selectFrom("session").selectAll().execute();
      assert.equal(sessions.length, 1, "of the new passkey alone");
    },
  },
  {
    title: "finished or cancelled",
    prepare: async (services) => {
      const { other, responses } = await beginPasskeys(services, AT_ONCE);
      const link = await cancelLink(services.browsers[0]!, EMAIL);
      return (service, index) =>
        index % 8 < 4
          ? services.at(service, other).post(PASSKEY, { response: responses[index] })
          : pressCancel(services.at(service, other), link);
    },
    done: { "201": "recovery_changed:finished", [CANCELLED]: "recovery_changed:cancelled_by_link" },
    refused: [...TOO_LATE, NO_PENDING_RECOVERY],
    after: async (services) => assert.equal(await passkeysOf(services), 1),
  },
  {
    title: "cancelled",
    prepare: async (services) => {
      const other = await beginOne(services);
      const link = await cancelLink(services.browsers[0]!, EMAIL);
      return (service) => pressCancel(services.at(service, other), link);
    },
    done: { [CANCELLED]: "recovery_changed:cancelled_by_link" },
    refused: [NO_PENDING_RECOVERY],
    after: async ({ browsers }) => {
      const mails = await mailsTo(browsers[2]!, EMAIL);
      assert.equal(mails.filter(({ subject }) => /cancelled/.test(subject)).length, 1);
    },
  },
];

describe("twenty requests at four services: a recovery is once", () => testOnce(RULES));

describe("four services", () => {
  test("notify once a day of a pending recovery", LIMIT, () =>
    withFourServices(async (services) => {
      await beginOne(services);
      assert.deepEqual(counted(await pass(services, { milliseconds: 72 * HOUR, times: 4 })), {
        "A recovery of your account is pending": 2,
        "Your account can be recovered now": 1,
      });
    }));

  test(
    "keep two settings that are changed at two of them at once",
    LIMIT,
    () =>
      withFourServices(async ({ browsers, concurrently, count }) => {
        const choices = [{ delayHours: 168 }, { emailAlone: true }];
        const answers = await concurrently((service, index) =>
          browsers[service]!.request("PATCH", "/api/auth/way-back", { body: choices[index % 2] })
        );
        assert.deepEqual(counted(answers.map(kindOf)), { 200: AT_ONCE });
        const { delayHours, emailAlone } = (await browsers[2]!.get("/api/auth/way-back")).body.wayBack;
        assert.deepEqual([delayHours, emailAlone], [168, true]);
        assert.equal(await count("recovery_changed:choices_changed"), 2);
      }),
  );

  test(
    "create twenty sets of codes, of which one is valid",
    LIMIT,
    () =>
      withFourServices(async (services) => {
        const { apps, browsers, concurrently, count } = services;
        const answers = await concurrently((service) =>
          browsers[service]!.post("/api/auth/way-back/codes", {})
        );
        assert.deepEqual(counted(answers.map(kindOf)), { 201: AT_ONCE });
        assert.equal((await apps[1]!.db.selectFrom("recovery_code").selectAll().execute()).length, 8);
        assert.equal(await count("recovery_changed:codes_made"), AT_ONCE);
        const begun: string[] = [];
        for (const { body } of answers) {
          begun.push(kindOf(await begin(apps[2]!.client(), EMAIL, body.codes[0])));
        }
        assert.equal(begun.filter((kind) => kind === "201").length, 1, JSON.stringify(counted(begun)));
      }),
  );
});
