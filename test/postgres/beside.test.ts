import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verifyAudit } from "../../src/audit/verify.ts";
import { connectDatabase } from "../../src/db/database.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { administer, exchange, getCode, providerOf, registerClient, userinfo } from "../support/oauth.ts";
import type { Provider, Registered } from "../support/oauth.ts";
import { inSeveral } from "../support/lent-postgres.ts";

const LIMIT = { timeout: 60_000 };

/** Four processes of one service. */
interface Stage {
  readonly apps: readonly TestApp[];
  /** Returns a new user's browser at each process. */
  enrol(email: string): Promise<{ readonly browsers: readonly Client[]; readonly keyId: string }>;
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  await inSeveral(4, async (engines) => {
    const apps = await Promise.all(engines.map((engine) => createTestApp({ db: connectDatabase(engine) })));
    const enrol: Stage["enrol"] = async (email) => {
      const first = apps[0]!.client();
      const keyId = (await signUp(first, email)).body.key.id;
      const browsers = apps.map((app) => {
        const browser = app.client();
        for (const [name, value] of first.cookies) browser.cookies.set(name, value);
        return browser;
      });
      return { browsers, keyId };
    };
    await job({ apps, enrol });
  });
}

function sign(browser: Client, keyId: string, message: string): Promise<Answer> {
  return browser.post(`/api/keys/${keyId}/sign`, { message });
}

/** Returns the number of responses of each status. */
function statuses(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sends `count` concurrent requests, to each process in turn. */
function concurrently(
  count: number,
  ask: (process: number, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index % 4, index)));
}

/** Asserts that the log verifies, and has an entry for each signature. */
async function assertChain({ apps: [app] }: Stage, signatures: number): Promise<void> {
  const { fault, entries } = await verifyAudit(app!.db, app!.vault);
  assert.equal(fault, undefined);
  const rows = await app!.db.selectFrom("audit_event").select("event").execute();
  assert.equal(rows.length, entries);
  assert.equal(rows.filter(({ event }) => event === "message_signed").length, signatures);
}

describe("four signing processes", () => {
  test(
    "sign for several users at once, between other work: one chain, and an entry for each signature",
    LIMIT,
    async () => {
      await onStage(async (stage) => {
        const people = await Promise.all(
          ["ada", "bob", "cy"].map((name) => stage.enrol(`${name}@example.com`)),
        );
        const answers = await concurrently(120, (process, index) => {
          const { browsers, keyId } = people[index % 3]!;
          const browser = browsers[process]!;
          return index % 10 === 9
            ? browser.post("/api/keys/generate", {})
            : sign(browser, keyId, `message ${index}`);
        });
        assert.deepEqual(statuses(answers), { 200: 108, 201: 12 });
        for (const { browsers } of people) {
          const { keys } = (await browsers[3]!.get("/api/keys")).body;
          assert.deepEqual(keys.map((key: { keyIndex: number }) => key.keyIndex), [0, 1, 2, 3, 4]);
          // The account's activity is complete at once, whichever process is asked.
          const { events } = (await browsers[1]!.get("/api/audit?limit=100")).body;
          assert.equal(
            events.filter(({ event }: { event: string }) => event === "message_signed").length,
            36,
          );
        }
        await assertChain(stage, 108);
      });
    },
  );

  test("sign five of forty under a policy that allows five a day", LIMIT, async () => {
    await onStage(async (stage) => {
      const { browsers, keyId } = await stage.enrol("ada@example.com");
      const policy = { version: 1, messages: { text: "allow" }, perDay: 5 };
      const set = await browsers[0]!.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } });
      assert.equal(set.status, 200, set.text);
      const answers = await concurrently(
        40,
        (process, index) => sign(browsers[process]!, keyId, `message ${index}`),
      );
      assert.deepEqual(statuses(answers), { 200: 5, 403: 35 });
      assert.ok(answers.every(({ status, body }) => status === 200 || body.code === "policy_denied"));
      await assertChain(stage, 5);
    });
  });

  test("stop signing with a key when one of them has archived it", LIMIT, async () => {
    await onStage(async (stage) => {
      const { browsers, keyId } = await stage.enrol("ada@example.com");
      let isArchived = false;
      let signatures = 0;
      const signing = browsers.map(async (browser, index) => {
        for (let count = 0;; count++) {
          const wasArchived = isArchived;
          const { status, body } = await sign(browser, keyId, `message ${index} ${count}`);
          if (status !== 200) return body.code;
          assert.equal(wasArchived, false);
          signatures++;
        }
      });
      while (signatures < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      const archived = await browsers[0]!.post(`/api/keys/${keyId}/archive`);
      assert.equal(archived.status, 200, archived.text);
      isArchived = true;
      assert.deepEqual(new Set(await Promise.all(signing)), new Set(["key_archived"]));
      await assertChain(stage, signatures);
    });
  });
});

describe("four processes that issue tokens", () => {
  async function onOAuthStage(
    job: (stage: Stage, doors: readonly Provider[], client: Registered) => Promise<void>,
  ): Promise<void> {
    await onStage(async (stage) => {
      const doors = stage.apps.map(providerOf);
      await job(stage, doors, await registerClient(doors[0]!));
    });
  }

  test("issue them to several users at once, between signatures", LIMIT, async () => {
    await onOAuthStage(async (stage, doors, client) => {
      const people = await Promise.all(
        ["ada", "bob", "cy"].map((name) => stage.enrol(`${name}@example.com`)),
      );
      // The first request to each process.
      for (const { browsers: [browser] } of people) await getCode(browser!, client);
      const answers = await concurrently(60, async (process, index) => {
        const { browsers, keyId } = people[index % 3]!;
        const browser = browsers[process]!;
        if (index % 5 === 0) return await sign(browser, keyId, `message ${index}`);
        const answer = await exchange(doors[(index + 1) % 4]!, client, await getCode(browser, client));
        assert.equal((await userinfo(doors[(index + 2) % 4]!, answer.body.access_token)).status, 200);
        return answer;
      });
      assert.deepEqual(statuses(answers), { 200: 60 });
      await assertChain(stage, 12);
    });
  });

  test(
    "stop issuing them when one process has disabled the client",
    LIMIT,
    async () => {
      await onOAuthStage(async (stage, doors, client) => {
        const { browsers } = await stage.enrol("ada@example.com");
        await getCode(browsers[0]!, client);
        let isDisabled = false;
        let given = 0;
        const asking = doors.map(async (door, index) => {
          for (;;) {
            const wasDisabled = isDisabled;
            let code: Awaited<ReturnType<typeof getCode>>;
            try {
              code = await getCode(browsers[index]!, client);
            } catch {
              return;
            }
            if ((await exchange(door, client, code)).status !== 200) return;
            assert.equal(wasDisabled, false);
            given++;
          }
        });
        while (given < 10) await new Promise((resolve) => setTimeout(resolve, 5));
        const path = `/${client.clientId}`;
        const { status, text } = await administer(doors[0]!, "PATCH", path, { disabled: true });
        assert.equal(status, 200, text);
        isDisabled = true;
        await Promise.all(asking);
        await assertChain(stage, 0);
      });
    },
  );
});
