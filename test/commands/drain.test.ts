import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../../src/runtime/serve.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };
/** Milliseconds. More than a busy machine needs for the few requests of a test. */
const DRAIN_DELAY = 5000;

interface OpenConnection {
  /** Sends a request over the connection and returns the response. */
  get(): Promise<string>;
  /** Fulfils when the server has closed the connection. */
  readonly ended: Promise<unknown>;
}

/** Opens a connection like a proxy. */
async function openConnection(port: number): Promise<OpenConnection> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const ended = once(socket, "end");
  return {
    ended,
    get: async () => {
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      let text = "";
      while (!/\r\n\r\n.*\}$/s.test(text)) text += String((await once(socket, "data"))[0]);
      return text;
    },
  };
}

test(
  "a stop with a drain delay answers once more on each open connection and closes it",
  TIMEOUT,
  async () => {
    const server = await serve({
      hostname: "127.0.0.1",
      port: 0,
      handler: () => Promise.resolve(Response.json({ done: true })),
      drainDelay: DRAIN_DELAY,
    });
    const [busy, idle] = [await openConnection(server.port), await openConnection(server.port)];
    for (const one of [busy, idle]) assert.doesNotMatch(await one.get(), /^connection: close/im);
    const stopped = server.stop();
    for (const one of [busy, await openConnection(server.port)]) {
      assert.match(await one.get(), /^HTTP\/1\.1 200 .*^connection: close\r$/ims);
      await one.ended;
    }
    await stopped;
    await idle.ended;
    await assert.rejects(openConnection(server.port), { code: "ECONNREFUSED" });
  },
);

test("a service behind a proxy drains before it stops", TIMEOUT, async () => {
  using folder = temporaryFolder();
  const env = { TRUSTED_PROXIES: "127.0.0.1" };
  const service = await startService({ runtime: builtRuntime(), dataDir: join(folder.path, "data"), env });
  const began = performance.now();
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
  assert.ok(performance.now() - began > 990);
});
