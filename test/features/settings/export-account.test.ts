import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { checkExport, readAccountExport } from "../../../src/audit/account-export.ts";
import type { AccountExport, ExportFault } from "../../../src/audit/account-export.ts";
import { verifyAudit } from "../../../src/audit/verify.ts";
import { sha256 } from "../../../src/lib/sha256.ts";
import { lengthPrefixed, utf8 } from "../../../src/lib/bytes.ts";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { readCode, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { getTokens, providerOf, registerClient } from "../../support/oauth.ts";
import { confirm, mailsTo } from "../../support/own-account.ts";

const EMAIL = "ada@example.com";
const MINUTE = 60_000;
const SUBJECT = "Your data was downloaded";

const fetchExport = (client: Client): Promise<Answer> => client.post("/api/auth/account/export", {});

async function exportOf(client: Client): Promise<AccountExport & { readonly text: string }> {
  const { status, text } = await fetchExport(client);
  assert.equal(status, 200, text);
  const read = readAccountExport(text);
  assert.ok(read !== undefined, text);
  return { ...read, text };
}

/** Checks an exported file against the log. */
async function faultsOf({ db, vault }: TestApp, file: AccountExport): Promise<readonly ExportFault[]> {
  const check = checkExport(vault, file);
  await verifyAudit(db, vault, { onEntry: check.onEntry });
  return check.faults();
}

describe("POST /api/auth/account/export", () => {
  test("is reported by mail to the current and former addresses, in the same transaction", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const email = "ada@example.org";
    await client.post("/api/auth/account/email/code", { email });
    await client.post("/api/auth/account/email", { email, code: await readCode(client, email) });
    app.now += 10 * MINUTE;
    assert.equal((await fetchExport(client)).body.code, "fresh_session_required");
    await confirm(client, "export_account");
    await exportOf(client);
    for (const address of [EMAIL, email]) {
      const notices = (await mailsTo(client, address)).filter(({ subject }) => subject === SUBJECT);
      assert.equal(notices.length, 1, address);
    }
  });

  test("contains all data of the account, no secret and nothing of other accounts", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    const { account, key } = (await signUp(client, EMAIL)).body;
    const { account: stranger } = (await signUp(other, "eve@example.com")).body;
    const made = await client.post("/api/auth/tokens", { name: "CI", keys: "all", actions: ["sign"] });
    const settings = { url: "http://localhost/in", events: ["message_signed"], signature: "hmac" };
    const hook = (await client.post("/api/auth/webhooks", settings)).body;
    const provider = providerOf(app);
    const books = await registerClient(provider);
    const { sid } = decodeJwt<{ sid: string }>((await getTokens(provider, client, books)).id_token);
    await getTokens(provider, other, books);
    const answer = await fetchExport(client);
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="holdfast-export.json"');
    const file = JSON.parse(answer.text);
    assert.deepEqual(Object.keys(file), [
      "format",
      "service",
      "exportedAt",
      "account",
      "formerAddresses",
      "identities",
      "passkeys",
      "removedPasskeys",
      "sessions",
      "devices",
      "wayBack",
      "keys",
      "tokens",
      "pushSubscriptions",
      "webhooks",
      "applications",
      "signingRequests",
      "log",
      "entries",
    ]);
    assert.equal(file.account.email, EMAIL);
    assert.partialDeepStrictEqual(file.webhooks, [{ id: hook.webhook.id, ...settings }]);
    assert.ok(!answer.text.includes(hook.secret));
    assert.deepEqual([file.keys[0].address, file.keys[0].keyIndex], [key.address, 0]);
    assert.equal(file.keys[0].quoteClaims.derivation, "ethereum-key/v1");
    assert.equal(file.passkeys.length, 1);
    assert.deepEqual(file.sessions.map(({ applications }: { applications: unknown }) => applications), [
      [{ clientId: books.clientId, sid }],
    ]);
    assert.ok(file.passkeys[0].publicKey.length > 40);
    assert.equal(file.tokens[0].name, "CI");
    const events = file.entries.map(({ event }: { event: string }) => event);
    assert.deepEqual([events[0], events.at(-1)], ["account_created", "account_exported"]);
    assert.ok(file.entries.every(({ accountId }: { accountId: string }) => accountId === account.id));
    const secrets = [
      made.body.text,
      made.body.text.split("_")[2],
      client.cookies.get("service.session_token")!,
    ];
    for (const text of [stranger.id, "eve@example.com", ...secrets]) {
      assert.ok(!answer.text.includes(text), text);
    }
    for (const { secret_hash } of await app.db.selectFrom("session").select("secret_hash").execute()) {
      assert.ok(!answer.text.includes(secret_hash));
    }
  });

  test("needs a fresh sign-in or a step-up for it, which is used up", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    app.now += 10 * MINUTE;
    assert.equal((await fetchExport(client)).body.code, "fresh_session_required");
    await confirm(client, "export_account");
    assert.equal((await fetchExport(client)).status, 200);
    assert.equal((await fetchExport(client)).body.code, "fresh_session_required");
    assert.equal((await fetchExport(app.client())).status, 401);
  });

  test("contains all entries of a log that is longer than a page", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const { keys: [key] } = (await client.get("/api/keys")).body;
    for (let count = 0; count < 510; count++) {
      await client.request("PATCH", `/api/keys/${key.id}`, { body: { label: `Label ${count}` } });
    }
    const file = await exportOf(client);
    assert.ok(file.entries.length > 512, `${file.entries.length}`);
    assert.deepEqual(await faultsOf(app, file), []);
  });
});

