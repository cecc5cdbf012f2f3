import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY } from "../../src/lib/time.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { claimDue, deliver } from "../../src/mail/delivery.ts";
import type { TestApp } from "../support/app.ts";
import type { Answer } from "../support/client.ts";
import { createProver, provingProgram } from "../support/dpop.ts";
import { AT_ONCE, withFourServices } from "../support/four-services.ts";

const LIMIT = { timeout: 60_000 };

function succeeded(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status < 300).length;
}

describe("of four processes", () => {
  test(
    "all count the uses of a limit together",
    LIMIT,
    () =>
      withFourServices(async ({ browsers, keyId, concurrently }) => {
        const answers = await concurrently((process) =>
          browsers[process]!.get(`/api/keys/${keyId}/quote?nonce=${"00".repeat(32)}`)
        );
        assert.equal(succeeded(answers), 10);
        assert.ok(answers.every(({ status }) => status === 200 || status === 429));
      }, { rateLimits: "on" }),
  );

  test("one rotates the token keys", LIMIT, () =>
    withFourServices(async ({ apps, count }) => {
      await Promise.all(apps.map((app) => app.client().get("/api/auth/jwks")));
      assert.equal(await count("token_key_made"), 3);
      for (const app of apps) app.now += 90 * DAY;
      await Promise.all([...apps, ...apps].map((app) => app.maintain()));
      assert.equal(await count("token_key_made"), 6);
      const published = await Promise.all(apps.map((app) => app.client().get("/api/auth/jwks")));
      assert.equal(published[0]!.body.keys.length, 6);
      assert.equal(new Set(published.map(({ text }) => text)).size, 1);
    }));

  test("one sends a mail", LIMIT, () =>
    withFourServices(async ({ apps }) => {
      const addresses = Array.from({ length: AT_ONCE }, (_, index) => `user${index}@example.com`);
      for (const email of addresses) await apps[0]!.client().post("/api/auth/email-code", { email });
      const sent: string[] = [];
      const transport = {
        send: (_: string, { to }: { to: string }) => Promise.resolve(void sent.push(to)),
        close: () => {},
      };
      const sendAll = async ({ db, vault, now }: TestApp): Promise<void> => {
        const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
        const services = {
          vault,
          transport,
          random,
          now: () => now,
          metrics: createMetrics(() => 0),
          log: () => {},
        };
        for (;;) {
          const rows = await claimDue(db, { limit: 8, now });
          if (rows.length === 0) return;
          for (const row of rows) await deliver(db, services, row);
        }
      };
      await Promise.all([...apps, ...apps].map(sendAll));
      // In addition to those of the account.
      assert.deepEqual(sent.filter((to) => to.startsWith("user")).sort(), addresses.toSorted());
    }));

  test(
    "one applies a looser policy, and notifies its owner",
    LIMIT,
    () =>
      withFourServices(async ({ apps, browsers: [browser], keyId }) => {
        const narrow = { version: 1, messages: { text: "allow" }, delayHours: 24 };
        for (const policy of [narrow, { ...narrow, raw: "allow" }]) {
          const answer = await browser!.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } });
          assert.ok(answer.status < 300, answer.text);
        }
        for (const app of apps) app.now += DAY;
        await Promise.all([...apps, ...apps].map((app) => app.maintain()));
        const { events } = (await browser!.get("/api/audit")).body;
        const acts = events.map(({ detail }: { detail: { act?: string } }) => detail.act);
        assert.equal(acts.filter((act: string) => act === "took_effect").length, 1);
        const { body } = await browser!.get("/dev/outbox", { headers: { accept: "application/json" } });
        const subjects = body.messages.map(({ subject }: { subject: string }) => subject);
        assert.equal(
          subjects.filter((subject: string) => /looser policy of a key took effect/.test(subject)).length,
          1,
        );
      }),
  );

  test(
    "one accepts a proof of possession",
    LIMIT,
    () =>
      withFourServices(async ({ apps, browsers: [browser], keyId, concurrently, count }) => {
        const prover = await createProver();
        const terms = { name: "Payroll", keys: "all", actions: ["read", "sign"], jwk: prover.jwk };
        const { text } = (await browser!.post("/api/auth/tokens", terms)).body;
        const programs = apps.map((app) =>
          provingProgram(app.client(), prover, { text, now: () => app.now })
        );
        for (const program of programs) assert.equal((await program.send("GET", "/api/keys")).status, 200);
        const answers = await concurrently((process) => {
          const sending = { body: { message: "hello" }, claims: { jti: "one" } };
          return programs[process]!.send("POST", `/api/keys/${keyId}/sign`, sending);
        });
        assert.equal(succeeded(answers), 1, answers[0]!.text);
        assert.equal(await count("message_signed"), 1);
      }),
  );

  test(
    "one accepts the assertion of a step-up",
    LIMIT,
    () =>
      withFourServices(async ({ browsers, concurrently }) => {
        const options = await browsers[0]!.post("/api/auth/step-up/options", { action: "add_passkey" });
        const response = await browsers[0]!.authenticator.authenticate(options.body, {
          origin: browsers[0]!.origin,
        });
        const answers = await concurrently((process) =>
          browsers[process]!.post("/api/auth/step-up", { action: "add_passkey", response })
        );
        assert.equal(succeeded(answers), 1);
      }),
  );
});
