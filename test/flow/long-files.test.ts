import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextEvent } from "node:timers/promises";
import { createTestApp } from "../support/app.ts";
import { type Answer, type Client, signUp } from "../support/client.ts";

const KEYS = 220;

/** Counts the turns of the event loop, in which other requests can run, until a response is complete. */
async function turnsUntil(response: Promise<Answer>): Promise<number> {
  let isPending = true;
  const settled = response.finally(() => isPending = false);
  let turns = 0;
  for (; isPending; turns++) await nextEvent();
  assert.equal((await settled).status, 200);
  return turns;
}

/** A file, and the least number of its parts. */
const FILES: Readonly<Record<string, readonly [fetch: (client: Client) => Promise<Answer>, parts: number]>> =
  {
    "the export of an account": [(client) => client.post("/api/auth/account/export", {}), 10],
    "the activity as CSV": [(client) => client.get("/account/audit.csv"), 2],
  };

describe("an account with many keys", () => {
  test("has files between whose parts other requests run", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, "ada@example.com");
    for (let count = 1; count < KEYS; count++) await client.post("/api/keys/generate");
    for (const [name, [fetch, parts]] of Object.entries(FILES)) {
      const turns = await turnsUntil(fetch(client));
      assert.ok(turns >= parts, `${name}: ${turns} turns`);
    }
  });
});
