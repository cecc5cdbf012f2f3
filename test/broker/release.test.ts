import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verifyAudit } from "../../src/audit/verify.ts";
import { CHALLENGE_LIFETIME, MOST_CHALLENGES } from "../../src/broker/challenge.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { DAY } from "../../src/lib/time.ts";
import { askBroker } from "../../src/tee/broker/broker-client.ts";
import { encodeReleaseClaims } from "../../src/tee/broker/broker-protocol.ts";
import { keyQuoteReportData, sealReleaseReportData } from "../../src/tee/report-data.ts";
import {
  allowListOf,
  ask,
  auditOf,
  challengeOf,
  createBrokerStage,
  meansOf,
  MEASUREMENTS,
  posterOf,
  postTo,
  release,
  requestOf,
} from "../support/broker.ts";
import type { Answered, BrokerStage } from "../support/broker.ts";
import { makeQuotePlatform, QUOTE_NOW } from "../support/quote-pki.ts";
import type { QuoteKnobs, TdReportKnobs } from "../support/quote-pki.ts";

const TIMEOUT = { timeout: 30_000 };

async function onStage(job: (stage: BrokerStage) => Promise<void>, knobs?: QuoteKnobs): Promise<void> {
  const stage = await createBrokerStage(knobs);
  try {
    await job(stage);
  } finally {
    await stage.db.destroy();
  }
}

/** Asserts that the release was refused, and recorded with the reason. */
async function assertRefused(
  stage: BrokerStage,
  { status, body }: Answered,
  reason: string,
  check: string | null = null,
): Promise<void> {
  assert.equal(status, 403, JSON.stringify(body));
  assert.equal(body.code, "release_refused");
  assert.deepEqual(
    Object.keys(body).filter((name) => ["epkBroker", "ciphertext", "signature"].includes(name)),
    [],
  );
  const log = await auditOf(stage);
  const { event, detail } = log.at(-1)!;
  assert.deepEqual({ event, detail }, { event: "release_refused", detail: { reason, check } });
}

async function releases(stage: BrokerStage): Promise<number> {
  return (await auditOf(stage)).filter(({ event }) => event === "sealing_key_released").length;
}

describe("askBroker() and releaseSealingKey()", TIMEOUT, () => {
  test("return the same 32 bytes each time, and each workload its own", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      assert.equal(key.length, 32);
      assert.deepEqual(await ask(stage), key);
      assert.notDeepEqual(await ask(stage, { workload: "other" }), key);
    }));

  test("record creation and release, and no key in any log", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      const released = { mrTd: MEASUREMENTS.mrTd, rtmr3: MEASUREMENTS.rtmr3, tcbStatus: "UpToDate" };
      assert.deepEqual(await auditOf(stage), [
        { event: "release_key_made", subject: "holdfast", detail: {} },
        { event: "sealing_key_released", subject: "holdfast", detail: released },
      ]);
      assert.equal((await verifyAudit(stage.db, stage.vault)).fault, undefined);
      for (const text of [key.toHex(), toBase64url(key), key.toBase64()]) {
        assert.ok(!stage.logged().includes(text));
        assert.ok(!JSON.stringify(await auditOf(stage)).includes(text));
      }
    }));

  test("fetch collateral within the trace of the request", () =>
    onStage(async (stage) => {
      await ask(stage);
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const post = posterOf(stage, undefined, { traceparent });
      await askBroker(stage.broker, meansOf(stage, { post }));
      assert.deepEqual(stage.collateralHeaders, [{}, { traceparent }]);
    }));

  test("store the key encrypted only", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      const { sealed } = await stage.db.selectFrom("release_key").select("sealed").executeTakeFirstOrThrow();
      assert.ok(!sealed.toHex().includes(key.toHex()));
    }));

  test("create one key for several first requests", () =>
    onStage(async (stage) => {
      const keys = await Promise.all(Array.from({ length: 4 }, () => ask(stage)));
      assert.equal(new Set(keys.map((key) => key.toHex())).size, 1);
    }));
});

