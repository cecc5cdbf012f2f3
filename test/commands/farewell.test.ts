import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };

interface Kept {
  /** Asks over the connection, and answers what came. */
  get(path: string): Promise<string>;
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<unknown>;
}

/** A connection as a proxy keeps it. */
async function keep(port: number): Promise<Kept> {
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const ended = once(socket, "end");
  return {
    ended,
    get: async (path) => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      let text = "";
      while (!/\r\n\r\n.*\}$/s.test(text)) text += String((await once(socket, "data"))[0]);
      return text;
    },
  };
}

test(
  "behind a proxy a stop answers once more on each connection that is kept, and ends it",
  TIMEOUT,
  async () => {
    using folder = temporaryFolder();
    const env = { TRUSTED_PROXIES: "127.0.0.1" };
    const service = await startService({ runtime: builtRuntime(), dataDir: join(folder.path, "data"), env });
    const port = Number(new URL(service.baseUrl).port);
    const [busy, idle] = [await keep(port), await keep(port)];
    for (const one of [busy, idle]) {
      const before = await one.get("/livez");
      assert.match(before, /^HTTP\/1\.1 200 /);
      assert.doesNotMatch(before, /^connection: close/im);
    }
    const began = performance.now();
    const exit = service.stop();
    await sleep(300);
    for (const one of [busy, await keep(port)]) {
      const last = await one.get("/readyz");
      assert.match(last, /^HTTP\/1\.1 503 .*shutting down/s);
      assert.match(last, /^connection: close\r$/im);
      await one.ended;
    }
    assert.deepEqual(await exit, { code: 0, signal: null });
    await idle.ended;
    assert.ok(performance.now() - began < 5000);
  },
);
