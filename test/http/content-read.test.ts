import assert from "node:assert/strict";
import { test } from "node:test";
import { listRoutes } from "../../scripts/route-list.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";

/** Guards that admit the test's session, the admin key, or nothing but a cookie of the browser's. */
const OPEN: ReadonlySet<string> = new Set([
  "admin",
  "browser",
  "form session",
  "page visitor",
  "session",
  "visitor",
]);

test("every endpoint that writes reads its request to the end first", async () => {
  await using app = await createTestApp();
  const client = app.client();
  await signUp(client, "ada@example.com");
  const rows = listRoutes().trimEnd().split("\n").map((line) => /^(\S+)\s+(\S+) \[([^\]]+)\]/.exec(line)!);
  const writing = rows.filter(([, method, , guard]) => !/GET|OPTIONS/.test(method!) && OPEN.has(guard!));
  assert.ok(writing.length > 50);
  for (const [, method, path, guard] of writing) {
    // An unread body could be cut off or have malformed chunks.
    const answer = await client.request(method!, path!.replace(/:\w+/g, "none"), {
      text: "what is this",
      headers: {
        "content-type": "text/strange",
        "sec-fetch-site": "same-origin",
        ...(guard === "admin" ? { authorization: `Bearer ${ADMIN_KEY}` } : {}),
      },
    });
    assert.equal(answer.status, 415, `${method} ${path}: ${answer.text}`);
  }
});
