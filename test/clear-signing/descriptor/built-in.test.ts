import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Abi, encodeFunctionData } from "viem";
import type { AbiParameter, AbiType } from "../../../src/clear-signing/abi.ts";
import { builtInDescriptors } from "../../../src/clear-signing/descriptor/built-in.ts";
import type { DescribedFormat } from "../../../src/clear-signing/descriptor/descriptor.ts";
import { type Intent, localizeIntent } from "../../../src/clear-signing/intent.ts";
import { calldata, CONTEXT, MOST, SIGNER, STRANGER, typedData, USDC } from "../documents.ts";
import { intentOf } from "../explain-sample.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const TOKENS = [USDC, WETH];
const MORPHO = "0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb";
const MARKET = [USDC, WETH, STRANGER, STRANGER, 860_000_000_000_000_000n];

function explainCall(to: string, text: string, values: readonly unknown[], value = 0n, chainId = 1n): Intent {
  const sample = { name: text, call: { chainId, to, value, data: calldata(`function ${text}`, values) } };
  return intentOf(sample, CONTEXT);
}

interface Component {
  readonly name: string;
  readonly type: string;
  readonly components?: readonly Component[];
}

/** Returns a parameter in the form of viem. */
function component({ name, type }: AbiParameter): Component {
  let [leaf, dimensions]: readonly [AbiType, string] = [type, ""];
  while (leaf.kind === "array") {
    [leaf, dimensions] = [leaf.item, `[${leaf.length ?? ""}]${dimensions}`];
  }
  return leaf.kind === "tuple"
    ? { name, type: `tuple${dimensions}`, components: leaf.components.map(component) }
    : { name, type: leaf.text + dimensions };
}

/** Returns a value of a type: the signer, tokens, and small numbers. */
function valueOf(type: AbiType, name: string): unknown {
  switch (type.kind) {
    case "array":
      return Array.from({ length: type.length ?? 2 }, () => valueOf(type.item, name));
    case "tuple":
      return Object.fromEntries(type.components.map((one) => [one.name, valueOf(one.type, one.name)]));
    case "address":
      return /token|asset/i.test(name) || name === "path" ? TOKENS[name.length % 2] : SIGNER;
    case "bool":
      return true;
    case "string":
      return "name";
    case "uint":
    case "int":
      return type.size < 48 ? 1 : 5_000_000n;
    case "bytes":
      return USDC + "000bb8" + WETH.slice(2);
    case "fixed-bytes":
      return "0x" + SIGNER.slice(2).padStart(2 * type.size, "0");
  }
}

function callOf(to: string, { called, parameters }: DescribedFormat, chainId: bigint): Intent {
  const name = called!.signature.slice(0, called!.signature.indexOf("("));
  const inputs = parameters.map(component);
  const abi = [{ type: "function", name, inputs, outputs: [], stateMutability: "payable" }] as unknown as Abi;
  const args = parameters.map(({ type, name }) => valueOf(type, name));
  const data = encodeFunctionData({ abi, functionName: name, args });
  return intentOf({ name, call: { chainId, to, value: 10n ** 17n, data } }, CONTEXT);
}

const ADDRESS = /0x[0-9a-fA-F]{40}/g;

