import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInDescriptors, readInterfaces } from "../../../src/clear-signing/descriptor/built-in.ts";
import { readDescriptor } from "../../../src/clear-signing/descriptor/read.ts";
import { createDirectory } from "../../../src/clear-signing/directory.ts";
import type { LocalizedIntent } from "../../../src/clear-signing/intent.ts";
import {
  calldata,
  CONTEXT,
  NOW,
  OTHER_KEY,
  SAMPLES,
  SIGNER,
  STRANGER,
  type TypedDataJson,
  USDC,
} from "../documents.ts";
import { explainSample } from "../explain-sample.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const AAVE = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2";
const ZERO = "0x" + "00".repeat(20);

/** Explains a sample with other members in its message. */
function explainWith(name: string, changes: Readonly<Record<string, unknown>>): LocalizedIntent {
  const { typedData } = SAMPLES.find((sample) => sample.name === name) as { typedData: TypedDataJson };
  const message = { ...typedData.message, ...changes };
  return explainSample({ name, typedData: { ...typedData, message } }, CONTEXT);
}

function explainCall(
  to: string,
  text: string,
  values: readonly unknown[],
  context = CONTEXT,
): LocalizedIntent {
  const data = calldata(`function ${text}`, values);
  return explainSample({ name: text, call: { chainId: 1n, to, value: 0n, data } }, context);
}

const codesOf = ({ warnings }: LocalizedIntent): readonly string[] => warnings.map(({ code }) => code);

