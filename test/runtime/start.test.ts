import { test } from "node:test";
import assert from "node:assert/strict";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** The commands of the README. A stopped npm must end the service too. */
const COMMANDS = [
  ["bun", "exec npm start"],
  ["deno", "exec npm run start:deno"],
  ["deno", "exec deno task start"],
] as const;

for (const [runtime, command] of COMMANDS) {
  test(`${command} serves, forwards SIGTERM and exits after the service`, { timeout: 60_000 }, async () => {
    using data = temporaryFolder();
    const env = { npm_config_update_notifier: "false" };
    await using service = await startService({ runtime, dataDir: data.path, command, env });
    assert.equal((await fetch(`${service.baseUrl}/livez`)).status, 200);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    await assert.rejects(fetch(`${service.baseUrl}/livez`), { code: "ECONNREFUSED" });
  });
}
