import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const RUNTIME = builtRuntime();

/** Asserts that a start with this environment exits 2 with exactly one line and no stack. */
async function assertOneLine(env: Record<string, string>, line: RegExp): Promise<void> {
  using folder = temporaryFolder();
  await assert.rejects(startService({ runtime: RUNTIME, dataDir: folder.path, env }), (error) => {
    assert.ok(error instanceof ServiceStartError, String(error));
    assert.equal(error.exit.code, 2, error.message);
    const lines = error.stderr.filter((text) => text.startsWith("holdfast:"));
    assert.match(lines.join("\n"), line);
    assert.equal(error.stderr.some((text) => /^\s+at /.test(text)), false, error.stderr.join("\n"));
    return lines.length === 1;
  });
}

test("serve() names a port that is in use, and exits 2", { timeout: 60_000 }, async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  await assertOneLine({ PORT: String(port) }, new RegExp(`PORT ${port} is in use`));
  other.close();
});

test("serve() names a HOST of another machine, and exits 2", { timeout: 60_000 }, async () => {
  await assertOneLine({ HOST: "192.0.2.1" }, /HOST 192\.0\.2\.1 is not an address of this machine/);
  await assertOneLine({ HOST: "nowhere.invalid" }, /HOST nowhere\.invalid (is not an|has no) address/);
});

test("serve() serves metrics at an address of their own, and writes the log in the chosen format", {
  timeout: 60_000,
}, async () => {
  using folder = temporaryFolder();
  const env = { METRICS_ADDRESS: "127.0.0.1:0", LOG_FORMAT: "text" };
  await using service = await startService({ runtime: RUNTIME, dataDir: folder.path, env });
  const url = service.stdout.find((line) => line.startsWith("metrics at "))!.slice("metrics at ".length);
  const before = await (await fetch(url)).text();
  assert.match(before, /^holdfast_http_requests_total\{method="GET",route="none",status="404"\} 0$/m);
  assert.match(before, /^process_resident_memory_bytes [1-9]\d{6,}$/m);
  assert.equal((await fetch(`${service.baseUrl}/metrics`)).status, 404);
  const after = await (await fetch(url)).text();
  assert.match(after, /^holdfast_http_requests_total\{method="GET",route="none",status="404"\} 1$/m);
  const { port } = new URL(url);
  await assertOneLine(
    { METRICS_ADDRESS: `127.0.0.1:${port}` },
    /METRICS_ADDRESS 127\.0\.0\.1:\d+ cannot be used/,
  );
  await service.stop();
  assert.ok(
    service.stdout.some((line) => /^[\d:.]{12} warn +simulated_tee /.test(line)),
    service.stdout.join("\n"),
  );
});

test("serve() names a folder that cannot be created, and exits 2", { timeout: 60_000 }, async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  await assertOneLine(
    { DATA_DIR: join(file, "data") },
    /cannot be used: a part of its path is not a folder/,
  );
});
