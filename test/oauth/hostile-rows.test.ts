import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { hashSecret } from "../../src/accounts/session/bearer-secret.ts";
import { HOUR } from "../../src/lib/time.ts";
import { readUserInfo } from "../../src/oauth/token/userinfo.ts";
import { isInconsistent } from "../support/state.ts";
import { afterStart, NOW, oauthError, register, signInPerson } from "./fixture.ts";
import {
  ask,
  authorizeFully,
  decide,
  getCode,
  getTokens,
  goOn,
  openStory,
  redeem,
  refreshWith,
  sentToken,
} from "./story.ts";
import type { Story } from "./story.ts";

const PAGE = oauthError("invalid_request", "page");
const INVALID_GRANT = oauthError("invalid_grant");

async function edit({ db }: Story, statement: string): Promise<void> {
  const { numAffectedRows } = await sql.raw(statement).execute(db);
  assert.notEqual(numAffectedRows, 0n, `the edit changes something: ${statement}`);
}

/** Edits of rows by an attacker with database access. None may have an effect. */
describe("an edited authorization request counts as absent", () => {
  const EDITS = [
    "redirect_uri = 'https://books.example/other?a=1'",
    "code_challenge = 'A'",
    "state = 'other'",
    "nonce = 'other'",
    "scope = 'openid email'",
    "prompt = ''",
    "max_age = null",
    "hinted_account_id = null",
    "browser_hash = 'evil'",
    "session_id = 'session_evil'",
    `expires_at = ${NOW + 9 * HOUR}`,
    "created_at = created_at - 1",
  ];
  for (const change of EDITS) {
    test(change.split(" ")[0]!, async () => {
      await using story = await openStory();
      const { id_token } = await getTokens(story);
      const step = await ask(story, { prompt: "consent", max_age: "100", id_token_hint: id_token });
      const { requestId } = step as { requestId: string };
      await edit(story, `update authorization_request set ${change}`);
      const browserHash = change.startsWith("browser") ? "evil" : undefined;
      const asking = browserHash === undefined ? {} : { browserHash };
      await assert.rejects(decide(story, requestId, "approve", asking), PAGE);
      await assert.rejects(goOn(story, requestId, asking), PAGE);
      assert.equal(story.rejected[0]?.kind, "authorization_request");
    });
  }
});

describe("an edited consent is not used", () => {
  test("given by another account, to another client, for another host or scope", async () => {
    await using story = await openStory({
      redirectUris: ["https://books.example/cb", "https://other.example/cb"],
    });
    const bob = await signInPerson(story, "bob@example.com");
    const other = { ...story, ...await register(story) };
    await authorizeFully(story);
    const isRefusedAfterStart = async (): Promise<void> => {
      assert.equal((await ask(story)).kind, "redirect", "the process has the consent in memory");
      await assert.rejects(ask(afterStart(story)), isInconsistent);
    };
    await edit(story, `update consent set account_id = '${bob.account.id}'`);
    for (const each of [story, afterStart(story)]) {
      assert.equal((await ask(each, {}, { signedIn: bob })).kind, "consent");
    }
    await isRefusedAfterStart();
    await edit(
      story,
      `update consent set account_id = '${story.signedIn.account.id}', client_id = '${other.client.clientId}'`,
    );
    assert.equal((await ask(other)).kind, "consent");
    await assert.rejects(ask(afterStart(other)), isInconsistent);
    await isRefusedAfterStart();
    const elsewhere = { redirect_uri: "https://other.example/cb" };
    await edit(
      story,
      `update consent set client_id = '${story.client.clientId}', redirect_target = 'https://other.example'`,
    );
    assert.equal((await ask(story, elsewhere)).kind, "consent");
    await assert.rejects(ask(afterStart(story), elsewhere), isInconsistent);
    await isRefusedAfterStart();
    await edit(story, "update consent set redirect_target = 'https://books.example', scope = 'email openid'");
    await isRefusedAfterStart();
    await edit(story, "update consent set scope = 'openid'");
    assert.equal((await ask(afterStart(story))).kind, "redirect");
  });
});

describe("a code of an edited grant is not used", () => {
  const EDITS = [
    ["secretHash", hashSecret("A".repeat(43))],
    ["redirectUri", "https://books.example/other?a=1"],
    ["codeChallenge", "A"],
    ["nonce", "other"],
  ] as const;
  for (const [member, value] of EDITS) {
    test(member, async () => {
      await using story = await openStory();
      const code = await getCode(story);
      await edit(story, `update authorization_grant set code = json_set(code, '$.${member}', '${value}')`);
      const presented = member === "secretHash" ? "A".repeat(43) + code.slice(43) : code;
      await assert.rejects(redeem(afterStart(story), presented), isInconsistent);
      assert.equal(story.rejected[0]?.kind, "authorization_grant");
    });
  }

  for (
    const change of [
      `expires_at = ${NOW + HOUR}`,
      "created_at = created_at - 1",
      "session_id = 'session_0'",
      "session_id = null",
      "code = null",
    ]
  ) {
    test(change, async () => {
      await using story = await openStory();
      const code = await getCode(story);
      await edit(story, `update authorization_grant set ${change}`);
      await assert.rejects(redeem(afterStart(story), code), isInconsistent);
    });
  }

  test("state, so that a used one is not redeemed again", async () => {
    await using story = await openStory();
    const code = await getCode(story);
    await redeem(story, code);
    await edit(story, "update authorization_grant set state = 'waiting', refresh_id = null");
    await assert.rejects(redeem(afterStart(story), code), isInconsistent);
  });
});

