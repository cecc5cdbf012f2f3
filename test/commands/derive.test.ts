import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { deriveAddresses } from "../../src/commands/derive.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  addAccount,
  addressesAfterStart,
  contents,
  makeKey,
  makeSealed,
  MEANS,
  placesIn,
  useKey,
} from "./fixture.ts";

const FIRST = { accountId: "acct_1", index: 0, count: 1 };

describe("deriveAddresses()", () => {
  test("returns the addresses of the keys in the database, and of later ones", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const known = await addressesAfterStart(places);
    const derived = await deriveAddresses(places, { ...FIRST, count: 3 }, MEANS);
    assert.ok(derived.isKnownAccount);
    assert.deepEqual(derived.addresses.map(({ index }) => index), [0, 1, 2]);
    const addresses = derived.addresses.map(({ address }) => address);
    assert.deepEqual(addresses.slice(0, 2), known);
    assert.match(addresses[2]!, /^0x[0-9a-fA-F]{40}$/);
    assert.equal(new Set(addresses).size, 3);
    const [last] = (await deriveAddresses(places, { ...FIRST, index: 2 }, MEANS)).addresses;
    assert.equal(last?.address, addresses[2]);
  });

  test("returns the highest index, and reports an unknown account", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const request = { accountId: "acct_never", index: 0xffff_ffff, count: 1 };
    const derived = await deriveAddresses(places, request, MEANS);
    assert.equal(derived.isKnownAccount, false);
    assert.equal(derived.addresses.length, 1);
  });

  test("changes no byte, also while a service has the database open", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const closed = contents(folder.path);
    await deriveAddresses(places, FIRST, MEANS);
    assert.deepEqual(contents(folder.path), closed);
    const running = await openConfiguredVault(places, MEANS);
    await addAccount(running, "acct_2", 1);
    const open = contents(folder.path);
    assert.ok((await deriveAddresses(places, { ...FIRST, accountId: "acct_2" }, MEANS)).isKnownAccount);
    assert.deepEqual(contents(folder.path), open);
    await closeDatabase(running.db);
  });

  test("refuses another key, no key and no database, and creates none", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    useKey(places, makeKey(join(folder.path, "other")));
    const before = contents(folder.path);
    await assert.rejects(deriveAddresses(places, FIRST, MEANS), /is not the one that sealed/);
    assert.deepEqual(contents(folder.path), before);
    useKey(places, undefined);
    await assert.rejects(deriveAddresses(places, FIRST, MEANS), /simulated-sealing-key is missing/);
    using empty = temporaryFolder();
    const nowhere = placesIn(empty.path);
    await assert.rejects(deriveAddresses(nowhere, FIRST, MEANS), /There is no database/);
    assert.deepEqual(contents(empty.path), {});
  });

  test("returns index and address only", async () => {
    using folder = temporaryFolder();
    const places = await makeSealed(folder.path);
    const derived = await deriveAddresses(places, FIRST, MEANS);
    assert.deepEqual(Object.keys(derived.addresses[0]!).sort(), ["address", "index"]);
    assert.equal(derived.addresses[0]!.address.length, 42);
  });
});
