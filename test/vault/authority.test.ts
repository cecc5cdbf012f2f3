import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { sql } from "kysely";
import { closeDatabase } from "../../src/db/database.ts";
import { concat, uint32, utf8 } from "../../src/lib/bytes.ts";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import type { SealedRow } from "../../src/vault/authority.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestAuthority, createTestVault } from "../support/vault.ts";

type Value = null | number | string | Uint8Array;
type Row = Record<string, Value>;

const KINDS = Object.keys(AUTHORITY) as AuthorityKind[];

/** Columns that are numbers or bytes; all others are text. */
const TYPES: Readonly<Record<string, "number" | "bytes">> = {
  created_at: "number",
  expires_at: "number",
  authenticated_at: "number",
  stepped_up_at: "number",
  last_seen_at: "number",
  last_used_at: "number",
  archived_at: "number",
  key_index: "number",
  revision: "number",
  policy_change_at: "number",
  algorithm: "number",
  backup_eligible: "number",
  backed_up: "number",
  sign_count: "number",
  attempts: "number",
  disabled: "number",
  updated_at: "number",
  max_age: "number",
  used_at: "number",
  spent_at: "number",
  signs_from: "number",
  ended_at: "number",
  version: "number",
  answer: "bytes",
  sealed: "bytes",
  document: "bytes",
  digest: "bytes",
  code_mac: "bytes",
  credential_id: "bytes",
  public_key: "bytes",
  address: "bytes",
  sets: "bytes",
};

function sampleValue(column: string): Value {
  if (TYPES[column] === "number") return 1;
  return TYPES[column] === "bytes" ? utf8(column) : column;
}

/** Returns other values for a column, of its own type and of every other. */
function otherValues(value: Value): Value[] {
  const others: Value[] = [
    null,
    0,
    2,
    -1,
    "",
    "1",
    "other",
    new Uint8Array(),
    utf8("other"),
    utf8(String(value)),
  ];
  if (typeof value === "string") others.push(value + " ", value.toUpperCase(), value.slice(1));
  if (value instanceof Uint8Array) {
    others.push(concat(value, new Uint8Array(1)), value.with(0, 0), value.toHex());
  }
  return others;
}

/** One for all rows: it has no state that a MAC depends on. */
const VAULT = createTestVault();

/** Returns a row of a kind with a value in each column and its MAC. */
function sampleRow<K extends AuthorityKind>(kind: K): SealedRow<K> {
  const { authenticated, unauthenticated } = AUTHORITY[kind];
  const row = Object.fromEntries(
    [...authenticated, ...unauthenticated].map((name) => [name, sampleValue(name)]),
  );
  return { ...row, mac: VAULT.mac(kind, row as SealedRow<K>) } as SealedRow<K>;
}

/** Verifies the row with the vault, and requires the same of an authority that has cached the sample row. */
function isAuthentic(kind: AuthorityKind, row: Row): boolean {
  const asked = row as unknown as SealedRow<AuthorityKind>;
  const isRight = VAULT.verifyMac(kind, asked);
  const authority = createTestAuthority(VAULT);
  assert.ok(authority.verifyRow(kind, sampleRow(kind)));
  assert.deepEqual(authority.verifyRow(kind, asked), isRight ? row : undefined);
  assert.equal(authority.rejected.length, isRight ? 0 : 1);
  return isRight;
}