describe("a nonce", TIMEOUT, () => {
  test("is used up by its first use", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      assert.equal((await release(stage, request)).status, 200);
      await assertRefused(stage, await release(stage, request), "challenge_absent");
    }));

  test("is accepted from one of two concurrent requests", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      const answers = await Promise.all([release(stage, request), release(stage, request)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
      assert.equal(await releases(stage), 1);
    }));

  test("is used up by a refused request", () =>
    onStage(async (stage) => {
      const nonce = await challengeOf(stage);
      stage.report = { mrTd: "77".repeat(48) };
      await assertRefused(stage, await release(stage, await requestOf(stage, { nonce })), "not_allowed");
      stage.report = {};
      await assertRefused(stage, await release(stage, await requestOf(stage, { nonce })), "challenge_absent");
    }));

  test("expires", () =>
    onStage(async (stage) => {
      const [request, late] = [await requestOf(stage), await requestOf(stage)];
      stage.now += CHALLENGE_LIFETIME - 1;
      assert.equal((await release(stage, request)).status, 200);
      stage.now += 1;
      await assertRefused(stage, await release(stage, late), "challenge_expired");
    }));

  test("is not prolonged when the clock is set back", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      stage.now -= CHALLENGE_LIFETIME + 1;
      await assertRefused(stage, await release(stage, request), "challenge_expired");
    }));

  test("of another workload is refused", () =>
    onStage(async (stage) => {
      const nonce = await challengeOf(stage, "other");
      const request = await requestOf(stage, { nonce });
      await assertRefused(stage, await release(stage, request), "challenge_of_other_workload");
    }));

  test("that the broker did not issue is refused", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage, { nonce: "A".repeat(43) });
      await assertRefused(stage, await release(stage, request), "challenge_absent");
    }));

  test("is not issued to a workload that is not allowed, whose name is not recorded", () =>
    onStage(async (stage) => {
      const { status, body } = await postTo(stage, "/v1/seal/challenge", { workload: "stranger" });
      assert.equal(status, 403);
      assert.equal(body.code, "release_refused");
      const refused = {
        event: "release_challenge_refused",
        subject: null,
        detail: { reason: "unknown_workload" },
      };
      assert.deepEqual(await auditOf(stage), [refused]);
      assert.ok(!stage.logged().includes("stranger"));
    }));

  test("is not issued while too many are pending, and is again when they have expired", () =>
    onStage(async (stage) => {
      const rows = Array.from({ length: MOST_CHALLENGES }, (_, index) => {
        const times = { created_at: QUOTE_NOW, expires_at: QUOTE_NOW + 1 };
        const row = { nonce: `n${index}`, workload: "holdfast", ...times };
        return { ...row, mac: stage.vault.mac("release_challenge", row) };
      });
      for (let start = 0; start < rows.length; start += 500) {
        await stage.db.insertInto("release_challenge").values(rows.slice(start, start + 500)).execute();
      }
      const { status, body } = await postTo(stage, "/v1/seal/challenge", { workload: "holdfast" });
      assert.equal(status, 503, JSON.stringify(body));
      assert.deepEqual((await auditOf(stage)).at(-1)!.detail, { reason: "too_many_challenges" });
      stage.now += 1;
      await challengeOf(stage);
    }));

  test("is issued however many forged ones there are", () =>
    onStage(async (stage) => {
      const rows = Array.from({ length: MOST_CHALLENGES }, (_, index) => ({
        nonce: `n${index}`,
        workload: "holdfast",
        created_at: QUOTE_NOW,
        expires_at: QUOTE_NOW + 1,
        mac: new Uint8Array(32),
      }));
      for (let start = 0; start < rows.length; start += 500) {
        await stage.db.insertInto("release_challenge").values(rows.slice(start, start + 500)).execute();
      }
      await challengeOf(stage);
    }));
});

