import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashMessage, recoverAddress } from "viem";
import { createSiweMessage } from "viem/siwe";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { approve, codeOf, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Owner } from "../../support/asking.ts";
import { createProver } from "../../support/dpop.ts";
import type { ProvingProgram } from "../../support/dpop.ts";
import {
  askToken,
  authorizeApplication,
  detailsOf,
  programWith,
  registerKeyClient,
} from "../../support/key-application.ts";
import { providerOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";

const POLICY = { version: 1, messages: { text: "ask" } };
const [prover, other] = [await createProver(), await createProver()];

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: Owner;
  readonly client: Registered;
}

async function setStage(change: object = {}): Promise<Stage> {
  const app = await createTestApp();
  const client = await registerKeyClient(providerOf(app), change);
  const owner = await newOwner(app);
  return { app, owner, client, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Authorizes the application under a policy that requires the owner's approval. */
async function enter(
  { app, owner, client }: Stage,
  by = prover,
  keys: readonly string[] = [owner.keyId],
): Promise<ProvingProgram & { readonly refreshToken: string }> {
  const { program, tokens } = await authorizeApplication(app, {
    person: owner.person,
    client,
    prover: by,
    requestedRights: { scope: "openid keys:read keys:sign", authorization_details: detailsOf(POLICY) },
    agreement: { keys, rules: ["text"] },
  });
  return { ...program, refreshToken: tokens["refresh_token"]! };
}

async function askFor({ owner }: Stage, program: ProvingProgram, message = "hello"): Promise<string> {
  const body = { message };
  const answer = await program.send("POST", `/api/keys/${owner.keyId}/sign`, { body });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(answer.body.request.asker, { kind: "application", name: "Bot" });
  return answer.body.request.id;
}

describe("an application under a policy that asks", () => {
  test("waits for the owner's approval, and fetches the signature with its grant", async () => {
    await using stage = await setStage();
    const { app, owner } = stage;
    const program = await enter(stage);
    const id = await askFor(stage, program);
    assert.ok((await owner.person.get("/requests")).text.includes("The application"));
    const token = await newProgram(app, owner);
    assert.equal(codeOf(await token.get(`${REQUESTS}/${id}`)), "404 not_found");
    assert.equal((await approve(owner.person, id)).status, 200);
    const { request } = (await program.send("GET", `${REQUESTS}/${id}`)).body;
    const { signature } = request.signed;
    assert.equal(await recoverAddress({ hash: hashMessage("hello"), signature }), owner.address);
  });

  test("another grant of it does not see the request", async () => {
    await using stage = await setStage();
    const first = await enter(stage);
    const second = await enter(stage, other);
    const id = await askFor(stage, first);
    assert.equal(codeOf(await second.send("GET", `${REQUESTS}/${id}`)), "404 not_found");
    assert.equal(codeOf(await second.send("DELETE", `${REQUESTS}/${id}`)), "404 not_found");
  });

  for (
    const [domain, uri, isWarned] of [
      ["books.example", "https://books.example", false],
      ["BOOKS.example:8443", "https://books.example:8443/home", false],
      ["books.example", "https://books.example:8443", true],
      ["bank.example", "https://books.example", true],
    ] as const
  ) {
    test(`${isWarned ? "is warned of" : "may ask"} for a sign-in to ${domain} at ${uri}`, async () => {
      await using stage = await setStage({ uri });
      const { owner: { person, keyId, address } } = stage;
      const program = await enter(stage);
      const page = new URL(`https://${domain}/`).href;
      const message = createSiweMessage({
        address: address as `0x${string}`,
        chainId: 1,
        domain,
        nonce: "32891756abcdef",
        uri: page,
        version: "1",
        issuedAt: new Date(stage.app.now),
      });
      const explained = await program.send("POST", `/api/keys/${keyId}/explain`, { body: { message } });
      assert.equal(explained.status, 200, explained.text);
      const { warnings } = explained.body.intent;
      const found = warnings.filter(({ code }: { code: string }) => code === "sign_in_site");
      assert.deepEqual(found.map(({ level }: { level: string }) => level), isWarned ? ["red"] : []);
      const id = await askFor(stage, program, message);
      const shown = (await person.get(`/requests/${id}`)).text;
      assert.equal(shown.includes("is not the one that asks"), isWarned);
      assert.ok(shown.includes(`Bot</bdi> (<code>${new URL(uri).host}</code>)`), shown);
    });
  }

  test("is shown with its host beside its name, for every request", async () => {
    await using stage = await setStage({ uri: "https://bot.example:8443/home" });
    const program = await enter(stage);
    const { owner: { person } } = stage;
    const shown = (await person.get(`/requests/${await askFor(stage, program)}`)).text;
    assert.ok(shown.includes(`(<code>bot.example:8443</code>)`));
  });

  test("whose token was refreshed for fewer keys does not see requests of the others (RFC 9396 section 6)", async () => {
    await using stage = await setStage();
    const { app, owner, client } = stage;
    const kept = (await owner.person.post("/api/keys/generate")).body.key.id;
    const wide = await enter(stage, prover, [owner.keyId, kept]);
    const id = await askFor(stage, wide);
    const refreshed = await askToken(app, client, {
      grant_type: "refresh_token",
      refresh_token: wide.refreshToken,
      authorization_details: JSON.stringify([{ type: "ethereum_sign", keys: [kept] }]),
    }, prover);
    assert.equal(refreshed.status, 200, refreshed.text);
    const narrow = programWith(app, prover, refreshed.body.access_token);
    assert.deepEqual((await narrow.send("GET", REQUESTS)).body.requests, []);
    for (const method of ["GET", "DELETE"]) {
      assert.equal(codeOf(await narrow.send(method, `${REQUESTS}/${id}`)), "404 not_found");
    }
    assert.equal((await approve(owner.person, id)).status, 200);
    assert.equal(codeOf(await narrow.send("GET", `${REQUESTS}/${id}`)), "404 not_found");
    assert.ok((await wide.send("GET", `${REQUESTS}/${id}`)).body.request.signed);
  });

  test("whose access was withdrawn gets no signature any more", async () => {
    await using stage = await setStage();
    const { owner: { person }, client } = stage;
    const id = await askFor(stage, await enter(stage));
    const withdrawn = await person.request("DELETE", `/api/auth/grants/${client.clientId}`);
    assert.equal(withdrawn.status, 204, withdrawn.text);
    assert.equal(codeOf(await approve(person, id)), "409 signing_request_over");
    assert.equal((await person.get(`${REQUESTS}/${id}`)).body.request.status, "refused");
  });
});
