import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { verifyStates } from "../../../src/audit/verify-states.ts";
import { runsOf, seedOf } from "../../support/share.ts";
import { openSecondHandle } from "../../support/state.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { createTestVault } from "../../support/vault.ts";
import { editAnything } from "./editor.ts";
import { changeRows, deleteAccount, readAnything } from "./operations.ts";
import { createTemplate, World } from "./world.ts";

/**
 * Random operations of three accounts, two clients and the service, in two processes on one file, while an attacker
 * edits it. Each answer is that of a model, or a refusal. After the newest rows are stored again, it is that of the
 * model.
 */

const WORLDS = runsOf(250);
/** Fewer would seldom meet what an earlier one did. */
const OPERATIONS = Math.max(80, runsOf(400));

async function operate(world: World): Promise<void> {
  const { draw } = world;
  const choice = draw(100);
  if (choice < 15) await editAnything(world);
  else if (choice < 16) await deleteAccount(world);
  else if (choice < 55) await changeRows(world);
  else await readAnything(world);
  if (world.isAttacked && draw(6) === 0) {
    await world.putBack();
    for (let count = 0; count < 4; count++) await readAnything(world);
  }
}

/** Verifies that after the attacks all rows add up to the states, in a process that starts. */
async function verifyAll(world: World): Promise<void> {
  await world.putBack();
  const verdict = await verifyStates(openSecondHandle(world.editor), createTestVault());
  assert.deepEqual(verdict, { sound: world.states.size, faults: [], missing: 0 });
}

test("each answer is the model's or a refusal, while an attacker edits rows and states", {
  timeout: 600_000,
}, async () => {
  using folder = temporaryFolder();
  const template = await createTemplate(join(folder.path, "template.db"));
  let refusals = 0;
  for (let index = 0; index < WORLDS; index++) {
    await using world = await World.create(template, join(folder.path, `${index}.db`), seedOf(index));
    for (let operation = 0; operation < OPERATIONS; operation++) {
      try {
        await operate(world);
      } catch (error) {
        throw new Error(`Seed ${seedOf(index)}, operation ${operation}`, { cause: error });
      }
    }
    await verifyAll(world);
    refusals += world.refusals;
  }
  assert.ok(refusals > 2 * WORLDS, `${refusals} refusals`);
});
