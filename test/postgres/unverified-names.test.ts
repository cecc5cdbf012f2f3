import assert from "node:assert/strict";
import { test } from "node:test";
import { connectDatabase } from "../../src/db/database.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { createTestApp } from "../support/app.ts";
import { postForm, providerOf, userinfo } from "../support/oauth.ts";
import { openTestPostgres } from "../support/lent-postgres.ts";

const NAMES: readonly unknown[] = ["a\0b", "\ud800", "", "service", "x".repeat(700), 1, null, ["a"]];

function jwtOf(claims: object): string {
  const [header, payload] = [{ alg: "EdDSA", kid: "a".repeat(43), typ: "at+jwt" }, claims]
    .map((part) => toBase64url(utf8(JSON.stringify(part))));
  return `${header}.${payload}.${"a".repeat(86)}`;
}

test("names of accounts and clients in unverified tokens and forms refuse the request, and nothing fails", async () => {
  const db = connectDatabase(await openTestPostgres());
  await using app = await createTestApp({ db });
  const provider = providerOf(app);
  for (const name of NAMES) {
    for (const claims of [{ sub: name, client_id: "a" }, { sub: "a", client_id: name }, [name], name]) {
      const { status } = await userinfo(provider, jwtOf(claims as object));
      assert.equal(status, 401, JSON.stringify(claims));
    }
    const form = {
      grant_type: "authorization_code",
      client_id: String(name),
      code: `${"a".repeat(43)}${"0".repeat(52)}`,
      redirect_uri: "https://books.example",
      code_verifier: "a".repeat(43),
    };
    const { status } = await postForm(app.client(), "/api/auth/oauth2/token", form);
    assert.ok(status === 400 || status === 401, `${status}`);
  }
  await db.destroy();
});
