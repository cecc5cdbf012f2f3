import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { readConfig, readServingConfig } from "../../src/config/config.ts";
import { isOnThisMachine, readPostgresAddress, showAddress } from "../../src/lib/postgres-address.ts";

const NOTHING = { password: undefined, passwordFile: undefined };

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readServingConfig(environment);
    return [];
  } catch (error) {
    return (error as { readonly faults: readonly string[] }).faults;
  }
}

const PRODUCTION = {
  BASE_URL: "https://keys.example.com",
  TEE: "tdx",
  TEE_SEALING_KEY_FILE: "/key",
  ADMIN_API_KEY: "k".repeat(32),
  SMTP_URL: "smtp://u:p@mail.example.com:587",
  MAIL_FROM: "Keys <keys@example.com>",
};

describe("readPostgresAddress()", () => {
  test("accepts a host, and verifies TLS for another machine", () => {
    const address = readPostgresAddress("postgres://ada:s%40me@db.example.com/keys", NOTHING);
    const { host, port, user, database, tls, password } = address;
    assert.deepEqual([host, port, user, database, tls], [
      "db.example.com",
      5432,
      "ada",
      "keys",
      "verify-full",
    ]);
    assert.equal(password?.reveal(), "s@me");
  });

  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    test(`uses no TLS for ${host}`, () => {
      const address = readPostgresAddress(`postgresql://ada@${host}:6000/keys`, NOTHING);
      assert.deepEqual([address.tls, isOnThisMachine(address)], ["disable", true]);
    });
  }

  for (const host of ["db.localhost", "127.0.0.256", "127.1.example"]) {
    test(`treats ${host} as another machine, because a name server resolves it`, () => {
      const address = readPostgresAddress(`postgres://ada@${host}/keys`, NOTHING);
      assert.deepEqual([address.tls, isOnThisMachine(address)], ["verify-full", false]);
    });
  }

  test("accepts the folder of a Unix socket", () => {
    const address = readPostgresAddress("postgres:///keys?host=/run/postgresql&user=ada", NOTHING);
    assert.deepEqual([address.host, address.user, address.tls], ["/run/postgresql", "ada", "disable"]);
  });

  test("uses the URL's password, or else that of the environment", () => {
    const given = { password: "theirs", passwordFile: "/run/pass" };
    assert.equal(readPostgresAddress("postgres://ada@h/d", given).password?.reveal(), "theirs");
    assert.equal(readPostgresAddress("postgres://ada:mine@h/d", given).password?.reveal(), "mine");
    assert.equal(readPostgresAddress("postgres://ada@h/d", given).passwordFile, "/run/pass");
  });

  test("treats an empty password, in the URL or the environment, as none", () => {
    const given = { password: "theirs", passwordFile: "/run/pass" };
    assert.equal(readPostgresAddress("postgres://ada:@h/d", given).password?.reveal(), "theirs");
    assert.equal(readPostgresAddress("postgres://ada:@h/d", { ...given, password: "" }).password, undefined);
  });

  for (
    const [what, url] of Object.entries({
      "no user": "postgres://h/d",
      "no database": "postgres://ada@h",
      "an unknown parameter": "postgres://ada@h/d?options=-csearch_path",
      "a parameter twice": "postgres://ada@h/d?sslmode=require&sslmode=disable",
      "an sslmode that verifies nothing": "postgres://ada@h/d?sslmode=prefer",
      "a pool of size 0": "postgres://ada@h/d?pool_size=0",
      "port 0": "postgres://ada@h:0/d",
      "two hosts": "postgres://ada@h/d?host=/run",
    })
  ) {
    test(`refuses ${what}, and does not echo it`, () => {
      const [fault, ...more] = faultsOf({ DATABASE_URL: url });
      assert.match(fault!, /^DATABASE_URL (?:must|has|may)/);
      assert.deepEqual(more, []);
      assert.ok(!fault!.includes("ada"));
    });
  }

  test("never prints the password", () => {
    const config = readConfig({ DATABASE_URL: "postgres://ada:tops3cret@h/d" });
    assert.equal(config.databasePath, "postgres://h:5432/d");
    for (
      const text of [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), String(config)]
    ) {
      assert.ok(!text.includes("tops3cret"));
    }
    assert.equal(showAddress(config.postgres!), config.databasePath);
  });
});

describe("production", () => {
  for (const mode of ["disable", "require"]) {
    test(`refuses sslmode=${mode} to another machine`, () => {
      const DATABASE_URL = `postgres://ada@db.example.com/keys?sslmode=${mode}`;
      const faults = faultsOf({ ...PRODUCTION, DATABASE_URL });
      assert.ok(faults.some((fault) => fault.includes("verify-full")), faults.join("\n"));
    });
  }

  test("accepts verified TLS to another machine, and no TLS on this machine", () => {
    for (const url of ["postgres://ada@db.example.com/keys", "postgres://ada@127.0.0.1/keys"]) {
      assert.ok(
        !faultsOf({ ...PRODUCTION, DATABASE_URL: url }).some((fault) => fault.includes("DATABASE_URL")),
      );
    }
  });
});
