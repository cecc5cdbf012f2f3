import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv } from "../../../src/features/activity/activity.ts";

test("toCsv() quotes every field, doubles quotes within it, and ends each line with CRLF (RFC 4180 section 2)", () => {
  assert.equal(toCsv([["a", 'say "b", c'], ["two\nlines", ""]]), '"a","say ""b"", c"\r\n"two\nlines",""\r\n');
});

test("toCsv() has no field that a spreadsheet evaluates as a formula", () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r"]) {
    assert.equal(toCsv([[`${start}1+1`]]), `"'${start}1+1"\r\n`);
  }
});
