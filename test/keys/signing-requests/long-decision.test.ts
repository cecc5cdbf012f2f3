import assert from "node:assert/strict";
import { test } from "node:test";
import { typeHashOf } from "../../../src/ethereum/typed-data/typed-data.ts";
import { toHex } from "../../../src/lib/bytes.ts";
import { yieldToEventLoop } from "../../../src/lib/cooperative.ts";
import { createTestApp } from "../../support/app.ts";
import { assertionFor, CONTRACT, newOwner, newProgram, REQUESTS } from "../../support/asking.ts";
import type { Answer } from "../../support/client.ts";

const LISTED = ["99", "100"];

/** A policy whose rules all match the document, and ask the owner. */
const POLICY = {
  version: 1,
  typedData: Array.from({ length: 40 }, () => ({
    chainId: 1,
    verifyingContract: CONTRACT,
    typeHash: toHex(typeHashOf("List(uint256[] items)")),
    where: { "/items/*": { oneOf: LISTED } },
    outcome: "ask",
  })),
};

const DOCUMENT = {
  domain: { chainId: 1, verifyingContract: CONTRACT },
  primaryType: "List",
  types: { List: [{ name: "items", type: "uint256[]" }] },
  message: { items: new Array(4000).fill("99") },
};

/** Returns the number of turns of the event loop until a request is answered. */
async function turnsOf(answered: Promise<Answer>): Promise<number> {
  let isAnswered = false;
  let turns = 0;
  const answer = answered.finally(() => isAnswered = true);
  for (; !isAnswered; turns++) await yieldToEventLoop();
  assert.equal((await answer).status, 200, (await answer).text);
  return turns;
}

test("an approval, its page and its result yield to other requests", { timeout: 60_000 }, async () => {
  await using app = await createTestApp();
  const owner = await newOwner(app);
  const program = await newProgram(app, owner, { policy: POLICY });
  const pending = await program.post(`/api/keys/${owner.keyId}/sign-typed-data`, DOCUMENT);
  assert.equal(pending.status, 202, pending.text);
  const { id } = pending.body.request;
  const response = await assertionFor(owner.person, id);
  // The document is read in more than 15 parts, and the decision takes more than 85.
  assert.ok(await turnsOf(owner.person.get(`/requests/${id}`)) > 100);
  assert.ok(await turnsOf(owner.person.post(`${REQUESTS}/${id}/approval`, { response })) > 100);
  assert.ok(await turnsOf(program.get(`${REQUESTS}/${id}`)) > 15);
});
