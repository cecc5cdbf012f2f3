import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getClient } from "../../../src/oauth/client/client.ts";
import { changeClient } from "../../../src/oauth/client/client-administration.ts";
import type { ClientChange } from "../../../src/oauth/client/client-metadata.ts";
import { findLogoutUriFault } from "../../../src/oauth/client/logout-uri.ts";
import type { LogoutHosts } from "../../../src/oauth/client/logout-uri.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { NOW, openFixture, random, register } from "../fixture.ts";

const HOSTS: readonly LogoutHosts[] = ["public", "private", "local"];

/** Each URI with the hosts setting that permits it. */
const URIS: readonly (readonly [uri: string, allowed: readonly LogoutHosts[]])[] = [
  ["https://rp.example/bcl", HOSTS],
  ["https://rp.example:8443/bcl?tenant=1", HOSTS],
  ["https://93.184.216.34/bcl", HOSTS],
  ["https://10.0.0.7/bcl", ["private", "local"]],
  ["https://[fd00::1]/bcl", ["private", "local"]],
  ["https://169.254.169.254/latest", ["private", "local"]],
  ["https://localhost/bcl", ["private", "local"]],
  ["https://app.localhost/bcl", ["private", "local"]],
  ["https://localhost.:8443/bcl", ["private", "local"]],
  ["https://a.localhost./bcl", ["private", "local"]],
  ["https://2130706433/", []],
  ["http://localhost:4000/bcl", ["local"]],
  ["http://127.0.0.1:4000/bcl", ["local"]],
  ["http://[::1]:4000/bcl", ["local"]],
  ["http://rp.example/bcl", []],
  ["http://10.0.0.7/bcl", []],
  ["com.example.app:/bcl", []],
  ["javascript:alert(1)", []],
  ["https://user@rp.example/bcl", []],
  ["https://rp.example/bcl#there", []],
  ["https://rp.example/../bcl", []],
  ["https://rp.example/b cl", []],
  [`https://rp.example/${"a".repeat(2000)}`, []],
  ["/bcl", []],
  ["", []],
];

describe("findLogoutUriFault()", () => {
  for (const [uri, allowed] of URIS) {
    test(`findLogoutUriFault() lets ${uri.slice(0, 40)} be registered ${allowed.join(", ") || "nowhere"}`, () => {
      const found = HOSTS.filter((hosts) => findLogoutUriFault(uri, hosts) === undefined);
      assert.deepEqual(found, allowed);
    });
  }
});

describe("changeClient()", () => {
  async function stage() {
    const fixture = await openFixture();
    const { client: { clientId } } = await register(fixture);
    const { db, services } = fixture;
    const change = (change: ClientChange) =>
      transaction(db, (tx) => changeClient(tx, services, { random, clientId, change, now: NOW }));
    const logoutSettings = async () => {
      const client = await getClient(db, services.authority, clientId);
      return [client.backchannelLogoutUri, client.backchannelLogoutSessionRequired];
    };
    return { change, logoutSettings };
  }
  const uri = "https://rp.example/bcl";

  test("changeClient() keeps omitted members, and without a URI the client gets no tokens", async () => {
    const { change, logoutSettings } = await stage();
    assert.deepEqual(await logoutSettings(), [undefined, false]);
    await change({ backchannelLogoutUri: uri });
    assert.deepEqual(await logoutSettings(), [uri, false]);
    await change({ backchannelLogoutSessionRequired: true });
    assert.deepEqual(await logoutSettings(), [uri, true]);
    await change({ name: "Other" });
    assert.deepEqual(await logoutSettings(), [uri, true]);
    await change({ backchannelLogoutUri: null });
    assert.deepEqual(await logoutSettings(), [undefined, false]);
  });

  test("changeClient() names the member to correct", async () => {
    const { change, logoutSettings } = await stage();
    const wrong: readonly (readonly [ClientChange, string])[] = [
      [{ backchannelLogoutUri: "https://10.0.0.7/" }, "/backchannelLogoutUri"],
      [{ backchannelLogoutUri: "http://localhost/" }, "/backchannelLogoutUri"],
      [{ backchannelLogoutSessionRequired: true }, "/backchannelLogoutSessionRequired"],
    ];
    for (const [what, path] of wrong) {
      await assert.rejects(change(what), (error) => {
        assert.ok(error instanceof ProtocolError);
        assert.deepEqual(error.errors?.map((fault) => fault.path), [path]);
        return true;
      });
    }
    assert.deepEqual(await logoutSettings(), [undefined, false]);
  });
});
