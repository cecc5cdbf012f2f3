import assert from "node:assert/strict";
import { test } from "node:test";
import { rotateKeys } from "../../src/commands/rotate-keys.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { HOUR } from "../../src/lib/time.ts";
import { getSigningKey, publicJwks } from "../../src/oauth/token/signing-key.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { makeSealed, MEANS, NOW } from "./fixture.ts";

test("rotateKeys() publishes new keys in addition to the old ones, which sign for another hour", {
  timeout: 60_000,
}, async () => {
  using folder = temporaryFolder();
  const places = await makeSealed(folder.path);
  const [first] = await rotateKeys(places, ["EdDSA"], MEANS);
  const [second] = await rotateKeys(places, ["EdDSA"], { ...MEANS, now: NOW + HOUR });
  assert.ok(first !== undefined && second !== undefined && first !== second);
  const { db, vault } = await openConfiguredVault(places, MEANS);
  try {
    const services = {
      vault,
      authority: createRowAuthority(vault, Date.now),
      groupCommit: createGroupCommit(db),
    };
    const kids = (await publicJwks(db, services, NOW + HOUR)).keys.map(({ kid }) => kid);
    assert.ok(kids.includes(first) && kids.includes(second));
    const signer = (now: number) => getSigningKey(db, services, { algorithm: "EdDSA", now });
    assert.equal((await signer(NOW + HOUR)).kid, first);
    assert.equal((await signer(NOW + 2 * HOUR)).kid, second);
  } finally {
    await closeDatabase(db);
  }
});
