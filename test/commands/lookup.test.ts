import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress, parseIpAddress } from "../../src/lib/ip-address.ts";
import { runProgram, shippedRuntime } from "../support/program.ts";

const LOOK_UP = new URL("./program/look-up.ts", import.meta.url);

test("lookup() resolves names with the shipped permissions, and returns none for an unknown name", async () => {
  const { stdout, stderr } = await runProgram(shippedRuntime(), LOOK_UP);
  const [local, unknown] = JSON.parse(stdout || `"${stderr}"`) as string[][];
  assert.ok(local!.length > 0);
  for (const address of local!) assert.equal(isPublicAddress(parseIpAddress(address)!), false, address);
  assert.deepEqual(unknown, []);
});
