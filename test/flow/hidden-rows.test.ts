import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { transaction } from "../../src/db/transaction.ts";
import { registerClient as registerWithId } from "../../src/oauth/client/client-administration.ts";
import { onStage } from "../support/editor-stage.ts";
import type { Stage } from "../support/editor-stage.ts";
import { assertInconsistent } from "../support/inconsistent.ts";
import { administer, authorizePath, callAs, getTokens, pkcePair } from "../support/oauth.ts";
import { providerOf, refresh, registerClient, userinfo } from "../support/oauth.ts";

/** Registers a client under a given id, as a file of clients does, with the settings of `registerClient`. */
async function declareAgain({ app, db }: Stage, clientId: string, clientSecret: string): Promise<void> {
  const { vault } = app;
  const authority = createRowAuthority(vault, () => app.now);
  const metadata = {
    name: "Books",
    uri: "https://books.example",
    type: "web",
    redirectUris: ["https://books.example/cb"],
  } as const;
  await transaction(db, (tx) =>
    registerWithId(tx, { vault, authority, logoutHosts: "public" }, {
      metadata,
      clientSecret,
      declaredId: clientId,
      now: app.now,
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    }));
}

describe("a row hidden from the act that ends it gives nothing when it is shown again:", () => {
  test("grants and consents of a deleted application, after its id is declared again", () =>
    onStage(async (stage) => {
      const { app, owner, hide } = stage;
      const application = await registerClient(providerOf(app));
      const tokens = await getTokens(providerOf(app), owner, application);
      app.now += 1000;
      await hide(["authorization_grant", "consent"], async () => {
        const deleted = await administer(providerOf(app), "DELETE", `/${application.clientId}`);
        assert.equal(deleted.status, 200, deleted.text);
        await declareAgain(stage, application.clientId, application.clientSecret!);
      });
      assert.equal((await userinfo(providerOf(app), tokens.access_token)).status, 401);
      const refreshed = await refresh(providerOf(app), application, tokens.refresh_token!);
      assert.equal(refreshed.body.error, "invalid_grant");
      const asked = await owner.get(authorizePath(application, pkcePair()));
      assert.equal(asked.status, 303, asked.text);
      assert.match(asked.headers.get("location")!, /consent/);
      assert.deepEqual((await owner.get("/api/auth/grants")).body.grants, []);
    }));

  test("a session, at a process that has not read it, from the sign-out", () =>
    onStage(async ({ owner, elsewhere, hide }) => {
      const signedOut = await hide(["session"], () => elsewhere(owner).post("/api/auth/sign-out"));
      assertInconsistent(signedOut);
      assert.equal((await owner.post("/api/auth/sign-out")).status, 204);
      assert.equal((await elsewhere(owner).get("/api/keys")).status, 401);
    }));

  for (const table of ["authorization_grant", "refresh_token"] as const) {
    for (const presented of ["refresh_token", "access_token"] as const) {
      if (table === "refresh_token" && presented === "access_token") continue;
      test(`a row of ${table}, at a process that has not read it, from the revocation of its ${presented}`, () =>
        onStage(async ({ app, owner, other, hide }) => {
          const application = await registerClient(providerOf(app));
          const tokens = await getTokens(providerOf(app), owner, application);
          const revoke = () =>
            callAs(providerOf(other), application, "/api/auth/oauth2/revoke", { token: tokens[presented]! });
          assertInconsistent(await hide([table], revoke));
          assert.equal((await revoke()).status, 200);
          assert.equal((await userinfo(providerOf(other), tokens.access_token)).status, 401);
        }));
    }
  }
});
