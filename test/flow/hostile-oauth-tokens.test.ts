import assert from "node:assert/strict";
import { describe } from "node:test";
import { hashSecret } from "../../src/accounts/session/bearer-secret.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import type { StoredCode } from "../../src/oauth/grant.ts";
import {
  assertRefused,
  CHOSEN,
  edit,
  insert,
  row,
  SOME_ID,
  testAttacks,
  tokenOf,
} from "../support/hostile-oauth.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import type { Attacks, Stage } from "../support/hostile-oauth.ts";
import { exchange, getCode, getTokens, isActive, pkcePair, refresh, userinfo } from "../support/oauth.ts";

const GRANT_ATTACKS: Attacks = {
  "the operator's grantmoved to the victim": async (stage) => {
    const { provider, operator, books } = stage;
    const tokens = await getTokens(provider, operator, books);
    await edit(stage, `update authorization_grant set account_id = '${stage.victimId}'`);
    assertInconsistent(await refresh(provider, books, tokens.refresh_token));
    assertInconsistent(await userinfo(provider, tokens.access_token));
  },
  "the victim's grantmoved to the operator's client": async (stage) => {
    const { provider, victim, books, evil } = stage;
    const tokens = await getTokens(provider, victim, books);
    await edit(stage, `update authorization_grant set client_id = '${evil.clientId}'`);
    assertInconsistent(await refresh(provider, evil, tokens.refresh_token));
    await assert.rejects(isActive(provider, evil, tokens.access_token), /temporarily_unavailable/);
  },
  "two grants' ids swapped": async (stage) => {
    const { provider, victim, operator, books, victimId, operatorId } = stage;
    const own = await getTokens(provider, operator, books);
    await getTokens(provider, victim, books);
    const mine = await row(stage, "authorization_grant", `account_id = '${operatorId}'`);
    const others = await row(stage, "authorization_grant", `account_id = '${victimId}'`);
    const { account_id, scope, authenticated_at, created_at, expires_at, mac } = others as never as Tables[
      "authorization_grant"
    ];
    await stage.app.db.updateTable("authorization_grant")
      .set({ account_id, scope, authenticated_at, created_at, expires_at, mac })
      .where("id", "=", String(mine["id"])).execute();
    dropMemory(stage.app.db);
    assertRefused(await refresh(provider, books, own.refresh_token));
    const { status } = await userinfo(provider, own.access_token);
    assert.ok(status === 401 || status === 503);
  },
  "a copy of a grant under another id": async (stage) => {
    const { provider, victim, books } = stage;
    const tokens = await getTokens(provider, victim, books);
    const kept = await row(stage, "authorization_grant", `account_id = '${stage.victimId}'`);
    const grant_id = `grant_${SOME_ID}`;
    await insert(stage, "authorization_grant", { ...kept, id: grant_id });
    await edit(stage, `update refresh_token set grant_id = '${grant_id}'`);
    assertRefused(await refresh(provider, books, tokens.refresh_token));
  },
  "a later expiry of a grant and its refresh token": async (stage) => {
    const { provider, victim, books } = stage;
    const tokens = await getTokens(provider, victim, books);
    stage.app.now += 8 * 24 * 3_600_000;
    const later = stage.app.now + 1_000_000_000;
    await edit(stage, `update authorization_grant set expires_at = ${later}`);
    await edit(stage, `update refresh_token set expires_at = ${later}`);
    assertRefused(await refresh(provider, books, tokens.refresh_token));
  },
};

/** Changes a member of the code in every grant. */
async function editCode(stage: Stage, member: keyof StoredCode, value: string): Promise<void> {
  await edit(stage, `update authorization_grant set code = json_set(code, '$.${member}', '${value}')`);
}

