import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DatabaseError } from "../../../src/db/error.ts";
import type { DatabaseErrorCode } from "../../../src/db/error.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { explainPostgres, isConnectionBroken } from "../../../src/runtime/postgres/error.ts";

/** Returns a server error with a translated severity. */
function serverError(code: string, severity: string): Error {
  return Object.assign(new Error("said"), { code, severity });
}

describe("explainPostgres()", () => {
  test("does not take a failed job for a fault of the server or the connection", () => {
    const errors = [{ path: "/certificate", message: "Expected a certificate" }];
    for (const message of ["Cannot register application", "read the certificate", "connect over TLS first"]) {
      const refusal = new ProtocolError("invalid_request", message, { errors });
      assert.equal(explainPostgres(refusal), undefined, message);
      assert.ok(!isConnectionBroken(refusal), message);
    }
  });

  test("reports a full disk when a table cannot grow, with any system message", () => {
    // As for an exceeded quota, which has no own SQLSTATE.
    const full = Object.assign(serverError("XX000", "ERROR"), { routine: "mdzeroextend" });
    assert.deepEqual([explainPostgres(full)?.code, isConnectionBroken(full)], ["disk_full", false]);
    const other = Object.assign(serverError("XX000", "ERROR"), { routine: "mdread" });
    assert.equal(explainPostgres(other), undefined);
  });

  const CODES: readonly (readonly [code: string, severity: string, routine: string, DatabaseErrorCode])[] = [
    ["25P04", "FATAL", "ProcessInterrupts", "connection_timeout"],
    ["42501", "ERROR", "aclcheck_error", "forbidden"],
    ["42501", "FATAL", "CheckMyDatabase", "login_refused"],
    ["55000", "FATALE", "CheckMyDatabase", "login_refused"],
    ["53400", "ERROR", "FileWrite", "busy"],
    ["0A000", "FATAL", "anything", "unreachable"],
  ];
  for (const [code, severity, routine, expected] of CODES) {
    test(`returns \`${expected}\` for ${severity} ${code} in ${routine}`, () => {
      assert.equal(explainPostgres(Object.assign(serverError(code, severity), { routine }))?.code, expected);
    });
  }

  test("reports a server that does not answer on any address of its host", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED ::1:5432"), { code: "ECONNREFUSED" });
    const error = new AggregateError([refused], "");
    assert.equal(explainPostgres(error)?.code, "unreachable");
  });
});

describe("isConnectionBroken()", () => {
  const cases: readonly (readonly [code: string, severity: string, isBroken: boolean])[] = [
    ["57P01", "FATAL", true],
    ["57P01", "FATALE", true],
    ["25P03", "ВАЖНО", true],
    ["25P04", "FATAL", true],
    ["XX000", "FATAL", true],
    ["XX000", "ERROR", false],
    ["40001", "FEHLER", false],
    ["23505", "ERROR", false],
    ["57014", "ERROR", false],
  ];
  for (const [code, severity, isBroken] of cases) {
    test(`${severity} ${code}: ${isBroken ? "the connection is lost" : "the connection stays"}`, () => {
      assert.equal(isConnectionBroken(serverError(code, severity)), isBroken);
    });
  }

  test("is true if a password is missing, and the message says so", () => {
    const error = new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string");
    assert.ok(isConnectionBroken(error));
    assert.deepEqual([explainPostgres(error)?.code, explainPostgres(error)?.message], [
      "login_refused",
      "Cannot use database: its server asks for a password, and none is given",
    ]);
  });

  test("is true if the server does not answer, and false for a fault of a job", () => {
    assert.ok(isConnectionBroken(new Error("Connection terminated unexpectedly")));
    assert.ok(isConnectionBroken(new DatabaseError("commit_unknown", "x", { cause: new Error("odd") })));
    assert.ok(!isConnectionBroken(new TypeError("x is not a function")));
  });
});
