import assert from "node:assert/strict";
import { test } from "node:test";
import { hashMessage, recoverMessageAddress } from "viem";
import { createTestApp } from "../support/app.ts";
import { signIn, signUp } from "../support/client.ts";

test("a person signs up, signs a message, signs out, signs in again, archives the key", async () => {
  await using app = await createTestApp();
  const client = app.client();

  const enrolled = await signUp(client, "Ada@Example.com");
  assert.match(enrolled.body.account.id, /^account_[0-9a-v]{26}$/);
  assert.equal(enrolled.body.account.email, "ada@example.com");
  const { key } = enrolled.body;
  assert.match(key.id, /^key_[0-9a-z]{26}$/);
  assert.equal(key.keyIndex, 0);

  const listed = await client.get("/api/keys");
  assert.deepEqual(listed.body, { keys: [key], nextCursor: null });

  const signed = await client.post(`/api/keys/${key.id}/sign`, { message: "hello" });
  assert.equal(signed.status, 200, signed.text);
  assert.equal(signed.body.digest, hashMessage("hello"));
  assert.equal(
    await recoverMessageAddress({ message: "hello", signature: signed.body.signature }),
    key.address,
  );

  const token = client.cookies.get("service.session_token")!;
  assert.equal((await client.post("/api/auth/sign-out")).status, 204);
  assert.equal(client.cookies.has("service.session_token"), false);
  client.cookies.set("service.session_token", token);
  assert.equal((await client.get("/api/keys")).status, 401);
  client.cookies.delete("service.session_token");

  const signedIn = await signIn(client);
  assert.equal(signedIn.status, 200, signedIn.text);
  assert.deepEqual(signedIn.body.account, enrolled.body.account);
  const archived = await client.post(`/api/keys/${key.id}/archive`);
  assert.equal(archived.body.key.archived, true);
  assert.equal((await client.post(`/api/keys/${key.id}/sign`, { message: "hello" })).status, 409);
  assert.deepEqual((await client.get("/api/keys")).body.keys, []);
  assert.equal((await client.get("/api/keys?archived=true")).body.keys.length, 1);
});
