import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createLogScrubber } from "../../../src/audit/log-scrubber.ts";
import { BEGINNING } from "../../../src/audit/stored-entry.ts";
import { createCollector, declareSeries } from "../../../src/commands/open/collect-metrics.ts";
import { createMetricsApp } from "../../../src/http/metrics-app.ts";
import { FAMILIES } from "../../../src/lib/metric-families.ts";
import { refusalRules } from "../../../src/keys/refusal-rule.ts";
import { RATE_LIMITS } from "../../../src/limits/rate-limit.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import {
  callAs,
  exchange,
  getCode,
  getTokens,
  providerOf,
  refresh,
  registerClient,
} from "../../support/oauth.ts";

/** The metrics of a service in this process. */
async function openScraped(rateLimits: "on" | "off" = "off") {
  const app = await createTestApp({ rateLimits });
  declareSeries(app.metrics, app.tee);
  const collect = createCollector({ databasePath: ":memory:", postgres: undefined }, app.db, {
    metrics: app.metrics,
    now: () => app.now,
  });
  const serve = createMetricsApp(collect);
  const scrape = (accept = "*/*", path = "/metrics", method = "GET") =>
    serve(new Request(`http://127.0.0.1:9464${path}`, { method, headers: { accept } }));
  return { app, scrape, samples: async () => readSamples(await (await scrape()).text()) };
}

function readSamples(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => {
    const end = line.lastIndexOf(" ");
    return [line.slice(0, end), Number(line.slice(end + 1))];
  }));
}

