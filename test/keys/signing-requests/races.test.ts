import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { ask, assertionFor, codeOf, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Owner, Program } from "../../support/asking.ts";
import type { Answer } from "../../support/client.ts";
import { signIn } from "../../support/client.ts";

interface Story extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: Owner;
  readonly program: Program;
}

async function openStory(): Promise<Story> {
  const app = await createTestApp();
  const owner = await newOwner(app);
  const program = await newProgram(app, owner);
  return { app, owner, program, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function countEvents({ person }: Owner, name: string): Promise<number> {
  const { events } = (await person.get("/api/audit")).body;
  return events.filter(({ event }: { event: string }) => event === name).length;
}

const ROUNDS = 10;
const OVER = "409 signing_request_over";

/** Acts concurrent with an approval, and the request's state if the act comes first. */
const AGAINST: Readonly<
  Record<string, readonly [state: string, act: (story: Story, id: string) => Promise<Answer>]>
> = {
  "a decline": ["declined", ({ owner: { person } }, id) => person.post(`${REQUESTS}/${id}/decline`)],
  "a withdrawal": ["withdrawn", ({ program }, id) => program.remove(`${REQUESTS}/${id}`)],
};

describe("an approval concurrent with", () => {
  for (const [title, [state, act]] of Object.entries(AGAINST)) {
    test(`${title}: one succeeds, the other is refused`, async () => {
      await using story = await openStory();
      const { owner, program } = story;
      let signed = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const id = await ask(program, owner.keyId, `message ${round}`);
        const response = await assertionFor(owner.person, id);
        const approving = () => owner.person.post(`${REQUESTS}/${id}/approval`, { response });
        const acting = () => act(story, id);
        const [approved, acted] = round % 2 === 0
          ? await Promise.all([approving(), acting()])
          : (await Promise.all([acting(), approving()])).reverse() as [Answer, Answer];
        const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
        if (approved.status === 200) {
          signed++;
          assert.equal(codeOf(acted), OVER);
          assert.equal(request.status, "signed");
        } else {
          assert.equal(codeOf(approved), OVER);
          assert.ok(acted.status === 200 || acted.status === 204, acted.text);
          assert.deepEqual([request.status, request.signed], [state, undefined]);
        }
      }
      assert.equal(await countEvents(owner, "message_signed"), signed);
      assert.equal(await countEvents(owner, "signing_request_ended"), ROUNDS - signed);
    });
  }

  test("another approval: it signs once, also from two browsers", async () => {
    await using story = await openStory();
    const { app, owner: { person, keyId }, owner, program } = story;
    const second = { ...app.client("127.0.0.5"), authenticator: person.authenticator };
    assert.equal((await signIn(second)).status, 200);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await ask(program, keyId, `message ${round}`);
      const browsers = [person, second, person, second];
      const responses: unknown[] = [];
      for (const browser of browsers) responses.push(await assertionFor(browser, id));
      const answers = await Promise.all(
        browsers.map((browser, n) => browser.post(`${REQUESTS}/${id}/approval`, { response: responses[n] })),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      // The counter of a passkey never decreases, so an earlier assertion may be refused for that reason.
      for (const answer of answers) {
        assert.ok(["200", OVER, "401 invalid_passkey"].includes(codeOf(answer)), answer.text);
      }
      assert.equal(await countEvents(owner, "message_signed"), round + 1);
    }
  });

  test("the same assertion, many times: it signs once", async () => {
    await using story = await openStory();
    const { owner: { person, keyId }, owner, program } = story;
    const id = await ask(program, keyId);
    const response = await assertionFor(person, id);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post(`${REQUESTS}/${id}/approval`, { response })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(await countEvents(owner, "message_signed"), 1);
  });

  test("the end of its hour: an approval in the last millisecond succeeds", async () => {
    await using story = await openStory();
    const { app, owner: { person, keyId }, program } = story;
    for (const [late, expected] of [[1, "200"], [0, OVER]] as const) {
      const begun = app.now;
      const id = await ask(program, keyId, `message ${late}`);
      app.now = begun + 3_600_000 - 60_000;
      const response = await assertionFor(person, id);
      app.now = begun + 3_600_000 - late;
      assert.equal(codeOf(await person.post(`${REQUESTS}/${id}/approval`, { response })), expected);
      const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
      assert.equal(request.status, late === 1 ? "signed" : "expired");
    }
  });
});
