import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashMessage, recoverAddress } from "viem";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import {
  approve,
  ask,
  ASKING_TERMS,
  codeOf,
  CONTRACT,
  newOwner,
  newProgram,
  REQUESTS,
} from "../../support/asking.ts";
import type { Owner, Program } from "../../support/asking.ts";
import { createProver, provingProgram } from "../../support/dpop.ts";

const HOUR = 3_600_000;
const UNPROVEN = "401 authentication_required";

interface Story extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: Owner;
  readonly program: Program;
}

/** Creates an owner and a program whose token requires the owner's approval. */
async function openStory(options: Parameters<typeof createTestApp>[0] = {}): Promise<Story> {
  const app = await createTestApp(options);
  const owner = await newOwner(app);
  const program = await newProgram(app, owner);
  return { app, owner, program, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Returns the events, newest first. */
async function eventsOf({ owner }: Story): Promise<readonly Record<string, unknown>[]> {
  return (await owner.person.get("/api/audit")).body.events;
}

describe("a signature request", () => {
  test("is pending, is approved with a passkey, and is fetched by the requester", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const answer = await program.post(`/api/keys/${owner.keyId}/sign`, { message: "hello" });
    assert.equal(answer.status, 202, answer.text);
    const { request } = answer.body;
    assert.equal(answer.headers.get("location"), `${REQUESTS}/${request.id}`);
    assert.equal(answer.headers.get("retry-after"), "5");
    assert.deepEqual(request, {
      id: request.id,
      status: "pending",
      keyId: owner.keyId,
      kind: "personal_sign",
      digest: hashMessage("hello"),
      reason: request.reason,
      purpose: null,
      asker: { kind: "token", name: "Payroll" },
      network: "192.0.2.9",
      createdAt: new Date(app.now).toISOString(),
      expiresAt: new Date(app.now + HOUR).toISOString(),
      endedAt: null,
      refusal: null,
      word: null,
    });
    assert.deepEqual((await program.get(`${REQUESTS}/${request.id}`)).body, { request });
    app.now += 60_000;
    const approved = await approve(owner.person, request.id);
    assert.equal(approved.status, 200, approved.text);
    const fetched = await program.get(`${REQUESTS}/${request.id}`);
    assert.equal(fetched.headers.get("retry-after"), null);
    for (const { headers } of [approved, fetched]) assert.ok(headers.has("holdfast-witness"));
    assert.deepEqual(fetched.body, approved.body);
    const { signed, status, endedAt } = fetched.body.request;
    assert.deepEqual([status, endedAt], ["signed", new Date(app.now).toISOString()]);
    const { signature } = signed;
    assert.deepEqual(signed, {
      signature,
      address: owner.address,
      digest: request.digest,
      format: "personal_sign",
    });
    assert.equal(await recoverAddress({ hash: hashMessage("hello"), signature }), owner.address);
  });

  /** A body for each signing endpoint. */
  const BODIES: readonly (readonly [action: string, body: object])[] = [
    ["sign", { message: "0x00", format: "personal_sign", encoding: "hex" }],
    ["sign", { message: "\u0000 and \ud83d\ude00" }],
    ["sign", { message: "0xdeadbeef", format: "raw" }],
    ["sign", { message: `0x${"ab".repeat(32)}`, format: "digest" }],
    ["sign-typed-data", {
      types: { Greeting: [{ name: "text", type: "string" }, { name: "count", type: "uint256" }] },
      primaryType: "Greeting",
      domain: { name: "Example", chainId: 1, verifyingContract: CONTRACT },
      message: { text: "hello", count: "115792089237316195423570985008687907853269984665640564039457" },
    }],
    ["sign-transaction", {
      type: "eip1559",
      chainId: "1",
      nonce: "0",
      to: "0x0000000000000000000000000000000000000001",
      value: "1000000000000000",
      gas: "21000",
      maxFeePerGas: "30000000000",
      maxPriorityFeePerGas: "1000000000",
    }],
    ["sign-authorization", { chainId: 1, address: "0x0000000000000000000000000000000000000002", nonce: 7 }],
  ];

  for (const [action, body] of BODIES) {
    test(`returns the result of ${action}: ${JSON.stringify(body).slice(0, 40)}`, async () => {
      await using story = await openStory();
      const { owner, program } = story;
      const path = `/api/keys/${owner.keyId}/${action}`;
      const { status, body: { request } } = await program.post(path, body);
      assert.equal(status, 202);
      assert.equal((await approve(owner.person, request.id)).status, 200);
      const { signed } = (await program.get(`${REQUESTS}/${request.id}`)).body.request;
      assert.deepEqual(signed, (await owner.person.post(path, body)).body);
      // The signature is computed again each time, and is deterministic.
      assert.deepEqual((await program.get(`${REQUESTS}/${request.id}`)).body.request.signed, signed);
    });
  }

  test("is recorded with its requester and its approver", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const id = await ask(program, owner.keyId);
    await approve(owner.person, id);
    const [passkey] = (await owner.person.get("/api/auth/passkeys")).body.passkeys;
    const [signed, asked] = await eventsOf(story);
    assert.deepEqual([signed!["event"], signed!["subject"], signed!["detail"]], [
      "message_signed",
      owner.keyId,
      {
        digest: hashMessage("hello"),
        format: "personal_sign",
        by: program.tokenId,
        approvedBy: passkey.id,
      },
    ]);
    assert.deepEqual([asked!["event"], asked!["subject"], asked!["detail"]], [
      "signature_asked",
      owner.keyId,
      { request: id, digest: hashMessage("hello"), by: program.tokenId },
    ]);
  });

  test("is in the owner's activity with the name of the requester", async () => {
    await using story = await openStory();
    const { owner: { person, keyId }, program } = story;
    const id = await ask(program, keyId);
    await approve(person, id);
    await person.post(`${REQUESTS}/${await ask(program, keyId, "no")}/decline`);
    const { text } = await person.get("/account/audit?kind=signing");
    const words = text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
    for (
      const sentence of [
        "Key 1 signed a message",
        "You were asked for a signature of Key 1",
        "A requested signature of Key 1 was declined by you",
        "requested by Payroll",
        "approved with a passkey",
      ]
    ) assert.ok(words.includes(sentence), sentence);
  });

  test("is declined with or without a reason, and never signed", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    for (const [body, word] of [[{ word: " Not today " }, "Not today"], [undefined, null]] as const) {
      const id = await ask(program, owner.keyId, `for ${word}`);
      const declined = await owner.person.post(`${REQUESTS}/${id}/decline`, body);
      assert.equal(declined.status, 200, declined.text);
      const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
      assert.deepEqual(declined.body, { request });
      assert.deepEqual([request.status, request.word, request.signed], ["declined", word, undefined]);
      assert.equal(
        codeOf(await owner.person.post(`${REQUESTS}/${id}/approval/options`)),
        "409 signing_request_over",
      );
      assert.equal(codeOf(await owner.person.post(`${REQUESTS}/${id}/decline`)), "409 signing_request_over");
    }
    const [event] = await eventsOf(story);
    assert.deepEqual([event!["event"], (event!["detail"] as { how: string }).how], [
      "signing_request_ended",
      "declined",
    ]);
  });

  test("cannot be declined with an invalid reason", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const id = await ask(program, owner.keyId);
    for (const word of ["", " ", "a\nb", "x".repeat(201), 1, null]) {
      assert.equal(
        codeOf(await owner.person.post(`${REQUESTS}/${id}/decline`, { word })),
        "400 invalid_request",
      );
    }
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
  });

  test("is withdrawn by the requester", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const id = await ask(program, owner.keyId);
    assert.equal((await program.remove(`${REQUESTS}/${id}`)).status, 204);
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "withdrawn");
    assert.equal(codeOf(await program.remove(`${REQUESTS}/${id}`)), "409 signing_request_over");
    assert.equal(
      codeOf(await owner.person.post(`${REQUESTS}/${id}/approval/options`)),
      "409 signing_request_over",
    );
  });

  test("expires after an hour", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const id = await ask(program, owner.keyId);
    app.now += HOUR - 1;
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
    app.now += 1;
    const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
    assert.deepEqual([request.status, request.endedAt], ["expired", request.expiresAt]);
    assert.equal(codeOf(await program.remove(`${REQUESTS}/${id}`)), "409 signing_request_over");
    assert.equal(
      codeOf(await owner.person.post(`${REQUESTS}/${id}/approval/options`)),
      "409 signing_request_over",
    );
    assert.deepEqual((await owner.person.get(REQUESTS)).body.requests, []);
  });
});

