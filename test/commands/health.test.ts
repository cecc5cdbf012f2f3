import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { readinessUrl } from "../../src/commands/health.ts";
import { UsageError } from "../../src/commands/process/refusal.ts";
import { findFreePort } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { programs, runConfigured, skipReason, titleOf } from "./run-command.ts";

const LIMIT = { timeout: 60_000 };

test("readinessUrl() returns a URL of this machine, for every HOST", () => {
  const urls = ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost", "192.0.2.1"].map((host) =>
    readinessUrl({ host, port: 3000 }).slice("http://".length, -":3000/readyz".length)
  );
  assert.deepEqual(urls, ["127.0.0.1", "127.0.0.1", "[::1]", "[::1]", "localhost", "192.0.2.1"]);
  assert.throws(() => readinessUrl({ host: "127.0.0.1", port: 0 }), UsageError);
});

for (const [name, program] of Object.entries(programs())) {
  describe(`holdfast health as ${titleOf(name)}`, { skip: skipReason(program) }, () => {
    const ask = (port: number) => runConfigured(program, { PORT: String(port) }, "health");

    test("exits 0 if a service is ready, and 1 if nothing answers", LIMIT, async () => {
      using folder = temporaryFolder();
      await using service = await startService({
        runtime: name === "deno" ? "deno" : "bun",
        dataDir: folder.path,
      });
      const port = Number(new URL(service.baseUrl).port);
      const { code, stdout, stderr } = await ask(port);
      assert.deepEqual([code, stdout, stderr], [0, "ready\n", ""]);
      await service.stop();
      const gone = await ask(port);
      assert.deepEqual([gone.code, gone.stderr], [1, ""]);
      assert.match(gone.stdout, /^nothing answers at http:\/\/127\.0\.0\.1:\d+\/readyz\n$/);
    });

    test("exits 1 if a service is not ready, and prints why", LIMIT, async () => {
      const port = await findFreePort();
      const server = createServer((_, response) => {
        response.writeHead(503, { "content-type": "application/json" });
        response.end('{"status":"not ready","reasons":["the disk is full"]}');
      }).listen(port, "127.0.0.1");
      const { code, stdout } = await ask((server.address() as AddressInfo | null)?.port ?? port);
      server.close();
      server.closeAllConnections();
      assert.deepEqual([code, stdout], [1, "not ready; the disk is full\n"]);
    });

    test("refuses an invalid port, and arguments", LIMIT, async () => {
      assert.equal((await ask(0)).code, 2);
      assert.equal((await runConfigured(program, { PORT: "1" }, "health", "now")).code, 2);
    });
  });
}
