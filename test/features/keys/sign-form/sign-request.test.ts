import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Explanation } from "../../../../src/features/keys/sign-form/review.client.js";
import {
  bodyToSign,
  kindOf,
  KINDS,
  makeRequest,
  resultOf,
} from "../../../../src/features/keys/sign-form/sign-request.client.js";
import { signSection } from "../../../../src/features/keys/sign-form/section.ts";
import { installMessages } from "../../../support/page-messages.ts";

installMessages("en");

const COMMON = {
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  digest: "0x11",
} as const;
const MESSAGE: Explanation = { ...COMMON, kind: "message" };
const TRANSACTION: Explanation = { ...COMMON, kind: "transaction", unsigned: "0xe9" };
const AUTHORIZATION: Explanation = {
  ...COMMON,
  kind: "authorization",
  authorization: { chainId: "1", address: "0xBb", nonce: "18446744073709551613" },
};

test("the form offers every kind, and no other", () => {
  const key = { archived: false, label: "Key 1", address: "0x12" } as Parameters<typeof signSection>[0];
  const values = [...String(signSection(key, "en")).matchAll(/name="kind" value="(\w+)"/g)].map(([, value]) =>
    value
  );
  assert.deepEqual(values.toSorted(), Object.keys(KINDS).toSorted());
  assert.throws(() => kindOf("other"), TypeError);
});

describe("makeRequest()", () => {
  test("keeps a text as it is typed, and trims other input", () => {
    assert.equal(makeRequest("personal_sign", " 0x ").body, '{"message":" 0x ","format":"personal_sign"}');
    const bytes = { message: "0xab", format: "personal_sign", encoding: "hex" };
    assert.deepEqual(JSON.parse(makeRequest("personal_bytes", " 0xab\n").body), bytes);
    assert.equal(makeRequest("typed_data", " {} ").body, "{}");
  });

  test("sends the members of a transaction verbatim, and its bytes as an unsigned transaction", () => {
    assert.equal(
      makeRequest("transaction", '{"nonce": 9007199254740993}').body,
      '{"nonce": 9007199254740993}',
    );
    assert.equal(makeRequest("transaction", "0x02c0\n").body, '{"unsigned":"0x02c0"}');
  });
});

describe("bodyToSign()", () => {
  test("returns the bytes of a transaction, and the displayed members of an authorization", () => {
    const request = makeRequest("transaction", '{"to": null}');
    assert.equal(bodyToSign(request, TRANSACTION), '{"unsigned":"0xe9"}');
    const text = '{"chainId": "0x1"}';
    const members = { chainId: "1", address: "0xBb", nonce: "18446744073709551613" };
    assert.deepEqual(JSON.parse(bodyToSign(makeRequest("authorization", text), AUTHORIZATION)!), members);
    assert.equal(
      bodyToSign(makeRequest("personal_sign", "a"), MESSAGE),
      makeRequest("personal_sign", "a").body,
    );
  });

  test("returns undefined if the service explained another kind than the form sent", () => {
    const explanations: readonly Explanation[] = [MESSAGE, TRANSACTION, AUTHORIZATION];
    for (const kind of Object.keys(KINDS)) {
      for (const explanation of explanations) {
        const isSame: boolean = kindOf(kind).explainedAs === explanation.kind;
        assert.equal(bodyToSign(makeRequest(kind, "{}"), explanation) !== undefined, isSame, kind);
      }
    }
  });
});

describe("resultOf()", () => {
  test("shows the result of each kind", () => {
    const names = (explanation: Explanation, answer: unknown) =>
      resultOf(explanation, answer)?.map(({ id, value }) => [id, value]);
    assert.deepEqual(names(MESSAGE, { digest: "0x11", signature: "0x5" }), [
      ["signature", "0x5"],
      ["signed-digest", "0x11"],
    ]);
    const signed = { serializedTransaction: "0x6", hash: "0x7", from: COMMON.address };
    assert.deepEqual(names(TRANSACTION, signed), [["serialized-transaction", "0x6"], [
      "transaction-hash",
      "0x7",
    ]]);
    const tuple = {
      chainId: 1,
      address: "0xBb",
      nonce: "18446744073709551613",
      r: "0x1",
      s: "0x2",
      yParity: 0,
    };
    assert.deepEqual(names(AUTHORIZATION, tuple), [["signed-authorization", JSON.stringify(tuple)]]);
  });

  test("returns undefined if the signed digest is not the displayed one", () => {
    assert.equal(resultOf(MESSAGE, { digest: "0x12", signature: "0x5" }), undefined);
    assert.equal(
      resultOf(TRANSACTION, { serializedTransaction: "0x6", hash: "0x7", from: "0x0" }),
      undefined,
    );
    for (const wrong of [{ chainId: 2 }, { address: "0xCc" }, { nonce: 0 }]) {
      const tuple = { chainId: 1, address: "0xBb", nonce: "18446744073709551613", ...wrong };
      assert.equal(resultOf(AUTHORIZATION, tuple), undefined, JSON.stringify(wrong));
    }
  });
});