describe("an equal request", () => {
  test("is the same request while pending, and a new one afterwards", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const id = await ask(program, owner.keyId);
    app.now += 60_000;
    assert.equal(await ask(program, owner.keyId), id);
    const both = await Promise.all([ask(program, owner.keyId, "two"), ask(program, owner.keyId, "two")]);
    assert.equal(both[0], both[1]);
    assert.equal((await eventsOf(story)).filter(({ event }) => event === "signature_asked").length, 2);
    await approve(owner.person, id);
    assert.notEqual(await ask(program, owner.keyId), id);
    await program.remove(`${REQUESTS}/${both[0]}`);
    assert.notEqual(await ask(program, owner.keyId, "two"), both[0]);
  });

  test("is another one for another program, key or kind", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const other = await newProgram(app, owner);
    const { key } = (await owner.person.post("/api/keys/generate")).body;
    const digest = hashMessage("hello");
    const ids = [
      await ask(program, owner.keyId),
      await ask(other, owner.keyId),
      await ask(program, key.id),
      (await program.post(`/api/keys/${owner.keyId}/sign`, { message: "hello!" })).body.request.id,
    ];
    assert.equal(new Set(ids).size, ids.length);
    // The same 32 bytes as a digest cannot be read, so they are another signing request.
    const blind = await program.post(`/api/keys/${owner.keyId}/sign`, { message: digest, format: "digest" });
    assert.equal(blind.body.request.digest, digest);
    assert.ok(!ids.includes(blind.body.request.id));
  });
});