const CODE_ATTACKS: Attacks = {
  "a code of the victim's with a secret that the operator knows": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    await editCode(stage, "secretHash", hashSecret(CHOSEN));
    assertRefused(await exchange(provider, books, { ...given, code: CHOSEN + given.code.slice(43) }));
  },
  "a code of the victim's with the operator's challenge": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    const { verifier, challenge } = pkcePair();
    await editCode(stage, "codeChallenge", challenge);
    assertRefused(await exchange(provider, books, { ...given, verifier }));
  },
  "the operator's code in the victim's grant": async (stage) => {
    const { provider, victim, operator, books } = stage;
    const own = await getCode(operator, books);
    const victims = await getCode(victim, books);
    const mine = await row(stage, "authorization_grant", `account_id = '${stage.operatorId}'`);
    await edit(stage, `update authorization_grant set code = '${String(mine["code"])}'`);
    const code = own.code.slice(0, 43) + victims.code.slice(43);
    assertRefused(await exchange(provider, books, { ...own, code }));
  },
  "a new grant of the victim's with a code that the operator knows": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    const kept = await row(stage, "authorization_grant", "true");
    const id = `grant_${SOME_ID}`;
    const code = JSON.stringify({ ...JSON.parse(String(kept["code"])), secretHash: hashSecret(CHOSEN) });
    await insert(stage, "authorization_grant", { ...kept, id, code });
    assertRefused(await exchange(provider, books, { ...given, code: tokenOf(id, stage.victimId) }));
  },
  "a used code made unused": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    await exchange(provider, books, given);
    await edit(stage, "update authorization_grant set state = 'waiting', refresh_id = null");
    assertRefused(await exchange(provider, books, given));
  },
  "an expired code with a later expiry": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    stage.app.now += 61_000;
    await edit(stage, `update authorization_grant set expires_at = ${stage.app.now + 60_000}`);
    assertRefused(await exchange(provider, books, given));
  },
  "the victim's nonce in the operator's code": async (stage) => {
    const { provider, operator, books } = stage;
    const given = await getCode(operator, books, { nonce: "the operator's" });
    await editCode(stage, "nonce", "the victim''s");
    assertRefused(await exchange(provider, books, given));
  },
};

const REFRESH_ATTACKS: Attacks = {
  "the operator's refresh token, for the victim's grant": async (stage) => {
    const { provider, victim, operator, books } = stage;
    const own = await getTokens(provider, operator, books);
    await getTokens(provider, victim, books);
    const others = await row(stage, "authorization_grant", `account_id = '${stage.victimId}'`);
    const id = `refresh_${own.refresh_token.slice(43, 69)}`;
    await edit(stage, `update refresh_token set grant_id = '${others["id"]}' where id = '${id}'`);
    assertRefused(await refresh(provider, books, own.refresh_token));
  },
  "a refresh token of the victim's with a secret that the operator knows": async (stage) => {
    const { provider, victim, books } = stage;
    await getTokens(provider, victim, books);
    await edit(stage, `update refresh_token set secret_hash = '${hashSecret(CHOSEN)}'`);
    const { id } = await row(stage, "refresh_token", "true");
    assertRefused(await refresh(provider, books, tokenOf(id, stage.victimId)));
  },
  "a new refresh token for the victim's grant": async (stage) => {
    const { provider, victim, books } = stage;
    await getTokens(provider, victim, books);
    const kept = await row(stage, "refresh_token", "true");
    const id = `refresh_${SOME_ID}`;
    await insert(stage, "refresh_token", { ...kept, id, secret_hash: hashSecret(CHOSEN) });
    assertRefused(await refresh(provider, books, tokenOf(id, stage.victimId)));
  },
  "a code's grant turned into a refresh token": async (stage) => {
    const { provider, victim, books } = stage;
    const given = await getCode(victim, books);
    const { id, code, created_at, mac } = await row(stage, "authorization_grant", "true");
    const rest = { parent_id: null, successor_id: null, spent_at: null, answer: null };
    await insert(stage, "refresh_token", {
      ...rest,
      id: String(id).replace("grant_", "refresh_"),
      secret_hash: JSON.parse(String(code)).secretHash,
      grant_id: id,
      created_at,
      expires_at: stage.app.now + 1_000_000,
      mac,
    });
    assertRefused(await refresh(provider, books, given.code));
  },
  "a used refresh token made the next one": async (stage) => {
    const { provider, victim, books } = stage;
    const { refresh_token } = await getTokens(provider, victim, books);
    await refresh(provider, books, refresh_token);
    stage.app.now += 11_000;
    const used = `refresh_${refresh_token.slice(43, 69)}`;
    await edit(stage, `update authorization_grant set refresh_id = '${used}'`);
    await edit(stage, `delete from refresh_token where id != '${used}'`);
    assertRefused(await refresh(provider, books, refresh_token));
  },
  "the sealed answer of the victim's rotation under the operator's spent token": async (stage) => {
    const { provider, victim, operator, books } = stage;
    const own = await getTokens(provider, operator, books);
    const others = await getTokens(provider, victim, books);
    await refresh(provider, books, own.refresh_token);
    await refresh(provider, books, others.refresh_token);
    const [mine, theirs] = [own, others].map((tokens) => `refresh_${tokens.refresh_token.slice(43, 69)}`);
    await edit(
      stage,
      `update refresh_token set answer = (select answer from refresh_token where parent_id = '${theirs}') where parent_id = '${mine}'`,
    );
    assertRefused(await refresh(provider, books, own.refresh_token));
  },
};

describe("an operator with full write access to the database gets nothing of others with", () => {
  testAttacks(GRANT_ATTACKS);
  testAttacks(CODE_ATTACKS);
  testAttacks(REFRESH_ATTACKS);
});
