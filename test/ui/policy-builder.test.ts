import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf } from "../../src/ui/browser/policy-builder.client.js";

test("requestOf() reads a body, a wallet's request, unsigned bytes and a text", () => {
  const typed = { types: {}, primaryType: "Pay", domain: {}, message: {} };
  const transaction = { to: "0x1111111111111111111111111111111111111111", value: "0x1" };
  const unsigned = `0x02${"ab".repeat(40)}`;
  const from = "0x2222222222222222222222222222222222222222";
  const read: readonly (readonly [written: unknown, body: unknown])[] = [
    [typed, typed],
    [{ method: "eth_signTypedData_v4", params: [from, JSON.stringify(typed)] }, typed],
    [{ method: "eth_signTypedData_v4", params: [from, typed] }, typed],
    [{ method: "personal_sign", params: ["hello", from] }, { message: "hello" }],
    [{ method: "personal_sign", params: ["0x12", from] }, { message: "0x12", encoding: "hex" }],
    [{ method: "eth_sendTransaction", params: [{ from, ...transaction }] }, transaction],
    [{ method: "eth_signTransaction", params: [{ from, ...transaction }] }, transaction],
    [{ method: "eth_accounts", params: [] }, { method: "eth_accounts", params: [] }],
    [[1], [1]],
    // A text to sign would get another decision.
    ...[["eth_signTypedData_v4", [from, "{"]], ["eth_sendTransaction", []]].map(([method, params]) =>
      [{ method, params }, { method, params }] as const
    ),
  ];
  for (const [written, body] of read) assert.deepEqual(JSON.parse(requestOf(JSON.stringify(written))), body);
  const texts: readonly (readonly [written: string, body: object])[] = [
    [` ${unsigned}\n`, { unsigned }],
    ["hello ", { message: "hello " }],
    [`0x${"02".repeat(32)}`, { message: `0x${"02".repeat(32)}` }],
    ["12", { message: "12" }],
    ["null", { message: "null" }],
    ['{"method":"personal_sign","params":', { message: '{"method":"personal_sign","params":' }],
  ];
  for (const [written, body] of texts) assert.deepEqual(JSON.parse(requestOf(written)), body);
  // The text of a number is sent as it is written.
  assert.equal(requestOf('{"chainId":9007199254740993}'), '{"chainId":9007199254740993}');
});