describe("access to a signature request", () => {
  test("another program of the account can neither see nor withdraw it", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const other = await newProgram(app, owner);
    const id = await ask(program, owner.keyId);
    for (const wait of [{}, { prefer: "wait=1" }]) {
      assert.equal(codeOf(await other.get(`${REQUESTS}/${id}`, wait)), "404 not_found");
    }
    assert.equal(codeOf(await other.remove(`${REQUESTS}/${id}`)), "404 not_found");
    assert.deepEqual((await other.get(REQUESTS)).body.requests, []);
    assert.deepEqual((await program.get(REQUESTS)).body.requests.map(({ id }: { id: string }) => id), [id]);
    await approve(owner.person, id);
    assert.equal(codeOf(await other.get(`${REQUESTS}/${id}`)), "404 not_found");
    assert.ok((await program.get(`${REQUESTS}/${id}`)).body.request.signed);
  });

  test("a token that lost the key can neither see nor withdraw it, signed or not", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const kept = (await owner.person.post("/api/keys/generate")).body.key.id;
    const [lost, signed] = [await ask(program, owner.keyId), await ask(program, owner.keyId, "signed")];
    const other = await ask(program, kept);
    await approve(owner.person, signed);
    const narrowed = await owner.person.request("PATCH", `/api/auth/tokens/${program.tokenId}`, {
      body: { keys: [kept] },
    });
    assert.equal(narrowed.status, 200, narrowed.text);
    for (const id of [lost, signed]) {
      assert.equal(codeOf(await program.get(`${REQUESTS}/${id}`)), "404 not_found");
      assert.equal(codeOf(await program.get(`${REQUESTS}/${id}`, { prefer: "wait=1" })), "404 not_found");
      assert.equal(codeOf(await program.remove(`${REQUESTS}/${id}`)), "404 not_found");
    }
    assert.deepEqual((await program.get(REQUESTS)).body.requests.map(({ id }: { id: string }) => id), [
      other,
    ]);
    assert.equal((await owner.person.get(`${REQUESTS}/${lost}`)).body.request.status, "pending");
    assert.equal(codeOf(await program.remove(`${REQUESTS}/${other}`)), "204");
  });

  test("another account has no access", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const bob = await newOwner(app, "bob@example.com");
    const bobs = await newProgram(app, bob);
    const id = await ask(program, owner.keyId);
    for (
      const answer of [
        await bob.person.get(`${REQUESTS}/${id}`),
        await bob.person.request("DELETE", `${REQUESTS}/${id}`),
        await bob.person.post(`${REQUESTS}/${id}/approval/options`),
        await bob.person.post(`${REQUESTS}/${id}/decline`),
        await bob.person.post(`${REQUESTS}/${id}/approval`, { response: {} }),
        await bobs.get(`${REQUESTS}/${id}`),
        await bobs.remove(`${REQUESTS}/${id}`),
      ]
    ) assert.equal(codeOf(answer), "404 not_found", answer.text);
    assert.equal((await bob.person.get(`/requests/${id}`)).status, 404);
    assert.deepEqual((await bob.person.get(REQUESTS)).body.requests, []);
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
  });

  test("the owner sees all requests, and may withdraw each", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const other = await newProgram(app, owner);
    const ids = [await ask(program, owner.keyId), await ask(other, owner.keyId)].sort();
    const { requests } = (await owner.person.get(REQUESTS)).body;
    assert.deepEqual(requests.map(({ id }: { id: string }) => id).sort(), ids);
    assert.equal((await owner.person.request("DELETE", `${REQUESTS}/${ids[0]}`)).status, 204);
    assert.equal((await owner.person.get(REQUESTS)).body.requests.length, 1);
  });

  test("no program may decide, not even with its owner's cookies beside its token", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const id = await ask(program, owner.keyId);
    const { text } = (await owner.person.post("/api/auth/tokens", {
      name: "All",
      keys: "all",
      actions: ["read", "sign", "create"],
    })).body;
    const headers = { authorization: `Bearer ${text}` };
    for (const path of ["approval/options", "approval", "decline"]) {
      const body = path === "approval" ? { response: {} } : {};
      assert.equal(
        codeOf(await program.post(`${REQUESTS}/${id}/${path}`, body)),
        "401 authentication_required",
      );
      const both = await owner.person.post(`${REQUESTS}/${id}/${path}`, body, { headers });
      assert.equal(codeOf(both), "401 authentication_required");
    }
  });

  test("a program that may not sign can neither create nor see one", async () => {
    await using story = await openStory();
    const { app, owner } = story;
    const reader = await newProgram(app, owner, { actions: ["read"] });
    assert.equal(codeOf(await reader.get(REQUESTS)), "403 insufficient_scope");
    assert.equal(codeOf(await app.client().get(REQUESTS)), "401 authentication_required");
  });
});

