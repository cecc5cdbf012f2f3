import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError, readConfig, readSecrets } from "../../src/config/config.ts";

const OPENID = {
  id: "company",
  name: "Company",
  issuer: "https://id.example/realms/a",
  clientId: "client",
  clientSecret: "a client secret",
};
const GITHUB = { id: "github", clientId: "client", clientSecret: "a client secret" };

/** Returns the faults of a value. Values other than strings are sent as JSON. */
function faultsOf(value: unknown): readonly string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  try {
    readConfig({ IDENTITY_PROVIDERS: text });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.throws(() => readSecrets({ IDENTITY_PROVIDERS: text }), ConfigError);
    return error.faults;
  }
}

describe("IDENTITY_PROVIDERS", () => {
  test("is none when unset or empty", () => {
    for (const environment of [{}, { IDENTITY_PROVIDERS: "" }, { IDENTITY_PROVIDERS: "[]" }]) {
      assert.deepEqual(readConfig(environment).identityProviders, []);
      assert.deepEqual(readSecrets(environment).identityProviders, []);
    }
  });

  test("puts the client secrets into Secrets only", () => {
    const environment = { IDENTITY_PROVIDERS: JSON.stringify([OPENID, GITHUB]) };
    const { identityProviders } = readSecrets(environment);
    assert.deepEqual(identityProviders, [
      { kind: "openid", ...OPENID, scopes: "openid email profile" },
      { kind: "github", name: "GitHub", ...GITHUB },
    ]);
    const config = readConfig(environment);
    assert.ok(!JSON.stringify(config).includes("a client secret"));
    assert.deepEqual(config.identityProviders.map(({ id }) => id), ["company", "github"]);
  });

  for (
    const change of [
      { issuer: "https://id.example" },
      { issuer: "https://id.example/" },
      { issuer: "https://id.example:8443/a/" },
      { issuer: "http://localhost:9000" },
      { issuer: "http://127.0.0.1:9000/realms/a" },
      { issuer: "http://[::1]:9000" },
      { scopes: "openid" },
      { network: "private" },
      { scopes: "email openid" },
      { id: "a" },
      { id: "github" },
    ]
  ) {
    test(`accepts ${JSON.stringify(change)}`, () =>
      assert.deepEqual(faultsOf([{ ...OPENID, ...change }]), []));
  }

  for (
    const value of ["x", "{", "{}", "null", '"github"', "[1]", "[null]", "[[]]", new Array(21).fill(GITHUB)]
  ) {
    test(`refuses anything but a list of at most 20 objects: ${JSON.stringify(value).slice(0, 20)}`, () => {
      assert.deepEqual(faultsOf(value), ["IDENTITY_PROVIDERS must be a JSON array of at most 20 objects"]);
    });
  }

  const REFUSED: readonly (readonly [change: Record<string, unknown>, fault: RegExp])[] = [
    [{ id: undefined }, /^IDENTITY_PROVIDERS\[0\]\.id must be 1 to 32/],
    [{ id: "Company" }, /\.id must/],
    [{ id: "a/b" }, /\.id must/],
    [{ id: "-a" }, /\.id must/],
    [{ id: "a".repeat(33) }, /\.id must/],
    [{ id: 1 }, /\.id must/],
    [{ name: "" }, /\.name must/],
    [{ name: " Company" }, /\.name must/],
    [{ name: "Com\npany" }, /\.name must/],
    [{ name: "x".repeat(41) }, /\.name must/],
    [{ name: undefined }, /\.name must/],
    [{ issuer: undefined }, /\.issuer must/],
    [{ issuer: "id.example" }, /\.issuer must/],
    [{ issuer: "http://id.example" }, /\.issuer must/],
    [{ issuer: "http://192.168.0.1" }, /\.issuer must/],
    [{ issuer: "ftp://id.example" }, /\.issuer must/],
    [{ issuer: "https://id.example?a=b" }, /\.issuer must/],
    [{ issuer: "https://id.example?" }, /\.issuer must/],
    [{ issuer: "https://id.example#a" }, /\.issuer must/],
    [{ issuer: "https://id.example/#" }, /\.issuer must/],
    [{ issuer: "https://a:b@id.example" }, /\.issuer must/],
    [{ issuer: "https://ID.example" }, /\.issuer must/],
    [{ issuer: "https://id.example:443" }, /\.issuer must/],
    [{ issuer: "https://id.example/a/../b" }, /\.issuer must/],
    [{ issuer: " https://id.example" }, /\.issuer must/],
    [{ issuer: 1 }, /\.issuer must/],
    [{ clientId: "" }, /\.clientId must/],
    [{ clientId: undefined }, /\.clientId must/],
    [{ clientId: "a\nb" }, /\.clientId must/],
    [{ clientSecret: "" }, /\.clientSecret must/],
    [{ clientSecret: undefined }, /\.clientSecret must/],
    [{ clientSecret: 5 }, /\.clientSecret must/],
    [{ scopes: "email" }, /\.scopes must/],
    [{ scopes: "openid  email" }, /\.scopes must/],
    [{ scopes: ["openid"] }, /\.scopes must/],
    [{ scopes: "" }, /\.scopes must/],
    [{ network: "public" }, /\.network must/],
    [{ network: true }, /\.network must/],
    [{ tokenEndpoint: "https://id.example" }, /^IDENTITY_PROVIDERS\[0\] must have no members but id, name/],
    [{ kind: "openid" }, /must have no members but/],
  ];
  for (const [change, fault] of REFUSED) {
    test(`names one fault for ${JSON.stringify(change)}, and no value`, () => {
      const faults = faultsOf([{ ...OPENID, ...change }]);
      assert.equal(faults.length, 1, faults.join());
      assert.match(faults[0]!, fault);
      assert.ok(!faults[0]!.includes("a client secret"));
    });
  }

  test("refuses other members than GitHub's", () => {
    assert.deepEqual(faultsOf([{ ...GITHUB, name: "Hub" }]), [
      "IDENTITY_PROVIDERS[0] must have no members but id, clientId, clientSecret",
    ]);
    assert.equal(faultsOf([{ ...GITHUB, clientSecret: "" }]).length, 1);
  });

  test("refuses two entries with one id, or one issuer", () => {
    const other = { ...OPENID, issuer: "https://other.example" };
    assert.deepEqual(faultsOf([OPENID, other]), [
      "IDENTITY_PROVIDERS must not have two entries with the same id",
    ]);
    assert.deepEqual(faultsOf([OPENID, { ...OPENID, id: "other" }]), [
      "IDENTITY_PROVIDERS must not have two entries with the same issuer",
    ]);
    assert.equal(faultsOf([GITHUB, GITHUB]).length, 1);
  });

  test("names every faulty entry", () => {
    assert.equal(
      faultsOf([{ ...OPENID, id: "" }, GITHUB, { ...OPENID, issuer: "x", clientId: "" }]).length,
      3,
    );
  });
});

test("an unknown name beginning with IDENTITY_ is refused", () => {
  assert.throws(() => readConfig({ IDENTITY_PROVIDER: "[]" }), /IDENTITY_PROVIDER is not known/);
});
