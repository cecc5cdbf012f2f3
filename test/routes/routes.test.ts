import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listRoutes } from "../../scripts/route-list.ts";

const DOCUMENTATION = readFileSync(new URL("../../docs/reference/http-api.md", import.meta.url), "utf8");

test("the routes and their guards match the golden list (npm run routes shows them)", () => {
  const golden = readFileSync(new URL("../http/routes.golden.txt", import.meta.url), "utf8");
  assert.equal(listRoutes(), golden);
});

test("docs/reference/http-api.md names every route", () => {
  for (const line of listRoutes().trimEnd().split("\n")) {
    const [, method, path] = /^(\S+)\s+(\S+)/.exec(line)!;
    assert.ok(DOCUMENTATION.includes(`\`${path}\``), `${method} ${path} is documented`);
  }
});