describe("the limit of pending requests", () => {
  test("is ten for a program, and one more after one of them is decided", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const other = await newProgram(app, owner);
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      ids.push(await ask(program, owner.keyId, `message ${n}`));
      app.now += 60_000;
    }
    const tooMany = () => program.post(`/api/keys/${owner.keyId}/sign`, { message: "one more" });
    const refused = await tooMany();
    assert.equal(codeOf(refused), "429 too_many_signing_requests");
    assert.equal(refused.headers.get("retry-after"), String(50 * 60));
    assert.equal(await ask(program, owner.keyId, "message 3"), ids[3], "the same again takes no room");
    assert.equal((await ask(other, owner.keyId)).length, 34, "another program has its own");
    await program.remove(`${REQUESTS}/${ids[5]}`);
    await ask(program, owner.keyId, "one more");
    app.now += 50 * 60_000;
    await ask(program, owner.keyId, "after the first has expired");
  });

  test("is fifty for an account", async () => {
    await using story = await openStory();
    const { app, owner } = story;
    for (let p = 0; p < 5; p++) {
      const program = await newProgram(app, owner);
      for (let n = 0; n < 10; n++) await ask(program, owner.keyId, `message ${n}`);
    }
    const further = await newProgram(app, owner);
    const refused = await further.post(`/api/keys/${owner.keyId}/sign`, { message: "one more" });
    assert.equal(codeOf(refused), "429 too_many_signing_requests");
    const bob = await newOwner(app, "bob@example.com");
    await ask(await newProgram(app, bob), bob.keyId);
  });

  test("is 64 KiB each, 256 KiB for a program, and 1 MiB for an account with a reserve", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const long = (length: number, n: number) => `${n}`.padEnd(length, "x");
    const refused = await program.post(`/api/keys/${owner.keyId}/sign`, { message: long(65_537, 0) });
    assert.equal(codeOf(refused), "413 body_too_large");
    const isFull = async (by: Program, message: string) => {
      const full = await by.post(`/api/keys/${owner.keyId}/sign`, { message });
      assert.equal(codeOf(full), "429 too_many_signing_requests");
    };
    const programs = [program];
    while (programs.length < 4) programs.push(await newProgram(app, owner));
    for (const one of programs.slice(0, 3)) {
      for (let n = 0; n < 4; n++) await ask(one, owner.keyId, long(65_000, n));
      await isFull(one, long(65_000, 4));
      await ask(one, owner.keyId, "a short one");
    }
    const [last, none] = [programs[3]!, await newProgram(app, owner)];
    for (let n = 0; n < 3; n++) await ask(last, owner.keyId, long(65_000, n));
    // 64 KiB are left for a program without a pending request.
    await isFull(last, long(65_000, 3));
    await ask(none, owner.keyId, long(65_000, 0));
    await isFull(none, long(65_000, 1));
  });

  test("is also one for a period", async () => {
    await using story = await openStory({ rateLimits: "on" });
    const { owner, program } = story;
    for (let n = 0; n < 60; n++) {
      const id = await ask(program, owner.keyId, `message ${n}`);
      await program.remove(`${REQUESTS}/${id}`);
    }
    const refused = await program.post(`/api/keys/${owner.keyId}/sign`, { message: "one more" });
    assert.equal(codeOf(refused), "429 rate_limited");
    assert.equal(refused.headers.get("retry-after"), "10");
  });

  test("does not count texts of ended requests, which are deleted", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const ids = [await ask(program, owner.keyId, "one"), await ask(program, owner.keyId, "two")];
    await program.remove(`${REQUESTS}/${ids[0]}`);
    await owner.person.post(`${REQUESTS}/${ids[1]}/decline`);
    const old = await ask(program, owner.keyId, "three");
    app.now += HOUR;
    const present = await ask(program, owner.keyId, "four");
    const rows = await app.db.selectFrom("signing_request").select(["id", "state", "document"]).execute();
    const kept = rows.filter(({ document }) => document !== null).map(({ id }) => id);
    assert.deepEqual(kept, [present]);
    assert.equal(rows.find(({ id }) => id === old)!.state, "expired");
  });
});

