import assert from "node:assert/strict";
import { test } from "node:test";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Warnings and nonces of `serve`, which are alike on every runtime. `serve.test.ts` has its sockets and folders.

const RUNTIME = builtRuntime();

test("serve() warns when all clients come through a proxy that it does not trust", {
  timeout: 60_000,
}, async () => {
  const warns = async (env: Record<string, string>): Promise<boolean> => {
    using folder = temporaryFolder();
    await using service = await startService({ runtime: RUNTIME, dataDir: folder.path, env });
    await service.stop();
    return service.stdout.some((line) => line.includes("no_trusted_proxies"));
  };
  const https = { BASE_URL: "https://wallet.localhost:8443" };
  assert.equal(await warns(https), true);
  assert.equal(await warns({ ...https, TRUSTED_PROXIES: "127.0.0.1" }), false);
  assert.equal(await warns({}), false);
});

test("serve() presents other DPoP nonces after each start, so that no proof from before is accepted", {
  timeout: 60_000,
}, async () => {
  using folder = temporaryFolder();
  const nonces: (string | null)[] = [];
  for (let start = 0; start < 2; start++) {
    await using service = await startService({ runtime: RUNTIME, dataDir: folder.path });
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "0".repeat(26) });
    const init = { method: "POST", headers: { dpop: "none" }, body };
    for (let request = 0; request < 2; request++) {
      const { headers: sent } = await fetch(`${service.baseUrl}/api/auth/oauth2/token`, init);
      nonces.push(sent.get("dpop-nonce"));
    }
    await service.stop();
  }
  assert.match(nonces[0] ?? "", /^[\w-]{22}$/);
  assert.equal(nonces.slice(2).some((nonce) => nonce === null || nonces.slice(0, 2).includes(nonce)), false);
});