describe("an edited grant is not used", () => {
  const EDITS = ["account_id", "client_id", "scope", "state", "authenticated_at", "created_at", "expires_at"];
  for (const column of EDITS) {
    test(column, async () => {
      await using story = await openStory();
      const { access_token, refresh_token } = await getTokens(story);
      const bob = await signInPerson(story, "bob@example.com");
      const other = { ...story, ...await register(story, { type: "spa" }) };
      const value = column === "account_id"
        ? `'${bob.account.id}'`
        : column === "client_id"
        ? `'${other.client.clientId}'`
        : column === "scope"
        ? "'openid email'"
        : column === "state"
        ? "'waiting'"
        : `${column} + 1`;
      await edit(story, `update authorization_grant set ${column} = ${value}`);
      for (const by of [story, other]) {
        const refresh = refreshWith(afterStart(story), refresh_token, NOW, {}, by);
        await assert.rejects(refresh, isInconsistent);
      }
      const info = ({ db, services }: Story) =>
        readUserInfo(db, services, { sent: sentToken(access_token), now: NOW });
      await assert.rejects(info(afterStart(story)), isInconsistent);
      // A row of another account is not read.
      if (column !== "account_id") assert.equal(story.rejected[0]?.kind, "authorization_grant");
      await assert.rejects(refreshWith(story, refresh_token, NOW, {}, other), INVALID_GRANT);
      assert.equal((await info(story))["sub"], story.signedIn.account.id, "from memory");
    });
  }
});

describe("an edited refresh token is not used", () => {
  const EDITS = [
    `secret_hash = '${hashSecret("A".repeat(43))}'`,
    `expires_at = expires_at + 1`,
    "created_at = created_at - 1",
    "parent_id = 'refresh_x'",
    "successor_id = 'refresh_x'",
    `spent_at = ${NOW}`,
    "grant_id = 'grant_x'",
  ];
  for (const change of EDITS) {
    test(change.split(" ")[0]!, async () => {
      await using story = await openStory();
      const { refresh_token } = await getTokens(story);
      await edit(
        story,
        "insert into authorization_grant select 'grant_x', account_id, client_id, scope, state, 0, 5, expires_at, mac, jkt, keys, policy, ends_at, sid, refresh_id, resource, claims, wallets, session_id, code from authorization_grant",
      );
      await edit(story, `update refresh_token set ${change}`);
      const presented = change.startsWith("secret")
        ? "A".repeat(43) + refresh_token.slice(43)
        : refresh_token;
      // The grant names it as the next one.
      await assert.rejects(refreshWith(story, presented), isInconsistent);
      assert.equal(story.rejected[0]?.kind, "refresh_token");
    });
  }

  test("the grant's next token, so that a used one is not used again", async () => {
    await using story = await openStory();
    const { refresh_token } = await getTokens(story);
    await refreshWith(story, refresh_token);
    const used = `refresh_${refresh_token.slice(43, 69)}`;
    await edit(story, `update authorization_grant set refresh_id = '${used}'`);
    await assert.rejects(refreshWith(afterStart(story), refresh_token), isInconsistent);
  });

  test("the parent of a new token, which a retry then does not get", async () => {
    await using story = await openStory();
    const { refresh_token } = await getTokens(story);
    await refreshWith(story, refresh_token);
    await edit(story, "update refresh_token set parent_id = 'refresh_x' where parent_id is not null");
    await assert.rejects(refreshWith(story, refresh_token), isInconsistent);
  });

  test("answer, and a retry that reads it ends the grant", async () => {
    await using story = await openStory();
    const [mine, other] = [await getTokens(story), await getTokens(story)];
    await refreshWith(story, mine.refresh_token);
    await refreshWith(story, other.refresh_token);
    const used = `'refresh_${mine.refresh_token.slice(43, 69)}'`;
    await edit(
      story,
      `update refresh_token set answer = (select answer from refresh_token where parent_id <> ${used})
      where parent_id = ${used}`,
    );
    await assert.rejects(refreshWith(story, mine.refresh_token), INVALID_GRANT);
  });

  test("answer, restored after it was erased", async () => {
    await using story = await openStory();
    const { refresh_token } = await getTokens(story);
    const next = await refreshWith(story, refresh_token);
    const [kept] = await story.db.selectFrom("refresh_token").select(["id", "answer"]).where(
      "answer",
      "is not",
      null,
    ).execute();
    await refreshWith(story, next.refresh_token);
    await story.db.updateTable("refresh_token").set({ answer: kept!.answer }).where("id", "=", kept!.id)
      .execute();
    await assert.rejects(refreshWith(story, refresh_token), INVALID_GRANT);
  });
});