describe("the mail about a signature request", () => {
  const mailsOf = async ({ app }: Story) =>
    (await app.client().get("/dev/outbox", { headers: { accept: "application/json" } })).body.messages
      .filter(({ subject }: { subject: string }) => subject === "A signature needs your approval");

  test("names the requester and links to the request, without its content", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const id = await ask(program, owner.keyId, "a secret text");
    const [mail] = await mailsOf(story);
    assert.equal(mail.to, "ada@example.com");
    assert.match(
      mail.text,
      /^"Payroll" asks for a signature with your key "Key 1": 192\.0\.2\.9, 31 Jan 2026/,
    );
    assert.ok(mail.text.includes(`/requests/${id}\n`));
    assert.ok(!JSON.stringify(mail).includes("secret"));
    assert.ok(!app.logged.join().includes("secret"));
  });

  test("is sent once for equal requests, at most twice in ten minutes, and again later", async () => {
    await using story = await openStory({ rateLimits: "on" });
    const { app, owner, program } = story;
    await ask(program, owner.keyId, "one");
    await ask(program, owner.keyId, "one");
    assert.equal((await mailsOf(story)).length, 1);
    for (const text of ["two", "three", "four"]) await ask(program, owner.keyId, text);
    assert.equal((await mailsOf(story)).length, 2);
    app.now += 10 * 60_000;
    await ask(program, owner.keyId, "five");
    assert.equal((await mailsOf(story)).length, 3);
    const bob = await newOwner(app, "bob@example.com");
    await ask(await newProgram(app, bob), bob.keyId);
    assert.equal((await mailsOf(story))[0].to, "bob@example.com");
  });
});

describe("scripts of other origins", () => {
  test("may create and fetch with a token, and read Location and Retry-After", async () => {
    await using story = await openStory();
    const { app, owner, program } = story;
    const preflight = await app.client().request("OPTIONS", `${REQUESTS}/signing_x`);
    assert.equal(preflight.headers.get("access-control-allow-methods"), "GET, DELETE");
    assert.match(preflight.headers.get("access-control-allow-headers")!, /\bPrefer\b/);
    const answer = await program.post(`/api/keys/${owner.keyId}/sign`, { message: "hello" });
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    for (const name of ["Location", "Retry-After", "Preference-Applied"]) {
      assert.ok(answer.headers.get("access-control-expose-headers")!.split(", ").includes(name), name);
    }
    const own = await owner.person.get(REQUESTS);
    assert.equal(own.headers.get("access-control-allow-origin"), null);
  });
});

