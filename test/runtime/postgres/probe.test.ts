import assert from "node:assert/strict";
import { test } from "node:test";
import { explainPostgres } from "../../../src/runtime/postgres/error.ts";
import { probeDisk } from "../../../src/runtime/postgres/damage.ts";

function serverError(code: string): Error {
  return Object.assign(new Error("said by the server"), { code, severity: "ERROR" });
}

test("probeDisk() writes to the log and to a table, in one transaction", async () => {
  const statements: string[] = [];
  await probeDisk((job) =>
    job(({ sql }) => {
      statements.push(sql);
      return Promise.resolve({ rows: [] });
    })
  );
  assert.deepEqual(statements.map((sql) => /pg_logical_emit_message|temporary table/.exec(sql)?.[0]), [
    "pg_logical_emit_message",
    "temporary table",
  ]);
});

test("probeDisk() throws if there is no space, and not if its role may not create a table", async () => {
  const full = serverError("53100");
  await assert.rejects(probeDisk(() => Promise.reject(full)), full);
  await probeDisk(() => Promise.reject(explainPostgres(serverError("42501"))));
});
