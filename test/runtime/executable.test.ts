import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../support/client.ts";
import { shippedRuntime } from "../support/program.ts";
import { startSmtpServer } from "../support/smtp.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function build(folder: string): void {
  const bun = join(ROOT, "node_modules/.bin/bun");
  const built = spawnSync(bun, ["scripts/build.ts", folder], { cwd: ROOT, encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
  assert.match(built.stdout, /holdfast .*MB +sha256 [0-9a-f]{64}/);
}

test("the built executable and the built file for Deno serve and send mail from an empty folder", {
  timeout: 60_000,
}, async () => {
  using built = temporaryFolder();
  build(built.path);
  assert.deepEqual(readdirSync(built.path).sort(), ["holdfast", "holdfast.js"]);
  const onDeno = [...shippedRuntime("deno"), join(built.path, "holdfast.js"), "serve"].join(" ");
  for (const command of [join(built.path, "holdfast"), onDeno]) {
    using data = temporaryFolder();
    await using smtp = await startSmtpServer();
    await using service = await startService({
      runtime: "executable",
      dataDir: data.path,
      command: `exec ${command}`,
      env: { SMTP_URL: `smtp://localhost:${smtp.port}`, MAIL_FROM: "wallet@example.com" },
    });
    assert.equal((await fetch(`${service.baseUrl}/livez`)).status, 200);
    const page = await fetch(service.baseUrl);
    assert.equal(page.status, 200);
    const sheet = /<link [^>]*href="([^"]+\.css)"/.exec(await page.text())?.[1];
    assert.equal((await fetch(new URL(sheet!, service.baseUrl))).status, 200);
    const client = createClient(service.baseUrl, (request) => fetch(request));
    assert.equal((await client.post("/api/auth/email-code", { email: "a@example.com" })).status, 200);
    assert.deepEqual((await smtp.taken(1))[0]!.to, ["a@example.com"]);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
  }
});