describe("a program with a bound token", () => {
  test("creates, polls and fetches with proofs, each of which is accepted once (RFC 9449 section 11.1)", async () => {
    await using app = await createTestApp();
    const owner = await newOwner(app);
    const prover = await createProver();
    const { text } = (await owner.person.post("/api/auth/tokens", { ...ASKING_TERMS, jwk: prover.jwk })).body;
    const program = provingProgram(app.client("192.0.2.9"), prover, { text, now: () => app.now });
    const sign = `/api/keys/${owner.keyId}/sign`;
    const claims = { jti: "an asked one" };
    const asked = await program.send("POST", sign, { body: { message: "hello" }, claims });
    assert.equal(asked.status, 202, asked.text);
    assert.equal(codeOf(await program.send("POST", sign, { body: { message: "two" }, claims })), UNPROVEN);
    const path = `${REQUESTS}/${asked.body.request.id}`;
    const twice = { claims: { jti: "a poll" } };
    assert.equal((await program.send("GET", path, twice)).status, 200);
    assert.equal(codeOf(await program.send("GET", path, twice)), UNPROVEN);
    assert.equal(codeOf(await program.send("GET", path, { proof: null, scheme: "Bearer" })), UNPROVEN);
    await approve(owner.person, asked.body.request.id);
    assert.ok((await program.send("GET", path)).body.request.signed);
  });
});

describe("a key whose policy requires approval", () => {
  const policy = { version: 1, messages: { text: "ask" } };

  async function openKey(app: TestApp): Promise<Owner> {
    const owner = await newOwner(app);
    const path = `/api/keys/${owner.keyId}/policy`;
    const answer = await owner.person.request("PUT", path, { body: { policy } });
    assert.equal(answer.status, 200, answer.text);
    return owner;
  }

  test("requires the owner's passkey from the owner's session too, and sends no mail", async () => {
    await using app = await createTestApp();
    const { person, keyId, address } = await openKey(app);
    const answer = await person.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    assert.equal(answer.status, 202, answer.text);
    const { request } = answer.body;
    assert.deepEqual(request.asker, { kind: "owner", name: null });
    const mails =
      (await person.get("/dev/outbox", { headers: { accept: "application/json" } })).body.messages;
    assert.ok(
      !mails.some(({ subject }: { subject: string }) => subject === "A signature needs your approval"),
    );
    assert.ok((await person.get("/requests")).text.includes("You ask"));
    const approved = await approve(person, request.id);
    assert.equal(approved.body.request.signed.address, address);
  });

  test("requires approval for programs too, whatever their tokens allow; without a matching rule it refuses at once", async () => {
    await using app = await createTestApp();
    const owner = await openKey(app);
    const free = await newProgram(app, owner, { policy: { version: 1, messages: "any", raw: "allow" } });
    const id = await ask(free, owner.keyId);
    assert.equal((await approve(owner.person, id)).status, 200);
    const raw = await free.post(`/api/keys/${owner.keyId}/sign`, { message: "0xdeadbeef", format: "raw" });
    assert.equal(codeOf(raw), "403 policy_denied");
  });

  test("ends a pending request that it now denies", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const id = await ask(program, owner.keyId);
    const body = { policy: { version: 1, raw: "allow" } };
    await owner.person.request("PUT", `/api/keys/${owner.keyId}/policy`, { body });
    assert.equal(codeOf(await approve(owner.person, id)), "409 signing_request_over");
    const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
    assert.deepEqual([request.status, request.refusal.code], ["refused", "policy_denied"]);
  });

  test("refuses over JSON-RPC, where the response must be a signature", async () => {
    await using story = await openStory();
    const { owner, program } = story;
    const message = "0x68656c6c6f";
    const answer = await program.post("/api/rpc", {
      jsonrpc: "2.0",
      id: 1,
      method: "personal_sign",
      params: [message, owner.address],
    });
    assert.match(answer.body.error.message, /requires the owner.s approval/);
    assert.deepEqual((await owner.person.get(REQUESTS)).body.requests, []);
  });
});
