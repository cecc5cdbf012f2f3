import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recoverMessageAddress } from "viem";
import { createClient, NotSignedError } from "../../src/client/client.ts";
import type { HoldfastClient } from "../../src/client/client.ts";
import { untilSigned } from "../../src/client/signing-request.ts";
import { toHoldfastAccount } from "../../src/client/viem.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { approve, ASKING_TERMS, newOwner, REQUESTS } from "../support/asking.ts";
import type { Owner } from "../support/asking.ts";

/** Creates a client whose token requires the owner's approval. */
async function newClient({ app }: TestApp, { person }: Owner): Promise<HoldfastClient> {
  const { text } = (await person.post("/api/auth/tokens", ASKING_TERMS)).body;
  return createClient({
    baseUrl: ORIGIN,
    token: text,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("host", new URL(ORIGIN).host);
      return app(new Request(url, { ...init, headers }), { clientAddress: "192.0.2.9" });
    },
  });
}

/** Waits for a pending request and returns its id. */
async function waitingId({ person }: Owner): Promise<string> {
  for (;;) {
    const [request] = (await person.get(REQUESTS)).body.requests;
    if (request !== undefined) return request.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const LIMIT = { timeout: 20_000 };

describe("what signs for a program waits for the owner of the key", () => {
  test("a viem account gives the signature once it is approved", LIMIT, async () => {
    await using app = await createTestApp();
    const owner = await newOwner(app);
    const client = await newClient(app, owner);
    const [key] = (await client.listKeys()).keys;
    const signing = toHoldfastAccount(client, key!).signMessage({ message: "hello" });
    assert.equal((await approve(owner.person, await waitingId(owner))).status, 200);
    const signature = await signing;
    assert.equal(await recoverMessageAddress({ message: "hello", signature }), owner.address);
  });

  test("untilSigned() throws NotSignedError with the owner's word where it was declined", LIMIT, async () => {
    await using app = await createTestApp();
    const owner = await newOwner(app);
    const client = await newClient(app, owner);
    const answer = await client.signMessage({ keyId: owner.keyId, body: { message: "hello" } });
    assert.ok("request" in answer);
    await owner.person.post(`${REQUESTS}/${answer.request.id}/decline`, { word: "Not today" });
    await assert.rejects(untilSigned(client, answer), (error) => {
      assert.ok(error instanceof NotSignedError);
      assert.deepEqual([error.message, error.request.status], [
        "The signature was not given: Not today",
        "declined",
      ]);
      return true;
    });
  });

  test("untilSigned() answers what is signed already as it is", async () => {
    await using app = await createTestApp();
    const owner = await newOwner(app);
    const client = await newClient(app, owner);
    const signed = { signature: "0x00" } as const;
    assert.equal(await untilSigned(client, signed), signed);
  });

  test("untilSigned() ends with its signal, and the request stays", LIMIT, async () => {
    await using app = await createTestApp();
    const owner = await newOwner(app);
    const client = await newClient(app, owner);
    const answer = await client.signMessage({ keyId: owner.keyId, body: { message: "hello" } });
    const signal = AbortSignal.timeout(100);
    await assert.rejects(untilSigned(client, answer, signal), { name: "TimeoutError" });
    assert.equal((await owner.person.get(REQUESTS)).body.requests.length, 1);
  });
});
