import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashMessage, parseTransaction, serializeTransaction } from "viem";
import { isUnsignedTransaction } from "../../../../src/features/keys/sign-form/dapp-transaction.client.js";
import { arrayItems, objectMembers } from "../../../../src/ui/browser/json-source.client.js";
import { detectPayload } from "../../../../src/features/keys/sign-form/detect-payload.client.js";
import { installMessages } from "../../../support/page-messages.ts";

installMessages("en");

const OURS = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const OTHER = "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB";
// A number that a double cannot hold, and a repeated member. Both must survive.
const TYPED_DATA =
  '{"types": {"A": [{"name": "n", "type": "uint256"}]}, "primaryType": "A", "domain": {}, "message": {"n": 9007199254740993, "n": 1}}';
const TRANSACTION = { to: OTHER, value: "0x1", data: "0x", gas: "0x5208" };
const FULL =
  `{"type": "eip1559", "chainId": 1, "nonce": 0, "to": "${OTHER}", "gas": 21000, "maxFeePerGas": 2, "maxPriorityFeePerGas": 1}`;

function request(method: string, ...params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

describe("detectPayload()", () => {
  test("returns typed data verbatim, from any wrapper", () => {
    const wrapped = [
      TYPED_DATA,
      `  ${TYPED_DATA}\n`,
      JSON.stringify(TYPED_DATA),
      JSON.stringify(JSON.stringify(TYPED_DATA)),
      JSON.stringify(TYPED_DATA).slice(1, -1),
      `["${OURS}", ${TYPED_DATA}]`,
      `["${OURS}", ${JSON.stringify(TYPED_DATA)}]`,
      `{"method": "eth_signTypedData_v4", "params": ["${OURS.toLowerCase()}", ${TYPED_DATA}]}`,
      request("eth_signTypedData_v4", OURS, TYPED_DATA),
      JSON.stringify(request("eth_signTypedData_v4", OURS, TYPED_DATA)),
      request("eth_signTypedData_v3", OURS, TYPED_DATA),
    ];
    for (const text of wrapped) {
      assert.deepEqual(
        detectPayload(text, OURS),
        { kind: "typed_data", text: TYPED_DATA, name: "typed data" },
        text,
      );
    }
  });

  test("warns if a request names another account than the key", () => {
    const requests = [
      request("eth_signTypedData_v4", OTHER, TYPED_DATA),
      request("personal_sign", "0x68656c6c6f", OTHER),
      request("eth_sendTransaction", { from: OTHER, ...TRANSACTION }),
      request("eth_signTransaction", { from: OTHER, ...TRANSACTION }),
      JSON.stringify({ from: OTHER, ...TRANSACTION }),
    ];
    for (const text of requests) assert.ok(detectPayload(text, OURS)?.warning?.includes(OTHER), text);
    for (const text of requests) {
      assert.equal(detectPayload(text, OTHER.toLowerCase())?.warning, undefined, text);
    }
    assert.match(
      detectPayload(request("personal_sign", "hi", "ada.eth\u202E"), OURS)?.warning ?? "",
      /something that is not an address/,
    );
  });

  test("reads the bytes of personal_sign as text if they are valid text, and as bytes otherwise", () => {
    const cases = [
      ["0x68656c6c6f", "personal_sign", "hello"],
      ["hello", "personal_sign", "hello"],
      ["0xZZ", "personal_sign", "0xZZ"],
      ["0x123", "personal_sign", "0x123"],
      ["0xc3a9", "personal_sign", "é"],
      ["0xefbbbf61", "personal_sign", "\uFEFFa"],
      // Invalid UTF-8; a carriage return, which a field would drop; a zero byte.
      ["0xff", "personal_bytes", "0xff"],
      ["0x610d0a62", "personal_bytes", "0x610d0a62"],
      ["a\r\nb", "personal_bytes", "0x610d0a62"],
      ["0x6100", "personal_bytes", "0x6100"],
    ] as const;
    for (const [data, kind, text] of cases) {
      const found = detectPayload(request("personal_sign", data, OURS), OURS);
      assert.deepEqual([found?.kind, found?.text], [kind, text], data);
      const isHex = /^0x(?:[0-9a-f]{2})*$/i.test(data);
      const expected = hashMessage(isHex ? { raw: data as `0x${string}` } : data);
      assert.equal(
        hashMessage(kind === "personal_bytes" ? { raw: text as `0x${string}` } : text),
        expected,
        data,
      );
    }
    for (const data of ["", "0x", "\uD800", 5, null]) {
      assert.equal(detectPayload(request("personal_sign", data, OURS), OURS), undefined);
    }
  });

  test("reads personal_sign with its parameters in either order", () => {
    const found = detectPayload(request("personal_sign", OURS, "hello"), OURS);
    assert.deepEqual(found, { kind: "personal_sign", text: "hello", name: "a message" });
  });

  test("removes the sender of a transaction and sets its type, and neither adds nor rounds a value", () => {
    const value = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    const text = `{"from": "${OURS}", "to": "${OTHER}", "value": ${value}, "gasPrice": null, "type": "0x2"}`;
    const found = detectPayload(`{"method": "eth_signTransaction", "params": [${text}]}`, OURS);
    assert.equal(found?.text, `{\n  "type": "eip1559",\n  "to": "${OTHER}",\n  "value": ${value}\n}`);
    assert.equal(
      found?.hint,
      "Missing: chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas. Add them yourself, because this service does not query a chain.",
    );
  });

  test("sets the type that has these members", () => {
    const cases = [
      [{}, "eip1559"],
      [{ gasPrice: "0x1" }, "legacy"],
      [{ gasPrice: "0x1", accessList: [] }, "eip2930"],
      [{ maxFeePerGas: "0x1" }, "eip1559"],
      [{ blobVersionedHashes: [] }, "eip4844"],
      [{ authorizationList: [] }, "eip7702"],
      [{ type: "0x4" }, "eip7702"],
      [{ type: 0 }, "legacy"],
      [{ type: "eip4844" }, "eip4844"],
      // The service refuses it and lists the names it knows.
      [{ type: "0x7b" }, "0x7b"],
      [{ type: "" }, ""],
    ] as const;
    for (const [more, type] of cases) {
      const found = detectPayload(JSON.stringify({ from: OURS, ...TRANSACTION, ...more }), OURS);
      assert.equal(JSON.parse(found!.text).type, type, JSON.stringify(more));
    }
  });

  test("keeps a null recipient, which creates a contract, and does not add one", () => {
    const making = detectPayload(JSON.stringify({ from: OURS, to: null, data: "0x00", gas: 1 }), OURS);
    assert.equal(JSON.parse(making!.text).to, null);
    const silent = detectPayload(JSON.stringify({ from: OURS, data: "0x00", gas: 1 }), OURS);
    assert.ok(!("to" in JSON.parse(silent!.text)));
    assert.match(silent!.hint ?? "", /Missing: .*\bto\b/);
  });

  test("does not change a transaction that the service accepts", () => {
    assert.deepEqual(detectPayload(FULL, OURS), { kind: "transaction", text: FULL, name: "a transaction" });
  });

  test("warns for eth_sendTransaction that nothing is sent", () => {
    const [sent, signed] = ["eth_sendTransaction", "eth_signTransaction"].map((method) =>
      detectPayload(request(method, { from: OURS, ...TRANSACTION }), OURS)
    );
    assert.match(sent!.hint!, /^It will be signed but not sent\. Missing:/);
    assert.doesNotMatch(signed!.hint!, /not sent/);
    assert.equal(sent!.text, signed!.text);
  });

  test("recognises an authorization by its three members", () => {
    const text = `{"chainId": 1, "address": "${OTHER}", "nonce": 18446744073709551613}`;
    assert.deepEqual([detectPayload(text, OURS)?.kind, detectPayload(text, OURS)?.text], [
      "authorization",
      text,
    ]);
    assert.equal(detectPayload(`{"address": "${OTHER}", "nonce": 1}`, OURS), undefined);
  });

  test("returns undefined for any other text", () => {
    const texts = [
      "",
      "hello",
      '"hello"',
      "{}",
      "[]",
      "[[[]]]",
      "null",
      "5",
      "0x",
      "0xdeadbeef",
      `0x${"ab".repeat(32)}`,
      OURS,
      "{",
      '{"types": 1}',
      '{"types": null, "message": {}}',
      request("eth_sign", OURS, `0x${"ab".repeat(32)}`),
      request("eth_signTypedData_v4", OURS),
      request("personal_sign"),
      request("toString", OURS, TYPED_DATA),
      '{"method": "personal_sign", "params": {}}',
      // A repeated member has two readings.
      `{"method": "personal_sign", "method": "eth_sign", "params": ["0x61", "${OURS}"]}`,
      `{"from": "${OURS}", "to": "${OURS}", "to": "${OTHER}", "gas": 1}`,
    ];
    for (const text of texts) assert.equal(detectPayload(text, OURS), undefined, text);
  });
});

describe("isUnsignedTransaction()", () => {
  const members = { chainId: 1, nonce: 0, gas: 21000n, to: OTHER as `0x${string}`, value: 1n } as const;
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const;
  const unsigned = [
    serializeTransaction({ ...members, type: "legacy", gasPrice: 1n }),
    serializeTransaction({ ...members, type: "eip2930", gasPrice: 1n }),
    serializeTransaction({ ...members, ...fees, type: "eip1559" }),
    serializeTransaction({ ...members, ...fees, type: "eip1559", data: `0x${"ab".repeat(300)}` }),
    serializeTransaction({ ...members, ...fees, type: "eip1559", data: `0x${"ab".repeat(70_000)}` }),
  ];

  test("accepts transactions serialised by other libraries", () => {
    for (const text of unsigned) {
      parseTransaction(text);
      assert.ok(isUnsignedTransaction(text), text.slice(0, 40));
      assert.equal(detectPayload(text, OURS)?.kind, "transaction");
    }
  });

  test("refuses truncated, longer and unknown ones", () => {
    for (const text of unsigned) {
      for (
        const wrong of [
          text.slice(0, -2),
          `${text}00`,
          text.slice(0, -1),
          text.slice(2),
          `0x05${text.slice(4)}`,
        ]
      ) {
        if (wrong.startsWith("0x05f8") || !wrong.startsWith("0x05")) {
          assert.equal(isUnsignedTransaction(wrong), false, wrong.slice(0, 40));
        }
      }
    }
  });
});

describe("JSON source text", () => {
  test("objectMembers() and arrayItems() return the source text of each part", () => {
    assert.deepEqual(objectMembers(' { "a\\"b" : [1, {"c": "},:"}] ,"d":1e3, "e": {} } '), [
      { name: 'a"b', source: '[1, {"c": "},:"}]' },
      { name: "d", source: "1e3" },
      { name: "e", source: "{}" },
    ]);
    assert.deepEqual(arrayItems('[ "a,]" , [1,2], {"b":1}, 9007199254740993 ]'), [
      '"a,]"',
      "[1,2]",
      '{"b":1}',
      "9007199254740993",
    ]);
    assert.deepEqual([objectMembers("{}"), arrayItems("[]")], [[], []]);
  });

  test("objectMembers() and arrayItems() return undefined for anything else", () => {
    for (const text of ["", "{", "[1,]", "null", '"a"', '{"a":1,"a":1}', '{"a":1,"\\u0061":2}', "[]"]) {
      assert.equal(objectMembers(text), undefined, text);
    }
    for (const text of ["", "[", "[1,]", "{}", "null"]) assert.equal(arrayItems(text), undefined, text);
  });
});
