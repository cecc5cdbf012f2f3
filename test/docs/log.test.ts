import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { LOG_EVENTS } from "../../src/lib/log-events.ts";

const SRC = new URL("../../src/", import.meta.url);

/** Returns `level name` of every call that logs an event. The compiler checks the fields. */
function listLogged(): ReadonlySet<string> {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts")
  );
  const calls = files.flatMap((name) => {
    const text = readFileSync(new URL(name, SRC), "utf8");
    return [...text.matchAll(/\blog\(\s*"(\w+)",\s*"(\w+)"/g)].map(([, level, event]) => `${level} ${event}`);
  });
  return new Set(calls);
}

describe("docs/reference/log.md", () => {
  test("has every event that the code logs, and no other", () => {
    const rows = Object.entries(LOG_EVENTS).map(([name, { level }]) => `${level} ${name}`);
    assert.deepEqual([...listLogged()].sort(), rows.sort());
    const page = readFileSync(new URL("../../docs/reference/log.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, level]) =>
      `${level} ${name}`
    );
    assert.deepEqual(documented.sort(), rows.sort());
  });
});