for (const kind of KINDS) {
  describe(`verifyMac() of ${kind}`, () => {
    test("accepts the row as written, also with columns in another order", () => {
      const row = sampleRow(kind) as unknown as Row;
      assert.equal(isAuthentic(kind, row), true);
      assert.equal(isAuthentic(kind, Object.fromEntries(Object.entries(row).reverse())), true);
    });

    for (const column of AUTHORITY[kind].authenticated) {
      test(`refuses a row whose ${column} differs`, () => {
        const row = sampleRow(kind) as unknown as Row;
        for (const value of otherValues(row[column]!)) {
          assert.equal(isAuthentic(kind, { ...row, [column]: value }), false, `${column}: ${String(value)}`);
        }
      });
    }

    for (const column of AUTHORITY[kind].unauthenticated) {
      test(`accepts a row whose ${column}, which is unauthenticated, differs`, () => {
        const row = sampleRow(kind) as unknown as Row;
        for (const value of otherValues(row[column]!)) {
          assert.equal(isAuthentic(kind, { ...row, [column]: value }), true);
        }
      });
    }

    test("refuses a row when two authenticated columns are swapped", () => {
      const row = sampleRow(kind) as unknown as Row;
      const { authenticated } = AUTHORITY[kind];
      for (const [index, column] of authenticated.slice(1).entries()) {
        const before = authenticated[index]!;
        if (row[before] === row[column]) continue;
        assert.equal(isAuthentic(kind, { ...row, [before]: row[column]!, [column]: row[before]! }), false);
      }
    });

    test("refuses a MAC with any bit flipped, a shorter and a longer one", () => {
      const row = sampleRow(kind) as unknown as Row & { mac: Uint8Array };
      for (let bit = 0; bit < 256; bit++) {
        const mac = row.mac.slice();
        mac[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(isAuthentic(kind, { ...row, mac }), false);
      }
      for (const mac of [new Uint8Array(), row.mac.slice(0, 31), concat(row.mac, new Uint8Array(1))]) {
        assert.equal(isAuthentic(kind, { ...row, mac }), false);
      }
    });

    test("refuses a number that no valid row can have, without throwing", () => {
      const row = sampleRow(kind) as unknown as Row;
      for (const value of [2 ** 53, 1.5, NaN, Infinity]) {
        const numbers = { created_at: value, expires_at: value, observed_ms: value, version: value };
        assert.equal(isAuthentic(kind, { ...row, ...numbers }), false);
      }
    });

    test("throws when an authenticated column was not selected", () => {
      for (const column of AUTHORITY[kind].authenticated) {
        const { [column]: _, ...row } = sampleRow(kind) as unknown as Row;
        assert.throws(() => isAuthentic(kind, row), TypeError);
      }
    });

    test("refuses the MAC of a vault with another seed", () => {
      const row = sampleRow(kind);
      assert.equal(
        isAuthentic(kind, { ...row, mac: createTestVault(8).mac(kind, row) } as unknown as Row),
        false,
      );
    });
  });
}

test("AUTHORITY names each column of its tables once, as authenticated, unauthenticated or the MAC", async () => {
  const db = await openTestDatabase();
  for (const kind of KINDS) {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${kind})`.execute(db);
    const named = [...AUTHORITY[kind].authenticated, ...AUTHORITY[kind].unauthenticated, "mac"];
    assert.deepEqual(named.sort(), rows.map(({ name }) => name).sort(), kind);
  }
  await closeDatabase(db);
});

test("AUTHORITY names each table with a MAC except the audit log, which has its own", async () => {
  const db = await openTestDatabase();
  const { rows } = await sql<{ name: string }>`
    select t.name from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and c.name = 'mac'`
    .execute(db);
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...KINDS, "audit_event", "audit_checkpoint"].sort());
  await closeDatabase(db);
});

test("mac() differs between kinds when every column has the same value", () => {
  const row = Object.assign({}, ...KINDS.map((kind) => sampleRow(kind)));
  const macs = KINDS.map((kind) => createTestVault().mac(kind, row).toHex());
  assert.equal(new Set(macs).size, KINDS.length);
});

test("mac() is HMAC-SHA-256 over kind, version and each column's name, type and value, each length-prefixed", () => {
  const row = {
    id: "key_1",
    account_id: "account_1",
    key_index: 3,
    address: Uint8Array.of(1, 2),
    public_key: Uint8Array.of(4, 5, 6),
    label: "Key é €",
    blind_signing: "guard" as const,
    created_at: 1_700_000_000_000,
    archived_at: null,
    revision: null,
    policy: null,
    policy_change: null,
    policy_change_at: null,
  };
  const parts = [
    "ethereum_key",
    "1",
    "id",
    "\x02key_1",
    "account_id",
    "\x02account_1",
    "key_index",
    "\x013",
    "address",
    "\x03\x01\x02",
    "public_key",
    "\x03\x04\x05\x06",
    "label",
    "\x02Key é €",
    "blind_signing",
    "\x02guard",
    "created_at",
    "\x011700000000000",
    "archived_at",
    "\x00",
    "revision",
    "\x00",
    "policy",
    "\x00",
    "policy_change",
    "\x00",
    "policy_change_at",
    "\x00",
  ].flatMap((text) => [uint32(utf8(text).length), utf8(text)]);
  const key = hkdf(sha256, new Uint8Array(32).fill(7), utf8("holdfast"), utf8("row-authority/v1"), 32);
  assert.deepEqual(createTestVault(7).mac("ethereum_key", row), hmac(sha256, key, concat(...parts)));
});

test("mac() leaves out a column that a migration added where it is null, so that earlier rows keep their MAC", () => {
  const sample = sampleRow("authorization_grant");
  const { resource: _, ...earlier } = sample as unknown as Row;
  const row = { ...earlier, resource: null } as unknown as SealedRow<"authorization_grant">;
  const vault = createTestVault();
  assert.notDeepEqual(vault.mac("authorization_grant", row), sample.mac);
  const mac = vault.mac("authorization_grant", row);
  assert.ok(vault.verifyMac("authorization_grant", { ...row, mac }));
  assert.ok(!vault.verifyMac("authorization_grant", { ...row, resource: "/mcp", mac }));
  assert.ok(!vault.verifyMac("authorization_grant", { ...sample, resource: null }));
});

describe("verifyRow()", () => {
  const copyOf = <K extends AuthorityKind>(row: SealedRow<K>): SealedRow<K> => structuredClone(row);

  test("reports exactly the rows that it refuses", () => {
    const authority = createTestAuthority(createTestVault());
    const row = sampleRow("account");
    const edited = { ...row, email: "other@example.com" };
    assert.equal(authority.verifyRow("account", row), row);
    assert.deepEqual(authority.rejected, []);
    assert.equal(authority.verifyRow("account", edited), undefined);
    assert.deepEqual(authority.rejected, [{ kind: "account", row: edited }]);
  });

  test("returns the cached object for an equal row", () => {
    const authority = createTestAuthority();
    const [first, second] = [sampleRow("session"), sampleRow("ethereum_key")];
    assert.equal(authority.verifyRow("session", first), first);
    // A row of another kind with the same id replaces it in the cache, and is not confused with it.
    assert.equal(authority.verifyRow("ethereum_key", second), second);
    assert.equal(authority.verifyRow("ethereum_key", copyOf(second)), second);
    assert.equal(authority.verifyRow("account", { ...sampleRow("account"), mac: second.mac }), undefined);
    const again = copyOf(first);
    assert.equal(authority.verifyRow("session", again), again);
    assert.equal(authority.verifyRow("session", copyOf(first)), again);
  });

  test("returns the current values of unauthenticated columns", () => {
    const authority = createTestAuthority();
    const row = sampleRow("session");
    authority.verifyRow("session", row);
    const seen = { ...row, last_seen_at: 2 };
    assert.equal(authority.verifyRow("session", seen), seen);
    assert.equal(authority.verifyRow("session", { ...seen }), seen);
  });

  test("returns objects whose members callers cannot change", () => {
    const authority = createTestAuthority();
    const row = sampleRow("ethereum_key");
    const kept = authority.verifyRow("ethereum_key", copyOf(row))!;
    assert.throws(() => Reflect.apply(Object.assign, undefined, [kept, { label: "evil" }]), TypeError);
    assert.equal(authority.verifyRow("ethereum_key", { ...row, label: "evil" }), undefined);
  });

  test("does not return a cached object whose bytes were changed", () => {
    const authority = createTestAuthority();
    const row = sampleRow("ethereum_key");
    authority.verifyRow("ethereum_key", copyOf(row))!.address[0]! ^= 1;
    const again = copyOf(row);
    assert.equal(authority.verifyRow("ethereum_key", again), again);
  });

  test("does not cache a row of a kind that is read once", () => {
    const authority = createTestAuthority();
    const row = sampleRow("refresh_token");
    for (const each of [row, copyOf(row)]) {
      assert.equal(authority.verifyRow("refresh_token", each), each);
    }
  });

  test("does not cache a row with an additional column", () => {
    const authority = createTestAuthority();
    const row = sampleRow("ethereum_key");
    for (const each of [{ ...row, more: "m" }, { ...row, more: "m" }]) {
      assert.equal(authority.verifyRow("ethereum_key", each), each);
    }
  });

  test("does not cache a large row, and verifies it each time", () => {
    const vault = createTestVault();
    const authority = createTestAuthority(vault);
    const large = { ...sampleRow("ethereum_key"), policy: "p".repeat(2000) };
    const row = { ...large, mac: vault.mac("ethereum_key", large) };
    for (const each of [row, copyOf(row)]) assert.equal(authority.verifyRow("ethereum_key", each), each);
  });

  test("evicts the least recently read rows, and verifies them again", () => {
    const vault = createTestVault();
    const authority = createTestAuthority(vault);
    const rows = Array.from({ length: 6000 }, (_, index) => {
      const row = { ...sampleRow("session"), id: `session_${index}`, secret_hash: "s".repeat(1000) };
      return { ...row, mac: vault.mac("session", row) };
    });
    for (const row of rows) authority.verifyRow("session", row);
    const first = copyOf(rows[0]!);
    assert.equal(authority.verifyRow("session", first), first);
    assert.equal(authority.verifyRow("session", copyOf(first)), first);
    for (const row of rows.slice(4500)) {
      assert.equal(authority.verifyRow("session", copyOf(row)), row);
    }
  });
});