describe("GET /metrics", () => {
  test("has each family with help, type and a sample from the first scrape on", async () => {
    const { app, scrape } = await openScraped();
    await using _ = app;
    const response = await scrape();
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    for (const [name, { type, help }] of Object.entries(FAMILIES)) {
      const sample = type === "histogram" ? `${name}_count` : name;
      assert.match(
        text,
        new RegExp(`^# HELP ${name} .+\n# TYPE ${name} ${type}\n(?:${name}.+\n)*${sample}[{ ]`, "m"),
      );
      assert.ok(text.includes(`# HELP ${name} ${help}\n`));
    }
    const samples = readSamples(text);
    for (const rule of refusalRules()) {
      assert.equal(samples.get(`holdfast_signature_refusals_total{rule="${rule}"}`), 0);
    }
    for (const limit of Object.keys(RATE_LIMITS)) {
      assert.equal(samples.get(`holdfast_rate_limited_total{limit="${limit}"}`), 0);
    }
    assert.equal(samples.get('holdfast_tee_info{provider="simulated"}'), 1);
    assert.equal(samples.get("holdfast_log_fault"), 0);
    assert.ok(samples.get("process_resident_memory_bytes")! > 1_000_000);
    assert.ok(samples.get("process_cpu_seconds_total")! > 0);
    assert.ok(Math.abs(samples.get("process_start_time_seconds")! - Date.now() / 1000) < 86_400);
  });

  test("answers OpenMetrics 1.0 where Accept names it", async () => {
    const { app, scrape } = await openScraped();
    await using _ = app;
    const response = await scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    assert.match(response.headers.get("content-type")!, /^application\/openmetrics-text; version=1\.0\.0/);
    const text = await response.text();
    assert.match(text, /\n# EOF\n$/);
    assert.match(text, /^# TYPE holdfast_commits counter\nholdfast_commits_total \d+$/m);
    assert.match(text, /^holdfast_commit_jobs_bucket\{le="1\.0"\} \d+$/m);
  });

  test("is the only path, and takes GET and HEAD alone", async () => {
    const { app, scrape } = await openScraped();
    await using _ = app;
    assert.equal((await scrape("*/*", "/")).status, 404);
    assert.equal((await scrape("*/*", "/metrics", "POST")).status, 405);
    const head = await scrape("*/*", "/metrics", "HEAD");
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    assert.equal((await app.client().get("/metrics")).status, 404, "The public port has metrics");
  });

  test("counts requests by the pattern of their route, and unknown paths under one label", async () => {
    const { app, samples } = await openScraped();
    await using _ = app;
    const browser = app.client();
    const { key } = (await signUp(browser, "ada@example.com")).body;
    await browser.get(`/api/keys/${key.id}`);
    await browser.get("/unheard-1");
    await browser.get("/unheard-2");
    const counted = await samples();
    const of = (labels: string) => counted.get(`holdfast_http_requests_total{${labels}}`);
    assert.equal(of('method="GET",route="/api/keys/:keyId",status="200"'), 1);
    assert.equal(of('method="GET",route="none",status="404"'), 2);
    assert.doesNotMatch([...counted.keys()].join("\n"), new RegExp(`unheard|${key.id}`));
    const seconds = "holdfast_http_request_duration_seconds";
    assert.equal(counted.get(`${seconds}_count{method="GET",route="/api/keys/:keyId",status="200"}`), 1);
    assert.equal(
      counted.get(`${seconds}_bucket{method="GET",route="/api/keys/:keyId",status="200",le="+Inf"}`),
      1,
    );
  });

  test("counts signatures by kind, and refusals by rule", async () => {
    const { app, samples } = await openScraped();
    await using _ = app;
    const browser = app.client();
    const { key } = (await signUp(browser, "ada@example.com")).body;
    const path = `/api/keys/${key.id}`;
    assert.equal((await browser.post(`${path}/sign`, { message: "hello" })).status, 200);
    await browser.request("PATCH", path, { body: { blindSigning: "guard" } });
    const blind = await browser.post(`${path}/sign`, { message: "0x" + "5a".repeat(32), format: "digest" });
    assert.equal(blind.body.code, "blind_signing_denied");
    const { revision } = (await browser.get(`${path}/policy`)).body;
    const set = await browser.request("PUT", `${path}/policy`, {
      body: { revision, policy: { version: 1 } },
    });
    assert.equal(set.status, 200, set.text);
    assert.equal((await browser.post(`${path}/sign`, { message: "hello" })).body.code, "policy_denied");
    const counted = await samples();
    assert.equal(counted.get('holdfast_signatures_total{kind="message"}'), 1);
    assert.equal(counted.get('holdfast_signatures_total{kind="transaction"}'), 0);
    assert.equal(counted.get('signing_secp256k1_signing_duration_count{kind="message"}'), 1);
    assert.equal(counted.get('holdfast_signature_refusals_total{rule="blind_signing_denied"}'), 1);
    const refused = [...counted].filter(([name, value]) =>
      name.startsWith("holdfast_signature_refusals_total") && value > 0
    );
    assert.equal(refused.length, 2, JSON.stringify(refused));
    assert.ok(counted.get("holdfast_commits_total")! > 0);
    assert.equal(counted.get("holdfast_commit_jobs_sum"), counted.get("holdfast_commit_jobs_count"));
    assert.equal(counted.get("holdfast_jobs_waiting"), 0);
    assert.ok(counted.get("holdfast_log_entries")! > 0);
    assert.equal(counted.get('holdfast_outbox_waiting{kind="mail"}'), 2, "a code, and news of the policy");
  });

  test("counts sign-ins, codes and refreshes by outcome, and met limits by name", async () => {
    const { app, samples } = await openScraped("on");
    await using _ = app;
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    await signIn(browser);
    const provider = providerOf(app);
    const client = await registerClient(provider);
    const tokens = await getTokens(provider, browser, client);
    const given = await getCode(browser, client);
    await exchange(provider, client, { ...given, code: "code_wrong" });
    const next = await refresh(provider, client, tokens.refresh_token);
    assert.equal(next.status, 200, next.text);
    await refresh(provider, client, "nonsense");
    await callAs(provider, client, "/api/auth/oauth2/token", { grant_type: "constructor" });
    for (let count = 0; count < 6; count++) {
      await app.client().post("/api/auth/email-code", { email: "bob@example.com" });
    }
    const counted = await samples();
    const of = (family: string, outcome: string) =>
      counted.get(`holdfast_${family}_total{outcome="${outcome}"}`);
    assert.deepEqual([of("sign_ins", "success"), of("sign_ins", "refused")], [1, 0]);
    assert.deepEqual([of("authorization_codes", "success"), of("authorization_codes", "refused")], [1, 1]);
    assert.deepEqual([of("token_refreshes", "success"), of("token_refreshes", "refused")], [1, 1]);
    const limited = [...counted].filter(([name, value]) =>
      name.startsWith("holdfast_rate_limited") && value > 0
    );
    assert.equal(limited.length, 1, JSON.stringify(limited));
  });

  test("says that the log has a fault, and stops the time of its verification", async () => {
    const { app, samples } = await openScraped();
    await using _ = app;
    await signUp(app.client(), "ada@example.com");
    await cutLog(app);
    assert.equal(
      (await app.client().post("/api/auth/email-code", { email: "eve@example.com" })).status >= 200,
      true,
    );
    const counted = await samples();
    assert.equal(counted.get("holdfast_log_fault"), 1);
  });
});

/** Verifies the log, deletes its newest entries, and verifies again. */
async function cutLog({ db, vault, now }: TestApp): Promise<void> {
  const scrubber = createLogScrubber(db, { vault, now: () => now, from: BEGINNING });
  await scrubber.step();
  await sql`drop trigger audit_event_no_delete`.execute(db);
  await db.deleteFrom("audit_event").where("seq", ">", 1).execute();
  await scrubber.step();
}
