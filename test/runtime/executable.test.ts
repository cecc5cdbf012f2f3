import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXECUTABLE, isBuilt } from "../support/built.ts";
import { createClient } from "../support/client.ts";
import { startSmtpServer } from "../support/smtp.ts";
import { bundleCommand, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `npm run build` with arguments and returns what it prints. */
function build(...list: readonly string[]): string {
  const bun = join(ROOT, "node_modules/.bin/bun");
  const built = spawnSync(bun, ["scripts/build.ts", ...list], { cwd: ROOT, encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr);
  return built.stdout;
}

test("a build writes an executable and a file for Deno, and prints their hashes", { timeout: 60_000 }, () => {
  using folder = temporaryFolder();
  const [entry, output] = ["entry.ts", "output"].map((name) => join(folder.path, name));
  writeFileSync(entry!, 'console.log("hello");\n');
  assert.match(build(output!, entry!), /holdfast .*MB +sha256 [0-9a-f]{64}/);
  assert.deepEqual(readdirSync(output!).sort(), ["holdfast", "holdfast.js"]);
  assert.equal(spawnSync(join(output!, "holdfast"), { encoding: "utf8" }).stdout, "hello\n");
});

test("the built executable and the built file for Deno serve and send mail from an empty folder", {
  timeout: 60_000,
}, async () => {
  if (!isBuilt()) build();
  for (const command of [`exec "${EXECUTABLE}"`, bundleCommand("serve")]) {
    using data = temporaryFolder();
    await using smtp = await startSmtpServer();
    await using service = await startService({
      runtime: "executable",
      dataDir: data.path,
      command,
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
