import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { closeDatabase } from "../../src/db/database.ts";
import { signIn } from "../support/client.ts";
import { setStage } from "../support/lying-stage.ts";
import type { Stage } from "../support/lying-stage.ts";
import { exchange, providerOf, refresh } from "../support/oauth.ts";

/** Acts, each with the write that it depends on. */
const ACTS: Readonly<
  Record<
    string,
    readonly [
      write: string,
      act: (stage: Stage) => Promise<{ readonly status: number; readonly text: string }>,
    ]
  >
> = {
  "signing out": ["delete on session", ({ operator }) => operator.post("/api/auth/sign-out")],
  "ending the other sessions": [
    "delete on session",
    async ({ operator }) => {
      const browser = operator.cookies.get("service.session_token")!;
      operator.cookies.delete("service.session_token");
      await signIn(operator);
      assert.notEqual(operator.cookies.get("service.session_token"), browser);
      return await operator.post("/api/auth/sessions/revoke-others");
    },
  ],
  "archiving a key": [
    "update on ethereum_key",
    ({ operator, operatorKey }) => operator.post(`/api/keys/${operatorKey.id}/archive`),
  ],
  "making a key deny blind signing": [
    "update on ethereum_key",
    ({ operator, operatorKey }) =>
      operator.request("PATCH", `/api/keys/${operatorKey.id}`, { body: { blindSigning: "deny" } }),
  ],
  "making a key": ["insert on ethereum_key", ({ operator }) => operator.post("/api/keys/generate", {})],
  "redeeming a code": [
    "update on authorization_grant",
    ({ app, application, operatorCode }) => exchange(providerOf(app), application, operatorCode),
  ],
  "spending a refresh token": [
    "update on authorization_grant",
    ({ app, application, operatorTokens }) =>
      refresh(providerOf(app), application, operatorTokens.refresh_token),
  ],
  "asking for a challenge": [
    "insert on challenge",
    ({ operator }) => operator.post("/api/auth/passkey/authentication/options", {}),
  ],
};

describe("a database that ignores writes", () => {
  for (const [what, [write, act]] of Object.entries(ACTS)) {
    test(`${what}, with a trigger that ignores each ${write}: the answer is 503`, async () => {
      const stage = await setStage();
      await sql.raw(`create trigger lie before ${write} begin select raise(ignore); end`).execute(
        stage.app.db,
      );
      const answer = await act(stage);
      assert.equal(answer.status, 503, answer.text);
      assert.ok(stage.app.logged.some((line) => line.includes("not_written")), "The log says why");
      await closeDatabase(stage.app.db);
    });
  }
});