describe("builtInDescriptors()", () => {
  const calls = builtInDescriptors().filter(({ context }) => context === "contract");

  test("builtInDescriptors() has what people meet most", () => {
    const formats = builtInDescriptors().reduce((sum, { formats }) => sum + formats.size, 0);
    assert.ok(formats >= 60, String(formats));
  });

  for (const { name, deployments, formats } of calls) {
    for (const format of formats.values()) {
      test(`builtInDescriptors() describes ${format.called!.signature} of ${name.en} in both languages`, () => {
        const { chainId, address } = deployments[0]!;
        const intent = callOf(address, format, BigInt(chainId));
        assert.equal(intent.kind, "described");
        assert.ok(format.template !== undefined, "a field of the sentence is not found");
        const [english, german] = [localizeIntent(intent, "en"), localizeIntent(intent, "de")];
        assert.notEqual(english.sentence, german.sentence);
        assert.doesNotMatch(english.sentence + german.sentence, /[{}]|undefined/);
        assert.deepEqual(german.sentence.match(ADDRESS)?.sort(), english.sentence.match(ADDRESS)?.sort());
        assert.ok(english.warnings.every(({ level }) => level !== "red"), JSON.stringify(english.warnings));
      });
    }
  }

  const path = [USDC, WETH];
  const sentences: readonly (readonly [intent: Intent, sentence: RegExp, codes: readonly string[]])[] = [
    [
      explainCall(
        "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D",
        "swapExactTokensForETH(uint256 a,uint256 b,address[] c,address d,uint256 e)",
        [5_000_000n, 10n ** 15n, path, STRANGER, 1n],
      ),
      /^Swap 5 USDC for at least 0\.001 ETH, sent to 0x2B5A\w+\. By Uniswap V2 Router /,
      [],
    ],
    [
      explainCall(
        "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
        "exactOutput((bytes a,address b,uint256 c,uint256 d) e)",
        [[`${WETH}000bb8${USDC.slice(2)}`, "0x" + "1".padStart(40, "0"), 10n ** 15n, 5_000_000n]],
      ),
      /^Swap at most 5 USDC for 0\.001 WETH, sent to this key \(/,
      [],
    ],
    [
      explainCall("0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb", "setAuthorization(address a,bool b)", [
        STRANGER,
        true,
      ]),
      /^Let 0x2B5A\w+ manage every position of this key: yes\. By Morpho \(0xBBBB/,
      ["unknown_contract"],
    ],
    [
      explainCall(
        MORPHO,
        "supply((address a,address b,address c,address d,uint256 e) f,uint256 g,uint256 h,address i,bytes j)",
        [MARKET, 5_000_000n, 0n, STRANGER, "0x"],
      ),
      /^Lend 5 USDC, or 0 shares if that is zero, in the name of 0x2B5A\w+\. /,
      ["not_this_key"],
    ],
    [
      explainCall(
        "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d",
        "depositForBurn(uint256 a,uint32 b,bytes32 c,address d,bytes32 e,uint256 f,uint32 g)",
        [5_000_000n, 6, "0x" + STRANGER.slice(2).padStart(64, "0"), USDC, "0x" + "00".repeat(32), 0n, 1000],
      ),
      /^Send 5 USDC to 0x2B5A\w+ on the chain Base\. By CCTP /,
      [],
    ],
    [
      explainCall(
        "0x408ED6354d4973f66138C91495F2f2FCbd8724C3",
        "castVote(uint256 a,uint8 b)",
        [77n, 1],
      ),
      /^Vote on the proposal 77: in favour\. /,
      [],
    ],
  ];
  for (const [intent, sentence, codes] of sentences) {
    test(`builtInDescriptors() says ${sentence.source.slice(1, 50)}`, () => {
      const english = localizeIntent(intent, "en");
      assert.match(english.sentence, sentence);
      assert.deepEqual(english.warnings.map(({ code }) => code), codes);
    });
  }

  test("builtInDescriptors() gives a swap its exchange, and none of it to the owner if another receives", () => {
    const swap = (to: string): Intent =>
      explainCall(
        "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D",
        "swapExactTokensForTokens(uint256 a,uint256 b,address[] c,address d,uint256 e)",
        [5_000_000n, 7n, path, to, MOST],
      );
    const asset = (address: string, amount: string): unknown => ({
      standard: "erc20",
      address,
      id: null,
      amount,
    });
    const exchange = { effect: "exchange", owner: SIGNER, gives: [asset(USDC, "5000000")], until: null };
    assert.deepEqual(swap(SIGNER).effects.at(-1), { ...exchange, receives: [asset(WETH, "7")] });
    assert.deepEqual(swap(STRANGER).effects.at(-1), { ...exchange, receives: [] });
    assert.equal(swap(SIGNER).effectsComplete, true);
  });

  test("builtInDescriptors() says that a document gives a power that no effect shows", () => {
    const intent = intentOf({
      name: "Morpho",
      typedData: typedData({ chainId: 1, verifyingContract: MORPHO }, {
        Authorization:
          "address authorizer, address authorized, bool isAuthorized, uint256 nonce, uint256 deadline",
      }, { authorizer: STRANGER, authorized: STRANGER, isAuthorized: true, nonce: 0, deadline: 1 }),
    }, CONTEXT);
    assert.deepEqual(intent.warnings.map(({ code }) => code), [
      "not_this_key",
      "expired",
      "unknown_contract",
    ]);
    assert.deepEqual([intent.effects, intent.effectsComplete], [[], false]);
  });
});
