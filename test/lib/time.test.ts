import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInstant, parseTimestamp, toIso } from "../../src/lib/time.ts";

test("parseInstant() reads what toIso() writes, and the same to the second", () => {
  const instant = Date.UTC(2026, 0, 31, 9, 30, 15, 250);
  assert.equal(parseInstant(toIso(instant)), instant);
  assert.equal(parseInstant("2026-01-31T09:30:15Z"), instant - 250);
});

test("parseInstant() returns undefined for anything but an instant in UTC", () => {
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

test("parseTimestamp() reads what parseInstant() reads, offsets and dates", () => {
  const instant = Date.UTC(2026, 0, 31, 9, 30, 15);
  for (
    const text of [
      "2026-01-31T09:30:15Z",
      "2026-01-31T09:30:15.000Z",
      "2026-01-31T09:30:15+00:00",
      "2026-01-31T10:30:15+01:00",
      "2026-01-31T04:00:15-05:30",
      "2026-02-01T00:15:15.000+14:45",
    ]
  ) assert.equal(parseTimestamp(text), instant, text);
  assert.equal(parseTimestamp("2026-01-31"), Date.UTC(2026, 0, 31));
  assert.equal(parseTimestamp("2028-02-29"), Date.UTC(2028, 1, 29));
});

test("parseTimestamp() returns undefined for a text that is not exactly one instant", () => {
  const vague = ["", "now", "2026", "2026-01", "2026-01-31T09:30Z", "2026-01-31T09:30:15", "09:30:15Z"];
  const impossible = [
    "2026-02-30",
    "2027-02-29",
    "2026-01-31T24:00:00Z",
    "2026-01-31T09:30:15+24:00",
    "2026-01-31T09:30:15+01:60",
    "2026-01-31T09:30:15+1:00",
    "2026-01-31+01:00",
  ];
  for (const text of [...vague, ...impossible]) assert.equal(parseTimestamp(text), undefined, text);
});
