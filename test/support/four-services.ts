import assert from "node:assert/strict";
import { verifyAudit } from "../../src/audit/verify.ts";
import { connectDatabase } from "../../src/db/database.ts";
import type { Engine } from "../../src/db/engine.ts";
import { createTestApp } from "./app.ts";
import type { TestApp, TestAppOptions } from "./app.ts";
import { createAuthenticator } from "./authenticator.ts";
import { signUp } from "./client.ts";
import type { Answer, Client } from "./client.ts";
import { inSeveral } from "./lent-postgres.ts";

/** The number of concurrent requests. */
export const AT_ONCE = 20;

/**
 * One service four times over one database, as in four processes, but with settable clocks. The user has a browser at
 * each.
 */
export interface FourServices {
  readonly apps: readonly TestApp[];
  readonly browsers: readonly Client[];
  readonly keyId: string;
  /** Returns the browser as it talks to one of the services. Cookies set there stay there. */
  at(service: number, browser: Client): Client;
  /** Sends `AT_ONCE` requests concurrently, to each service in turn. */
  concurrently(ask: (service: number, index: number) => Promise<Answer>): Promise<readonly Answer[]>;
  /** Counts an event in the log. An `act` may follow after a colon. */
  count(event: string): Promise<number>;
}

/** Runs a job with four services, and verifies the whole log afterwards. */
export async function withFourServices(
  job: (services: FourServices) => Promise<void>,
  options: TestAppOptions = {},
): Promise<void> {
  await inSeveral(4, async (engines) => {
    const open = (engine: Engine) => createTestApp({ ...options, db: connectDatabase(engine) });
    const apps = await Promise.all(engines.map(open));
    const at: FourServices["at"] = (service, browser) => {
      const there = { ...apps[service]!.client(), authenticator: browser.authenticator };
      for (const [name, value] of browser.cookies) there.cookies.set(name, value);
      return there;
    };
    // Without a counter, as most passkeys are. A counter would refuse a second response by itself.
    const first = { ...apps[0]!.client(), authenticator: createAuthenticator({ step: 0 }) };
    const keyId = (await signUp(first, "ada@example.com")).body.key.id;
    const { db, vault } = apps[3]!;
    await job({
      apps,
      browsers: apps.map((_, service) => at(service, first)),
      keyId,
      at,
      concurrently: (ask) =>
        Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(index % apps.length, index))),
      count: async (text) => {
        const [event, act] = text.split(":");
        const rows = await db.selectFrom("audit_event").select("detail").where("event", "=", event!)
          .execute();
        return rows.filter(({ detail }) => act === undefined || JSON.parse(detail).act === act).length;
      },
    });
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
  });
}
