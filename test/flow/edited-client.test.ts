import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextEvent } from "node:timers/promises";
import type { Tables } from "../../src/db/schema/schema.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import { onStage, restoreRow } from "../support/editor-stage.ts";
import type { Stage } from "../support/editor-stage.ts";
import { administer, authorizePath, getTokens, pkcePair } from "../support/oauth.ts";
import { providerOf, refresh, registerClient, userinfo } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";

type Row = Tables["client"];

async function rowOf({ db }: Stage, { clientId }: Registered): Promise<Row> {
  return await db.selectFrom("client").selectAll().where("id", "=", clientId).executeTakeFirstOrThrow();
}

/** Edits of one application's row by an attacker with database access. */
const EDITS: Readonly<Record<string, (stage: Stage, client: Registered) => Promise<void>>> = {
  "edited": async ({ db }, { clientId }) => {
    await db.updateTable("client").set({ name: "Other" }).where("id", "=", clientId).execute();
  },
  "hidden": async ({ db }, { clientId }) => {
    await db.deleteFrom("client").where("id", "=", clientId).execute();
  },
  "an older one": async (stage, client) => {
    const before = await rowOf(stage, client);
    const body = { redirectUris: [...client.redirectUris, "https://books.example/other"] };
    const changed = await administer(providerOf(stage.app), "PATCH", `/${client.clientId}`, body);
    assert.equal(changed.status, 200, changed.text);
    await restoreRow(stage.db, "client", before);
  },
  "there again after its deletion": async (stage, client) => {
    const before = await rowOf(stage, client);
    const deleted = await administer(providerOf(stage.app), "DELETE", `/${client.clientId}`);
    assert.equal(deleted.status, 200, deleted.text);
    await restoreRow(stage.db, "client", before);
  },
};

test("an owner signs out of an application whose row is edited, which is not notified", () =>
  onStage(async (stage) => {
    const { app, db, owner } = stage;
    const client = await registerClient(providerOf(app), {
      backchannelLogoutUri: "https://books.example/out",
    });
    const { access_token: token } = await getTokens(providerOf(app), owner, client);
    await EDITS["edited"]!(stage, client);
    await nextEvent();
    dropMemory(db);
    assertInconsistent(await userinfo(providerOf(app), token));
    assert.equal((await owner.post("/api/auth/sessions/revoke-all")).status, 200);
    assert.deepEqual(await db.selectFrom("logout_notice").selectAll().execute(), []);
  }));

describe("an application is refused, and no other, while its row is", () => {
  for (const [what, edit] of Object.entries(EDITS)) {
    test(what, () =>
      onStage(async (stage) => {
        const { app, other, owner, elsewhere, db } = stage;
        const provider = providerOf(app);
        const [attacked, sound] = [await registerClient(provider), await registerClient(provider)];
        const tokens = await getTokens(provider, owner, sound);
        await edit(stage, attacked);
        await nextEvent();
        dropMemory(db);
        const browser = elsewhere(owner);
        for (const each of [provider, providerOf(other)]) {
          assertInconsistent(await refresh(each, attacked, tokens.refresh_token));
          assert.equal((await userinfo(each, tokens.access_token)).status, 200);
        }
        const asked = await browser.get(authorizePath(sound, pkcePair()));
        assert.ok(asked.status < 400, asked.text);
        const listed = await administer(providerOf(other), "GET", "");
        assert.deepEqual(listed.body.clients.map(({ clientId }: Registered) => clientId), [sound.clientId]);
        assert.equal((await refresh(provider, sound, tokens.refresh_token)).status, 200);
        await registerClient(provider);
      }));
  }
});
