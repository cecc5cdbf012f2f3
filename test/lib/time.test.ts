import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInstant, toIso } from "../../src/lib/time.ts";

test("parseInstant() reads what toIso() writes, and the same to the second", () => {
  const instant = Date.UTC(2026, 0, 31, 9, 30, 15, 250);
  assert.equal(parseInstant(toIso(instant)), instant);
  assert.equal(parseInstant("2026-01-31T09:30:15Z"), instant - 250);
});

test("parseInstant() answers undefined for what is no instant in UTC", () => {
  const texts = [
    "",
    "now",
    "2026-01-31",
    "2026-01-31T09:30Z",
    "2026-01-31T09:30:15",
    "2026-01-31T09:30:15+00:00",
  ];
  const impossible = ["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-31T24:00:00Z"];
  for (const text of [...texts, ...impossible]) assert.equal(parseInstant(text), undefined, text);
});
