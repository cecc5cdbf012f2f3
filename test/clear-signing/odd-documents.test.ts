import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDirectory } from "../../src/clear-signing/directory.ts";
import { readDescriptor } from "../../src/clear-signing/descriptor/read.ts";
import { SEAPORTS } from "../../src/clear-signing/registry/contracts.ts";
import { malformedSignInWarnings } from "../../src/clear-signing/standard/sign-in.ts";
import { assertLinear } from "../support/growth.ts";
import { calldata, CONTEXT } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";

const CONTRACT = "0x3333333333333333333333333333333333333333";

/** Describes a call of `f(int256 x)` by a descriptor with this format and token, and returns its kind. */
function kindOf(value: bigint, format: object, token?: object): string {
  const { descriptor } = readDescriptor("odd", {
    $schema: "erc7730-v2.schema.json",
    context: { contract: { deployments: [{ chainId: 1, address: CONTRACT }] } },
    metadata: { owner: "Odd", ...token === undefined ? {} : { token } },
    display: {
      formats: { "f(int256 x)": { intent: "Act", fields: [{ path: "x", label: "X", ...format }] } },
    },
  });
  const data = calldata("function f(int256 x)", [value]);
  const context = { ...CONTEXT, directory: createDirectory([], [descriptor]) };
  return explainSample({ name: "odd", call: { chainId: 1n, to: CONTRACT, value: 0n, data } }, context).kind;
}

describe("a descriptor", () => {
  const FORMATS = {
    date: { format: "date", params: { encoding: "timestamp" } },
    amount: { format: "amount" },
    duration: { format: "duration" },
    tokenAmount: { format: "tokenAmount", params: {} },
  };
  for (const [name, format] of Object.entries(FORMATS)) {
    test(`says a number as ${name}, but no negative one`, () => {
      assert.equal(kindOf(5n, format), "described");
      for (const value of [-1n, -(2n ** 200n)]) assert.notEqual(kindOf(value, format), "described");
    });
  }

  test("names no token with fewer than 0 or more than 77 decimals", () => {
    const tokenOf = (decimals: number) =>
      readDescriptor("odd", {
        $schema: "erc7730-v2.schema.json",
        context: { contract: { deployments: [{ chainId: 1, address: CONTRACT }] } },
        metadata: { owner: "Odd", token: { ticker: "ODD", decimals } },
        display: { formats: {} },
      }).descriptor.token;
    for (const decimals of [-3, 78, 1e6, 0.5]) assert.equal(tokenOf(decimals), undefined, `${decimals}`);
    for (const decimals of [0, 77]) assert.deepEqual(tokenOf(decimals), { symbol: "ODD", decimals });
  });
});

test("a tree of Seaport orders with a member before the tree is no tree of orders", () => {
  const [version, verifyingContract] = Object.entries(SEAPORTS)[0]!;
  const members = (text: string) =>
    text.split(",").map((member) => {
      const [type, name] = member.split(" ");
      return { type: type!, name: name! };
    });
  const item =
    "uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount";
  const document = {
    domain: { name: "Seaport", version, chainId: 1, verifyingContract },
    primaryType: "BulkOrder",
    message: { x: [], tree: 1 },
    types: {
      BulkOrder: members("OrderComponents[] x,uint256 tree"),
      OfferItem: members(item),
      ConsiderationItem: members(`${item},address recipient`),
      OrderComponents: members(
        "address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType," +
          "uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter",
      ),
    },
  };
  const { kind } = explainSample({ name: "bulk", typedData: document }, CONTEXT);
  assert.notEqual(kind, "seaport_order");
});

test("malformedSignInWarnings() takes linear time for lines of spaces", () => {
  for (const line of ["\n", " \n"]) {
    const textOf = (count: number) => "wants you to sign in with your Ethereum account" + line.repeat(count);
    assertLinear((count) => void malformedSignInWarnings(textOf(count), CONTEXT), 4_000);
  }
});