describe("verifying an export", () => {
  test("each hash follows from the entry and the hash before it, as any reader can compute", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const { entries } = await exportOf(client);
    const nullable = (text: string | null): Uint8Array =>
      text === null ? Uint8Array.of(0) : Uint8Array.of(1, ...utf8(text));
    for (const { previousHash, seq, at, event, accountId, subject, detail, state, hash } of entries) {
      const bytes = lengthPrefixed(
        utf8("holdfast/audit/v1"),
        Uint8Array.fromHex(previousHash),
        utf8(`${seq}`),
        utf8(`${at}`),
        utf8(event),
        nullable(accountId),
        nullable(subject),
        utf8(detail),
        ...(state === null ? [] : [Uint8Array.fromHex(state)]),
      );
      assert.equal(sha256(bytes).toHex(), hash);
    }
    assert.ok(entries.some(({ state }) => state !== null));
  });

  test("against the log finds a changed, removed, inserted or moved entry", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, EMAIL);
    await signUp(other, "eve@example.com");
    const file = await exportOf(client);
    const foreign = await exportOf(other);
    assert.deepEqual(await faultsOf(app, file), []);
    const [first, second, ...rest] = file.entries;
    const kinds = async (change: Partial<AccountExport>): Promise<readonly string[]> =>
      (await faultsOf(app, { ...file, ...change })).map(({ kind }) => kind);
    assert.deepEqual(await kinds({ entries: [first!, ...rest] }), ["missing"]);
    assert.deepEqual(await kinds({ entries: [{ ...first!, event: "signed_out" }, second!, ...rest] }), [
      "altered",
    ]);
    assert.deepEqual(await kinds({ entries: [...file.entries, foreign.entries[0]!] }), ["foreign"]);
    assert.deepEqual(await kinds({ entries: [...file.entries, first!] }), ["foreign"]);
    const mac = "00".repeat(32);
    assert.deepEqual(await kinds({ entries: [{ ...first!, mac }, second!, ...rest] }), ["forged"]);
    assert.deepEqual(await kinds({ head: { ...file.head, hash: new Uint8Array(32) } }), ["head"]);
  });

  test("against another or a truncated log reports it", async () => {
    await using app = await createTestApp();
    await using elsewhere = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const file = await exportOf(client);
    const kinds = new Set((await faultsOf(elsewhere, file)).map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ["absent", "head"]);
  });

  test("refuses another file", () => {
    for (
      const text of ["", "[]", "null", "{}", '{"format":"holdfast-export/1"}', '{"format":"x","entries":[]}']
    ) {
      assert.equal(readAccountExport(text), undefined, text);
    }
  });
});
