import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const RUNTIME = builtRuntime();
const ADMIN_API_KEY = "k".repeat(32);
const BOOKS = {
  clientId: "0".repeat(26),
  name: "Books",
  uri: "https://books.example/",
  type: "web",
  redirectUris: ["https://books.example/cb"],
  clientSecretFile: "secret",
};

async function clientsOf({ baseUrl }: Service) {
  const headers = { authorization: `Bearer ${ADMIN_API_KEY}` };
  const answer = await fetch(`${baseUrl}/api/admin/oauth/clients`, { headers });
  const { clients } = await answer.json();
  return clients.map(({ clientId, name, declared, disabled, updatedAt }: Record<string, unknown>) => ({
    clientId,
    name,
    declared,
    disabled,
    updatedAt,
  }));
}

describe("serve() with CLIENTS_FILE", () => {
  test(
    "two starts at once register one client, a restart none, and it stays without the file",
    { timeout: 120_000 },
    async () => {
      using folder = temporaryFolder();
      const file = join(folder.path, "clients.json");
      const dataDir = join(folder.path, "data");
      writeFileSync(join(folder.path, "secret"), "s".repeat(32), { mode: 0o600 });
      const start = (env: Record<string, string>) =>
        startService({ runtime: RUNTIME, dataDir, env: { ADMIN_API_KEY, ...env } });
      {
        await using first = await start({});
        assert.deepEqual(await clientsOf(first), []);
        await first.stop();
      }
      writeFileSync(file, JSON.stringify([BOOKS]));
      const together = await Promise.all([start({ CLIENTS_FILE: file }), start({ CLIENTS_FILE: file })]);
      const [made] = await clientsOf(together[0]!);
      assert.deepEqual({ ...made, updatedAt: "" }, {
        clientId: BOOKS.clientId,
        name: "Books",
        declared: true,
        disabled: false,
        updatedAt: "",
      });
      for (const service of together) {
        assert.deepEqual(await clientsOf(service), [made]);
        assert.equal((await service.stop()).code, 0);
      }
      {
        await using again = await start({ CLIENTS_FILE: file });
        assert.deepEqual(await clientsOf(again), [made]);
        await again.stop();
      }
      writeFileSync(file, JSON.stringify([{ ...BOOKS, name: "Tomes" }, { ...BOOKS, redirectUris: [] }]));
      const refused = await start({ CLIENTS_FILE: file }).then(
        () => assert.fail("it started"),
        (error) => error,
      );
      assert.ok(refused instanceof ServiceStartError, String(refused));
      assert.deepEqual([refused.exit.code, refused.stderr.filter((line) => line.startsWith("holdfast:"))], [
        2,
        [
          "holdfast: CLIENTS_FILE: /1/clientId: Expected each client once",
          "holdfast: CLIENTS_FILE: /1/redirectUris: Expected at least one URI",
        ],
      ]);
      const spa = { ...BOOKS, type: "spa" };
      const { clientSecretFile: _, ...publicOne } = spa;
      writeFileSync(file, JSON.stringify([publicOne]));
      const other = await start({ CLIENTS_FILE: file }).then(
        () => assert.fail("it started"),
        (error) => error,
      );
      assert.ok(other instanceof ServiceStartError, String(other));
      assert.deepEqual([other.exit.code, other.stderr.filter((line) => line.startsWith("holdfast:"))], [2, [
        `holdfast: CLIENTS_FILE: client ${BOOKS.clientId} is of type web, which does not change: declare another under a new clientId`,
      ]]);
      await using without = await start({});
      const [left] = await clientsOf(without);
      assert.deepEqual({ ...left, updatedAt: made.updatedAt }, { ...made, declared: false });
      await without.stop();
    },
  );
});