describe("claims", TIMEOUT, () => {
  test("with another key than the guest's are refused, because the quote is over other claims", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      const epk = (await requestOf(stage)).own.publicKey;
      const claims = encodeReleaseClaims({ ...JSON.parse(request.claims), epk: toBase64url(epk) });
      const answer = await release(stage, { ...request, claims });
      await assertRefused(stage, answer, "verification_failed", "report_data");
    }));

  test("of a key's quote are refused, because their tag differs", () =>
    onStage(async (stage) => {
      const { claims } = await requestOf(stage);
      assert.notDeepEqual(keyQuoteReportData(utf8(claims)), sealReleaseReportData(utf8(claims)));
      const quote = stage.platform.quote(keyQuoteReportData(utf8(claims))).toBase64();
      await assertRefused(
        stage,
        await release(stage, { claims, quote }),
        "verification_failed",
        "report_data",
      );
    }));

  test("for another broker are refused", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage, { brokerKeyId: "B".repeat(42) + "A" });
      await assertRefused(stage, await release(stage, request), "other_broker");
    }));

  test("of a workload that is not allowed are refused", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage, { workload: "stranger" });
      await assertRefused(stage, await release(stage, request), "unknown_workload");
    }));

  test("with a key of low order are refused", () =>
    onStage(async (stage) => {
      for (const point of ["00".repeat(32), "01" + "00".repeat(31), "ec" + "ff".repeat(30) + "7f"]) {
        const request = await requestOf(stage, { epk: toBase64url(Uint8Array.fromHex(point)) });
        await assertRefused(stage, await release(stage, request), "weak_key");
      }
      assert.equal(await releases(stage), 0);
    }));

  test("in any other spelling are refused", () =>
    onStage(async (stage) => {
      const { claims, quote } = await requestOf(stage);
      const parsed = JSON.parse(claims);
      const spellings = [
        ` ${claims}`,
        JSON.stringify({ ...parsed, more: 1 }),
        JSON.stringify({ ...parsed, nonce: parsed.nonce + "=" }),
        JSON.stringify({ ...parsed, epk: 1 }),
        JSON.stringify({ ...parsed, workload: "Holdfast" }),
        JSON.stringify({ workload: parsed.workload, ...parsed }),
        claims.replace("{", `{"nonce":"${"A".repeat(43)}",`),
        "null",
        "[]",
        "",
        "{",
      ];
      for (const text of spellings) {
        await assertRefused(stage, await release(stage, { claims: text, quote }), "malformed_claims");
      }
      // The nonce was not consumed: all were refused before.
      assert.equal((await release(stage, { claims, quote })).status, 200);
    }));
});

/** Reports of trust domains that are not allowed. */
const OTHER_REPORTS: readonly (readonly [name: string, report: TdReportKnobs])[] = [
  ...["mrTd", "rtmr0", "rtmr1", "rtmr2", "rtmr3", "mrConfigId", "mrOwner", "mrOwnerConfig"].map((name) =>
    [name, { [name]: "77".repeat(48) }] as const
  ),
];

