import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, beforeEach, describe, test } from "node:test";
import { createClient, readCode } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { runsOf } from "../support/share.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 120_000 };
/** `npm run fuzz` makes as many as the titles say; more than `AT_ONCE` meet no other lock. */
const GUESSES = Math.max(300, runsOf(1000));

/** The number of requests in flight. */
const AT_ONCE = 250;

function codesOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? "right" : String(body?.code);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

// One process on Bun, one on Deno, behind a proxy that reports the client's network.
describe("1,000 guesses at once over two processes on one database", () => {
  const folder = temporaryFolder();
  let origin: string;
  let ports: readonly number[];
  let services: Service[];

  async function start(): Promise<void> {
    const env = { BASE_URL: origin, TRUSTED_PROXIES: "127.0.0.0/8" };
    services = await Promise.all(
      (["bun", "deno"] as const).map((runtime, index) =>
        startService({
          runtime: builtRuntime(runtime),
          dataDir: folder.path,
          env: { ...env, PORT: String(ports[index]) },
        })
      ),
    );
  }

  before(async () => {
    ports = [await findFreePort(), await findFreePort()];
    origin = `http://localhost:${ports[0]}`;
    // The first start creates the root seed.
    const first = await startService({
      runtime: builtRuntime("bun"),
      dataDir: folder.path,
      env: { BASE_URL: origin, PORT: String(ports[0]) },
    });
    await first.stop();
    await start();
  }, LIMIT);
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    folder[Symbol.dispose]();
  });

  // Networks share 65,536 buckets by chance: one that an earlier test filled would refuse a guess of this one.
  beforeEach(() => {
    const database = new DatabaseSync(join(folder.path, "holdfast.db"), { timeout: 20_000 });
    database.exec("delete from rate_limit");
    database.close();
  });

  function at(index: number): Client {
    const address = `http://localhost:${ports[index % 2]}`;
    return createClient(
      origin,
      (request) => fetch(new Request(request.url.replace(origin, address), request)),
    );
  }

  /** Requests an e-mail code. Returns the browser and the code. */
  async function askFor(email: string): Promise<{ browser: Client; code: string }> {
    const browser = at(0);
    const headers = { "x-forwarded-for": "198.51.100.1" };
    assert.equal((await browser.post("/api/auth/email-code", { email }, { headers })).status, 200);
    return { browser, code: await readCode(browser, email) };
  }

  /**
   * Tries a code `count` times in one browser, each time from the network for that index. By turns at both processes,
   * or only at the one that sent it: over one file, no other accepts it.
   */
  async function guess(
    { browser, email, code, count, where = "both" }: {
      browser: Client;
      email: string;
      code: string;
      count: number;
      where?: "both" | "sender";
    },
    network: (index: number) => string,
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) {
        const client = at(where === "sender" ? 0 : index);
        for (const [name, value] of browser.cookies) client.cookies.set(name, value);
        const headers = { "x-forwarded-for": `127.0.0.1, ${network(index)}` };
        answers.push(await client.post("/api/auth/email-code/verify", { email, code }, { headers }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return answers;
  }

  const elsewhere = (index: number): string => `10.${index >> 8}.${index & 0xff}.1`;
  const wrong = (code: string): string => code === "111111" ? "222222" : "111111";

  test("with the right code use it up once", LIMIT, async () => {
    const email = "bob@example.com";
    const right = { email, ...await askFor(email), count: GUESSES, where: "sender" } as const;
    const answers = await guess(right, (index) => elsewhere(index + 5000));
    assert.deepEqual(codesOf(answers), { right: 1, invalid_code: GUESSES - 1 });
  });

  test("from one network count ten a minute, and the rest get Retry-After", LIMIT, async () => {
    const email = "eve@example.com";
    const { browser, code } = await askFor(email);
    const began = Date.now();
    const network = (): string => "203.0.113.9";
    const answers = await guess({ browser, email, code: wrong(code), count: GUESSES }, network);
    // A request that times out at the lock that the processes share has not tried the code.
    const { invalid_code: counted = 0, rate_limited: refused = 0, unavailable: lost = 0 } = codesOf(answers);
    // One more is allowed for every 6 s that the guesses took.
    const most = 10 + Math.ceil((Date.now() - began) / 6000);
    assert.ok(counted + lost >= 10 && counted <= most, `${counted} of at most ${most}`);
    assert.equal(counted + refused + lost, GUESSES);
    for (const { status, headers } of answers) {
      if (status === 429) assert.match(headers.get("retry-after")!, /^[1-9]$/);
    }
  });

  test(
    "from 1,000 networks invalidate the code: the right one fails afterwards, also after a restart",
    LIMIT,
    async () => {
      const email = "ada@example.com";
      const { browser, code } = await askFor(email);
      const answers = await guess({ browser, email, code: wrong(code), count: GUESSES }, elsewhere);
      assert.deepEqual(codesOf(answers), { invalid_code: GUESSES });
      const right = { browser, email, code, count: 1, where: "sender" } as const;
      assert.deepEqual(codesOf(await guess(right, () => "192.0.2.1")), { invalid_code: 1 });
      await Promise.all(services.map((service) => service.kill()));
      // New ports, because fetch would reuse connections to the killed processes.
      ports = [await findFreePort(), await findFreePort()];
      await start();
      assert.deepEqual(codesOf(await guess(right, () => "192.0.2.2")), { invalid_code: 1 });
    },
  );
});
