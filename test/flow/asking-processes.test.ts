import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask, ASKING_TERMS, assertionFor, codeOf, newProgramOf, REQUESTS } from "../support/asking.ts";
import type { Program } from "../support/asking.ts";
import { createClient, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Two processes, on two runtimes, that serve one base URL from one database.
describe("signature requests with two processes on one database", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let services: readonly Service[];
  let addresses: readonly [string, string];
  let person: Client;
  let keyId: string;

  before(async () => {
    folder = temporaryFolder();
    const first = await startService({ runtime: builtRuntime("bun"), dataDir: folder.path });
    const port = await findFreePort();
    // Announces the base URL of the first process, and listens at another port.
    const env = { BASE_URL: first.baseUrl, PORT: String(port) };
    services = [first, await startService({ runtime: builtRuntime("deno"), dataDir: folder.path, env })];
    addresses = [first.baseUrl, `http://localhost:${port}`];
    person = createClient(first.baseUrl, (request) => fetch(request));
    keyId = (await signUp(person, "ada@example.com")).body.key.id;
  }, { timeout: 60_000 });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    folder[Symbol.dispose]();
  });

  /** Returns the owner's client for one of the two processes. */
  function personAt(at: 0 | 1): Client {
    const client = createClient(addresses[at], (request) => fetch(request));
    for (const [name, value] of person.cookies) client.cookies.set(name, value);
    return { ...client, origin: person.origin, authenticator: person.authenticator };
  }

  async function newPrograms(): Promise<readonly [Program, Program]> {
    const { body } = await person.post("/api/auth/tokens", ASKING_TERMS);
    const at = (address: string) =>
      newProgramOf(
        { client: () => createClient(address, (request) => fetch(request)) },
        body.token.id,
        body.text,
      );
    return [at(addresses[0]), at(addresses[1])];
  }

  test(
    "a program that waits at one process gets the decision made at the other",
    { timeout: 60_000 },
    async () => {
      const programs = await newPrograms();
      for (const [asking, deciding] of [[0, 1], [1, 0]] as const) {
        const [id, other] = [
          await ask(programs[asking], keyId, `from ${asking}`),
          await ask(programs[asking], keyId, `undecided, ${asking}`),
        ];
        let hasLongReturned = false;
        const wait = (id: string) => programs[asking].get(`${REQUESTS}/${id}`, { prefer: "wait=8" });
        const long = wait(other).then(() => hasLongReturned = true);
        const waiting = wait(id);
        const there = personAt(deciding);
        const response = await assertionFor(there, id);
        assert.equal((await there.post(`${REQUESTS}/${id}/approval`, { response })).status, 200);
        const { request } = (await waiting).body;
        assert.equal(request.status, "signed");
        assert.equal(hasLongReturned, false, "the undecided one still waits");
        assert.equal((await there.post(`${REQUESTS}/${other}/decline`)).status, 200);
        await long;
        assert.deepEqual((await programs[deciding].get(`${REQUESTS}/${id}`)).body.request, request);
      }
    },
  );

  test("the same request sent to both is stored once; approved at both, it is signed once", {
    timeout: 60_000,
  }, async () => {
    const programs = await newPrograms();
    for (let round = 0; round < 5; round++) {
      const text = `round ${round}`;
      const [id, same] = await Promise.all(programs.map((program) => ask(program, keyId, text)));
      assert.equal(id, same);
      const owners = [personAt(0), personAt(1)];
      const responses: unknown[] = [];
      for (const owner of owners) responses.push(await assertionFor(owner, id!));
      const answers = await Promise.all(
        owners.map((owner, n) => owner.post(`${REQUESTS}/${id}/approval`, { response: responses[n] })),
      );
      assert.deepEqual(answers.map(({ status }) => status === 200).sort(), [false, true], text);
    }
    const { events } = (await person.get("/api/audit")).body;
    const signed = events.filter(({ event }: { event: string }) => event === "message_signed");
    assert.equal(signed.length, 7, "five here, two in the test before");
  });

  test("an assertion that is sent to both is accepted once", { timeout: 60_000 }, async () => {
    const [program] = await newPrograms();
    const id = await ask(program, keyId, "one touch");
    const response = await assertionFor(person, id);
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        (_, n) => personAt(n % 2 as 0 | 1).post(`${REQUESTS}/${id}/approval`, { response }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  test("revoking a token at one process ends its request at the other", { timeout: 60_000 }, async () => {
    const [program] = await newPrograms();
    const id = await ask(program, keyId, "too late");
    await personAt(1).request("DELETE", `/api/auth/tokens/${program.tokenId}`);
    const response = await assertionFor(person, id);
    const answer = await person.post(`${REQUESTS}/${id}/approval`, { response });
    assert.equal(codeOf(answer), "409 signing_request_over");
    assert.equal((await personAt(1).get(`${REQUESTS}/${id}`)).body.request.status, "refused");
  });
});