const OUT_OF_DATE: QuoteKnobs = { pck: { components: [2, 2, 2, 2, 3, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } };

/** Invalid quotes and collateral, and the first check that fails. */
const BAD_EVIDENCE: readonly (readonly [name: string, knobs: QuoteKnobs, check: string])[] = [
  ["a debug trust domain", { report: { tdAttributes: "0100001000000000" } }, "td_attributes"],
  ["a migratable trust domain", { report: { tdAttributes: "0000003000000000" } }, "td_attributes"],
  ["a revoked platform", { pckCrl: { serials: ["0300bb01"] } }, "pck_crl"],
  ["a revoked authority", { rootCrl: { serials: ["0200aa"] } }, "root_crl"],
  ["stale revocation lists", { pckCrl: { nextUpdate: QUOTE_NOW - 1 } }, "pck_crl"],
  ["stale TCB info", { tcbInfo: (info) => void (info.nextUpdate = "2026-06-14T00:00:00Z") }, "tcb_info"],
  ["a quote that a stranger signed", { signers: { quote: "stranger" } }, "quote_signature"],
  ["TCB info that a stranger signed", { signers: { tcbInfo: "stranger" } }, "tcb_info"],
  ["an out-of-date platform", OUT_OF_DATE, "tcb_status"],
];

describe("a quote", TIMEOUT, () => {
  for (const [name, report] of OTHER_REPORTS) {
    test(`with another ${name} is refused`, () =>
      onStage(async (stage) => {
        stage.report = report;
        await assertRefused(stage, await release(stage, await requestOf(stage)), "not_allowed");
        assert.equal(await releases(stage), 0);
      }));
  }

  for (const [name, knobs, check] of BAD_EVIDENCE) {
    test(`is refused: ${name}`, () =>
      onStage(async (stage) => {
        const answer = await release(stage, await requestOf(stage));
        await assertRefused(stage, answer, "verification_failed", check);
        assert.match(answer.body.detail, new RegExp(check));
        assert.equal((await stage.db.selectFrom("release_key").selectAll().execute()).length, 0);
      }, knobs));
  }

  test("is refused if the broker's clock is past the expiry of its collateral", () =>
    onStage(async (stage) => {
      stage.now += 400 * DAY;
      const { status } = await release(stage, await requestOf(stage));
      assert.equal(status, 403);
      assert.equal(await releases(stage), 0);
    }));

  test("of another root is refused, and of another than Intel's if the list names none", () =>
    onStage(async (stage) => {
      assert.equal((await release(stage, await requestOf(stage))).status, 200);
      assert.match(stage.logged(), /"warn","not_intels_root",\{"workload":"holdfast","root":"SYNTHETIC SGX/);
      const before = await releases(stage);
      const { root: _, ...withoutRoot } = allowListOf(stage.platform);
      stage.allowList = withoutRoot;
      const answer = await release(stage, await requestOf(stage));
      assert.equal(answer.status, 403);
      assert.equal(await releases(stage), before);
    }));

  test("that is malformed is refused", () =>
    onStage(async (stage) => {
      const { claims } = await requestOf(stage);
      await assertRefused(stage, await release(stage, { claims, quote: "AAAA" }), "malformed_quote");
    }));

  test("passes with a status that the list accepts, and not with another", () =>
    onStage(async (stage) => {
      const list = allowListOf(stage.platform);
      const measurements = [MEASUREMENTS];
      stage.allowList = { ...list, workloads: { holdfast: { measurements, statuses: ["OutOfDate"] } } };
      assert.equal((await release(stage, await requestOf(stage))).status, 200);
      stage.allowList = { ...list, workloads: { holdfast: { measurements, statuses: ["UpToDate"] } } };
      await assertRefused(
        stage,
        await release(stage, await requestOf(stage)),
        "verification_failed",
        "tcb_status",
      );
    }, OUT_OF_DATE));

  test("of a new version is allowed as soon as the list has it, together with the old one", () =>
    onStage(async (stage) => {
      const old = await ask(stage);
      const next = { ...MEASUREMENTS, rtmr2: "f2".repeat(48) };
      stage.report = { rtmr2: next.rtmr2 };
      await assertRefused(stage, await release(stage, await requestOf(stage)), "not_allowed");
      stage.allowList = {
        ...allowListOf(stage.platform),
        workloads: { holdfast: { measurements: [MEASUREMENTS, next] } },
      };
      assert.deepEqual(await ask(stage), old);
      // Registers of two versions mixed.
      stage.report = { rtmr2: next.rtmr2, rtmr3: "f3".repeat(48) };
      await assertRefused(stage, await release(stage, await requestOf(stage)), "not_allowed");
    }));

  test("is verified with the current collateral", () =>
    onStage(async (stage) => {
      const stale = makeQuotePlatform({ tcbInfo: (info) => void (info.nextUpdate = "2026-06-14T00:00:00Z") });
      stage.collateral = stale.collateral;
      const answer = await release(stage, await requestOf(stage));
      await assertRefused(stage, answer, "verification_failed", "tcb_info");
      stage.collateral = stage.platform.collateral;
      assert.equal((await release(stage, await requestOf(stage))).status, 200);
    }));
});