describe("applyRoles()", () => {
  const cow = (changes: Readonly<Record<string, unknown>>): LocalizedIntent =>
    explainWith("CoW Protocol order", changes);
  const oneInch = (changes: Readonly<Record<string, unknown>>): LocalizedIntent =>
    explainWith("1inch limit order", changes);

  test("applyRoles() gives a described order the effects of an order", () => {
    const { effects, effectsComplete, warnings } = cow({ feeAmount: "5" });
    const asset = (address: string, amount: string): unknown => ({
      standard: "erc20",
      address,
      id: null,
      amount,
    });
    assert.deepEqual(effects, [{
      effect: "exchange",
      owner: SIGNER,
      gives: [asset(USDC, "2500000000"), asset(USDC, "5")],
      receives: [asset(WETH, "780000000000000000")],
      until: String(NOW / 1000 + 1200),
    }]);
    assert.deepEqual([effectsComplete, warnings], [true, []]);
  });

  test("applyRoles() warns of a described order as of Seaport's", () => {
    const warned:
      readonly (readonly [changes: Readonly<Record<string, unknown>>, codes: readonly string[]])[] = [
        [{ receiver: ZERO }, []],
        [{ receiver: SIGNER }, []],
        [{ receiver: OTHER_KEY }, []],
        [{ receiver: STRANGER }, ["next_to_nothing"]],
        [{ buyAmount: "1" }, ["next_to_nothing"]],
        [{ validTo: NOW / 1000 - 1 }, ["expired"]],
        [{ validTo: NOW / 1000 + 400 * 86_400 }, ["far_future"]],
        [{ buyToken: STRANGER, buyAmount: "1000" }, ["unknown_contract"]],
      ];
    for (const [changes, codes] of warned) {
      assert.deepEqual(codesOf(cow(changes)), codes, JSON.stringify(changes));
    }
    assert.deepEqual(cow({ receiver: STRANGER }).effects.map((one) => "receives" in one && one.receives), [
      [],
    ]);
  });

  test("applyRoles() says the native currency of an order that buys it", () => {
    const { sentence, effects } = cow({ buyToken: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE" });
    assert.match(sentence, / for 0\.78 ETH, /);
    assert.deepEqual(effects.map((one) => "receives" in one && one.receives), [
      [{ standard: "native", address: null, id: null, amount: "780000000000000000" }],
    ]);
  });

  test("applyRoles() requires this key as the maker, and leaves open what an extension sets", () => {
    assert.deepEqual(codesOf(oneInch({ maker: STRANGER })).slice(0, 1), ["not_this_key"]);
    assert.ok(codesOf(oneInch({ takingAmount: "1", makerTraits: "0" })).includes("next_to_nothing"));
    const extended = oneInch({ takingAmount: "1", makerTraits: (1n << 249n).toString() });
    assert.ok(!codesOf(extended).includes("next_to_nothing"));
    assert.deepEqual(extended.effects.map((one) => "receives" in one && one.receives), [[]]);
  });

  test("applyRoles() finds the giver, the beneficiary and the recipient of a call", () => {
    const supply = "supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)";
    const own = explainCall(AAVE, supply, [USDC, 5n, SIGNER, 0]);
    assert.deepEqual([codesOf(own), own.effectsComplete], [[], true]);
    const asset = { standard: "erc20", address: USDC, id: null, amount: "5" };
    assert.deepEqual(own.effects.at(-1), { effect: "transfer", from: SIGNER, to: AAVE, asset, until: null });
    assert.deepEqual(codesOf(explainCall(AAVE, supply, [USDC, 5n, STRANGER, 0])), ["not_this_key"]);
    const withdraw = "withdraw(address asset,uint256 amount,address to)";
    assert.deepEqual(explainCall(AAVE, withdraw, [USDC, 5n, SIGNER]).effects.map(({ effect }) => effect), [
      "call",
    ]);
    const away = explainCall(AAVE, withdraw, [USDC, 5n, STRANGER]);
    assert.deepEqual(away.effects.at(-1), {
      effect: "transfer",
      from: SIGNER,
      to: STRANGER,
      asset,
      until: null,
    });
  });

  test("applyRoles() holds whatever words and names an operator's descriptor has, and believes no roles of it", () => {
    const { descriptor } = readDescriptor("harmless", {
      $schema: "erc7730-v2.schema.json",
      context: { contract: { deployments: [{ chainId: 1, address: AAVE }] } },
      display: {
        formats: {
          "supply(address a,uint256 b,address c,uint16 d)": { intent: "Say hello", fields: [], roles: {} },
          "wave(uint256 a)": { intent: "Wave", fields: [], roles: {} },
        },
      },
    });
    const context = { ...CONTEXT, directory: createDirectory([], [descriptor, ...builtInDescriptors()]) };
    const supply = "supply(address a,uint256 b,address c,uint16 d)";
    const intent = explainCall(AAVE, supply, [USDC, 5n, STRANGER, 0], context);
    assert.match(intent.sentence, /^Say hello\. /);
    assert.deepEqual(codesOf(intent), ["not_this_key"]);
    assert.equal(intent.effects.length, 2);
    const wave = explainCall(AAVE, "wave(uint256 a)", [5n], context);
    assert.deepEqual([wave.kind, wave.effectsComplete], ["described", false]);
  });

  test("applyRoles() requires this key as the owner and receiver of a vault that only an operator describes", () => {
    const vault = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
    const key = "redeem(uint256 a,address b,address c)";
    const { descriptor } = readDescriptor("vault", {
      $schema: "erc7730-v2.schema.json",
      context: { contract: { deployments: [{ chainId: 1, address: vault }] } },
      display: { formats: { [key]: { intent: "Redeem", fields: [{ path: "a", label: "Shares" }] } } },
    });
    const context = { ...CONTEXT, directory: createDirectory([], [descriptor], readInterfaces()) };
    const redeem = (receiver: string, owner: string): LocalizedIntent =>
      explainCall(vault, key, [5n, receiver, owner], context);
    assert.deepEqual([codesOf(redeem(SIGNER, SIGNER)), redeem(SIGNER, SIGNER).effectsComplete], [[], false]);
    assert.deepEqual(codesOf(redeem(SIGNER, STRANGER)), ["not_this_key"]);
    assert.deepEqual(codesOf(redeem(STRANGER, SIGNER)), ["not_this_key"]);
    const unknown = { ...CONTEXT, directory: createDirectory([], [], readInterfaces()) };
    assert.equal(explainCall(vault, key, [5n, SIGNER, SIGNER], unknown).kind, "contract_call");
  });
});
