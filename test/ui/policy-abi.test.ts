import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAbiFunction } from "../../src/clear-signing/abi.ts";
import { understoodFunctions } from "../../src/clear-signing/known-calls.ts";
import { readFunctions } from "../../src/ui/browser/policy-abi.client.js";

function textsOf(pasted: unknown): readonly string[] {
  const text = typeof pasted === "string" ? pasted : JSON.stringify(pasted);
  return readFunctions(text).functions.map(({ text }) => text);
}

const TRANSFER = {
  type: "function",
  name: "transfer",
  stateMutability: "nonpayable",
  inputs: [{ name: "to", type: "address" }, { name: "value", type: "uint256" }],
};

const ORDER = {
  type: "function",
  name: "fill",
  inputs: [{
    name: "orders",
    type: "tuple[2][]",
    components: [{ name: "maker", type: "address" }, { name: "", type: "uint256[]" }],
  }, { name: "", type: "bytes" }],
};

const DESCRIPTOR = {
  context: {
    contract: { deployments: [{ chainId: 1, address: "0x1111111111111111111111111111111111111111" }] },
  },
  display: { formats: { "transfer(address to,uint256 value)": {}, "0x095ea7b3": {} } },
};

describe("readFunctions()", () => {
  test("reads signatures as people write them", () => {
    const texts: readonly (readonly [written: string, text: string])[] = [
      ["transfer(address to,uint256 value)", "transfer(address to,uint256 value)"],
      [
        "function transfer(address to, uint value) external returns (bool);",
        "transfer(address to,uint256 value)",
      ],
      ["pay(address payable to, bytes calldata data)", "pay(address to,bytes data)"],
      ["approve(address,uint256)", "approve(address argument0,uint256 argument1)"],
      ["f(uint256 a,uint256 a)", "f(uint256 a,uint256 argument1)"],
      [
        "fill((address maker, uint[2] parts)[] orders, bool sure)",
        "fill((address maker,uint256[2] parts)[] orders,bool sure)",
      ],
      ["fill(tuple(address maker) calldata order)", "fill((address maker) order)"],
      ["stop()", "stop()"],
    ];
    for (const [written, text] of texts) assert.deepEqual(textsOf(written), [text]);
    assert.equal(textsOf("a(address to)\nfunction b(bool c);").length, 2);
  });

  test("reads an ABI, alone, in a compiler's file or as signatures, without functions that only read", () => {
    const written = [
      "transfer(address to,uint256 value)",
      "fill((address maker,uint256[] argument1)[2][] orders,bytes argument1)",
    ];
    const view = { ...TRANSFER, name: "balanceOf", stateMutability: "view" };
    const abi = [TRANSFER, view, { type: "event", name: "Paid", inputs: [] }, ORDER, null];
    assert.deepEqual(textsOf(abi), written);
    assert.deepEqual(textsOf({ abi }), written);
    assert.deepEqual(textsOf(["function transfer(address to, uint256 value)"]), written.slice(0, 1));
  });

  test("reads a descriptor with its contracts", () => {
    assert.deepEqual(textsOf(DESCRIPTOR), ["transfer(address to,uint256 value)"]);
    assert.deepEqual(readFunctions(JSON.stringify(DESCRIPTOR)).deployments, [
      { chainId: "1", address: "0x1111111111111111111111111111111111111111" },
    ]);
    const withAbi = { ...DESCRIPTOR, context: { contract: { abi: [ORDER] } } };
    assert.match(textsOf(withAbi)[0]!, /^fill\(/);
  });

  test("lists the values of a call by their paths", () => {
    const [fill] = readFunctions(JSON.stringify([ORDER])).functions;
    assert.deepEqual(fill!.parameters, [
      { path: "/orders/*/*/maker", type: "address" },
      { path: "/orders/*/*/argument1/*", type: "uint256" },
      { path: "/argument1", type: "bytes" },
    ]);
  });

  test("finds nothing in a text that is none", () => {
    for (
      const text of [
        "",
        "hello",
        "0x1234",
        "null",
        "1",
        '"x"',
        "{}",
        "[]",
        "f(",
        "f(IERC20 token)",
        "f(mapping a)",
        "f)a(",
      ]
    ) {
      assert.deepEqual(textsOf(text), [], text);
    }
  });

  test("leaves out entries of another form, and reads the others", () => {
    const broken = [
      { ...TRANSFER, inputs: [null] },
      { ...TRANSFER, inputs: [{ name: "a", type: "tuple", components: "b" }] },
      { ...TRANSFER, inputs: [{ name: "a", type: "tuple", components: {} }] },
      "(".repeat(100_000) + ")".repeat(100_000),
    ];
    assert.deepEqual(textsOf([...broken, TRANSFER]), ["transfer(address to,uint256 value)"]);
    const { deployments } = DESCRIPTOR.context.contract;
    const descriptor = { context: { contract: { deployments: [null, ...deployments] } } };
    assert.equal(readFunctions(JSON.stringify(descriptor)).deployments.length, 1);
  });

  test("writes every function of the standards as the service reads it", () => {
    for (const { signature, selector } of understoodFunctions()) {
      const [text] = textsOf(signature);
      assert.equal(readAbiFunction(text!)?.selector, selector, signature);
    }
  });
});
