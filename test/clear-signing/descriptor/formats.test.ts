import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDirectory } from "../../../src/clear-signing/directory.ts";
import type { LocalizedIntent } from "../../../src/clear-signing/intent.ts";
import { readDescriptor } from "../../../src/clear-signing/descriptor/read.ts";
import { calldata, CONTEXT, MOST, OTHER_KEY, SIGNER, STRANGER, USDC } from "../documents.ts";
import { explainSample } from "../explain-sample.ts";

type Json = Readonly<Record<string, unknown>>;

const VAULT = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const WORD = (hex: string): string => "0x" + hex.padStart(64, "0");

const METADATA = {
  constants: { most: "0x" + "f".repeat(64), unit: "POL", native: NATIVE, seven: 7, five: "5" },
  enums: { rate: { "1": "stable", "2": "variable" } },
  maps: { underlying: { values: { "1": USDC, "10": STRANGER } } },
};

/** Describes a call of a function with one format, and returns the intent. */
function explain(
  key: string,
  values: readonly unknown[],
  fields: readonly Json[],
  { metadata = {}, value = 0n, ...format }: { metadata?: Json; value?: bigint; interpolatedIntent?: string } =
    {},
): LocalizedIntent {
  const { descriptor, refused } = readDescriptor("vault", {
    $schema: "erc7730-v2.schema.json",
    context: { contract: { deployments: [{ chainId: 1, address: VAULT }] } },
    metadata: { ...METADATA, ...metadata },
    display: { formats: { [key]: { intent: "Act", fields, ...format } } },
  });
  assert.deepEqual(refused, []);
  const data = calldata(`function ${key}`, values);
  const context = { ...CONTEXT, directory: createDirectory([], [descriptor]) };
  return explainSample({ name: "vault", call: { chainId: 1n, to: VAULT, value, data } }, context);
}

/** Returns the labels and values that the descriptor shows, or the kind if nothing is described. */
function shown(...given: Parameters<typeof explain>): unknown {
  const { kind, fields } = explain(...given);
  // The last three are the contract, the value sent along and the gas, then the chain.
  return kind === "described" ? fields.slice(0, -4).map(({ label, value }) => `${label}: ${value}`) : kind;
}

/** A type, a value, the format with its parameters, and the text. */
const VALUES: readonly (readonly [type: string, value: unknown, field: Json, text: string])[] = [
  ["uint256", 1000n, {}, "1000"],
  ["bytes", "0x1234", {}, "0x1234"],
  ["bool", true, {}, "true"],
  ["string", 'a"b\u202E', {}, '“a"b[U+202E]”'],
  ["uint256", 10n ** 17n, { format: "amount" }, "0.1 ETH"],
  ["uint256", 5n, { format: "tokenAmount", params: { token: USDC } }, "0.000005 USDC"],
  ["uint256", 5n, { format: "tokenAmount", params: {} }, "5 units of a token that is not named"],
  ["bytes32", WORD("4c4b40"), { format: "tokenAmount", params: { token: USDC } }, "5 USDC"],
  [
    "uint256",
    5_000_000n,
    { format: "tokenAmount", params: { token: { map: "$.metadata.maps.underlying", keyPath: "@.chainId" } } },
    "5 USDC",
  ],
  [
    "uint256",
    5_000_000n,
    { format: "tokenAmount", params: { token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chainId: 8453 } },
    "5 USDC",
  ],
  [
    "uint256",
    BigInt(MOST),
    { format: "tokenAmount", params: { token: USDC, threshold: "$.metadata.constants.most" } },
    "unlimited USDC",
  ],
  [
    "uint256",
    BigInt(MOST),
    {
      format: "tokenAmount",
      params: {
        token: "$.metadata.constants.native",
        nativeCurrencyAddress: ["$.metadata.constants.native"],
        threshold: "$.metadata.constants.most",
        message: "All",
      },
    },
    "All ETH",
  ],
  [
    "uint256",
    BigInt(MOST) - 1n,
    { format: "tokenAmount", params: { token: STRANGER, threshold: MOST, message: "All" } },
    `${BigInt(MOST) - 1n} units of ${STRANGER} (decimals unknown)`,
  ],
  ["uint256", 5n, { format: "nftName", params: { collection: STRANGER } }, `item 5 of ${STRANGER}`],
  [
    "uint40",
    1_800_000_000n,
    { format: "date", params: { encoding: "timestamp" } },
    "2027-01-15 08:00:00 UTC",
  ],
  ["uint256", 19_332_140n, { format: "date", params: { encoding: "blockheight" } }, "block 19332140"],
  ["uint256", 8250n, { format: "duration" }, "02:17:30"],
  ["uint256", 15n, { format: "unit", params: { base: "d", decimals: 1 } }, "1.5 d"],
  [
    "int256",
    -15n,
    { format: "unit", params: { base: "$.metadata.constants.unit", decimals: 1 } },
    "-1.5 POL",
  ],
  ["uint256", 36_000n, { format: "unit", params: { base: "s", prefix: true } }, "36 ks"],
  ["uint256", 1_500_000n, { format: "unit", params: { base: "s", decimals: 3, prefix: true } }, "1.5 ks"],
  ["uint8", 2n, { format: "enum", params: { $ref: "$.metadata.enums.rate" } }, "variable"],
  ["bytes1", "0x01", { format: "enum", params: { $ref: "$.metadata.enums.rate" } }, "stable"],
  ["uint8", 3n, { format: "enum", params: { $ref: "$.metadata.enums.rate" } }, "3"],
  ["uint256", 10n, { format: "chainId" }, "OP Mainnet"],
  ["address", SIGNER, { format: "addressName", params: { types: ["eoa"] } }, `this key (${SIGNER})`],
  ["uint256", BigInt(OTHER_KEY), { format: "addressName" }, `your key “Savings” (${OTHER_KEY})`],
  ["bytes20", OTHER_KEY, { format: "addressName" }, `your key “Savings” (${OTHER_KEY})`],
  ["bytes32", WORD(OTHER_KEY.slice(2)), { format: "addressName" }, `your key “Savings” (${OTHER_KEY})`],
  // An address of another system, or one with bits before it, is shown whole.
  ["bytes32", "0x" + "ab".repeat(32), { format: "addressName" }, "0x" + "ab".repeat(32)],
  ["uint256", (1n << 160n) + 5n, { format: "addressName" }, ((1n << 160n) + 5n).toString()],
  ["address", NATIVE, { format: "addressName", params: { senderAddress: NATIVE } }, `this key (${SIGNER})`],
  // An author cannot pass an account off as the sender, or a token as the native currency.
  ["address", STRANGER, { format: "addressName", params: { senderAddress: STRANGER } }, STRANGER],
  [
    "uint256",
    5n,
    { format: "tokenAmount", params: { token: USDC, nativeCurrencyAddress: USDC } },
    "0.000005 USDC",
  ],
  ["address", USDC, { format: "tokenTicker" }, `USDC (${USDC})`],
  [
    "bytes",
    `0x00010000010114${OTHER_KEY.slice(2)}`,
    { format: "interoperableAddressName" },
    `your key “Savings” (${OTHER_KEY}) on Ethereum`,
  ],
  [
    "bytes",
    `0x000100000014${STRANGER.slice(2)}`,
    { format: "interoperableAddressName" },
    `${STRANGER} on any chain`,
  ],
  // Solana, and an address that is too short, are shown whole.
  ["bytes", "0x0001000200000101", { format: "interoperableAddressName" }, "0x0001000200000101"],
  ["bytes", "0x0001000001011401", { format: "interoperableAddressName" }, "0x0001000001011401"],
  [
    "bytes32",
    "0x" + "cd".repeat(32),
    {
      format: "tokenAmount",
      params: { token: USDC },
      encryption: { scheme: "fhevm", fallbackLabel: "hidden" },
    },
    `hidden: 0x${"cd".repeat(32)}`,
  ],
  // Slices of bytes, and of integers as the ABI writes them.
  ["bytes", "0x010203", { path: "a.[1:]" }, "0x0203"],
  [
    "bytes",
    "0x010203",
    { path: "a.[:1]", format: "enum", params: { $ref: "$.metadata.enums.rate" } },
    "stable",
  ],
  [
    "uint256",
    (5n << 160n) + BigInt(OTHER_KEY),
    { path: "a.[-20:]", format: "addressName" },
    "your key “Savings”",
  ],
  ["uint256[]", [1n, 2n, 3n], { path: "a.[-1]" }, "3"],
  ["uint256[]", [1n, 2n, 3n], { path: "a.[1:]" }, "2"],
];

/** Values that are not as the descriptor says. Nothing is described. */
const UNFIT: readonly (readonly [type: string, value: unknown, field: Json])[] = [
  ["bytes", "0x01", { path: "a.[0:20]", format: "addressName" }],
  ["uint256[]", [], { path: "a.[-1]" }],
  ["uint256", 5n, { format: "tokenAmount", params: { tokenPath: "b" } }],
  ["uint256", 5n, {
    format: "tokenAmount",
    params: { token: { map: "$.metadata.maps.underlying", keyPath: "b" } },
  }],
  ["bytes", "0x" + "01".repeat(33), { format: "amount" }],
  ["uint256", 5n, { visible: { mustMatch: [4, "6", null] } }],
];

describe("readFormat()", () => {
  for (const [type, value, field, text] of VALUES) {
    test(`readFormat() formats ${type} by ${JSON.stringify(field)}`, () => {
      const [first] = shown(`f(${type} a)`, [value], [{
        path: "a",
        label: "A",
        ...field,
      }]) as readonly string[];
      assert.equal(first!.slice(0, text.length + 3), `A: ${text}`);
    });
  }

  for (const [type, value, field] of UNFIT) {
    test(`readFormat() describes nothing if ${type} does not fit ${JSON.stringify(field)}`, () => {
      const fields = [{ path: "a", label: "A", ...field }];
      assert.equal(shown(`f(${type} a,uint256 b)`, [value, 1n << 200n], fields), "contract_call");
    });
  }

  test("readFormat() reports an amount without limit, in a token and in the native currency", () => {
    for (const token of [USDC, NATIVE]) {
      const params = { token, nativeCurrencyAddress: NATIVE, threshold: MOST };
      const { warnings } = explain("f(uint256 a)", [BigInt(MOST)], [
        { path: "a", label: "A", format: "tokenAmount", params },
      ]);
      assert.deepEqual(warnings.map(({ code }) => code), ["unlimited_allowance"]);
    }
  });
});

describe("describe()", () => {
  const ORDERS = "f((address token,uint256 amount)[] orders,address[] to,uint256[] share)";
  const given = [
    [{ token: USDC, amount: 5_000_000n }, { token: STRANGER, amount: 7n }],
    [SIGNER, OTHER_KEY],
    [30n, 70n],
  ];
  const share = { path: "share.[]", label: "Share", format: "unit", params: { base: "%" } };
  const recipient = { path: "to.[]", label: "To", format: "addressName" };
  const [self, other] = [`this key (${SIGNER})`, `your key “Savings” (${OTHER_KEY})`];

  test("describe() reads paths relative to their group, also in parameters", () => {
    const amount = { path: "amount", label: "Amount", format: "tokenAmount", params: { tokenPath: "token" } };
    const group = {
      path: "orders.[]",
      fields: [amount, { path: "token", label: "Token", format: "tokenTicker" }],
    };
    assert.deepEqual(shown(ORDERS, given, [group]), [
      "Amount: 5 USDC",
      `Token: USDC (${USDC})`,
      `Amount: 7 units of ${STRANGER} (decimals unknown)`,
      `Token: ${STRANGER}`,
    ]);
    const last = {
      path: "orders.[-1]",
      fields: [{ ...amount, params: { tokenPath: "#.orders.[0].token" } }],
    };
    assert.deepEqual(shown(ORDERS, given, [last]), ["Amount: 0.000007 USDC"]);
  });

  test("describe() shows arrays one after the other, or bundled, with labels and separators", () => {
    const fields = [{ ...recipient, separator: "Recipient {index}" }, share];
    assert.deepEqual(shown(ORDERS, given, [{ label: "Fees", fields }]), [
      `Fees: Recipient 0: To: ${self}`,
      `Fees: Recipient 1: To: ${other}`,
      "Fees: Share: 30 %",
      "Fees: Share: 70 %",
    ]);
    assert.deepEqual(shown(ORDERS, given, [{ iteration: "bundled", fields: [recipient, share] }]), [
      `To: ${self}`,
      "Share: 30 %",
      `To: ${other}`,
      "Share: 70 %",
    ]);
    const uneven = [given[0], given[1], [30n]];
    assert.equal(shown(ORDERS, uneven, [{ iteration: "bundled", fields }]), "contract_call");
  });

  test("describe() says the first values of a long list, and counts the others", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => BigInt(index));
    const fields = [{ path: "a.[]", label: "A" }];
    const plain = explain("f(uint256[] a)", [many], fields);
    assert.match(plain.sentence, /^Act: A: 0; A: 1; .*; A: 19; 980 more, listed below\. By /);
    const own = explain("f(uint256[] a)", [many], fields, { interpolatedIntent: "Act on {a.[]}" });
    assert.match(own.sentence, /^Act on 0, 1, 2, 3, 4 and 995 more, listed below\. By /);
    assert.equal(own.fields.filter(({ label }) => label === "A").length, 1_000);
  });

  test("describe() hides fields by the rules of their values", () => {
    const rules: readonly (readonly [visible: unknown, isShown: boolean])[] = [
      ["always", true],
      ["optional", true],
      ["never", false],
      [{ ifNotIn: [6, "0x07", true, null] }, true],
      [{ ifNotIn: ["5"] }, false],
      [{ ifNotIn: [5] }, false],
      [{ ifNotIn: ["0x05"] }, false],
      [{ ifNotIn: ["$.metadata.constants.seven"] }, true],
      [{ ifNotIn: ["$.metadata.constants.five"] }, false],
      [{ mustMatch: [5] }, false],
    ];
    for (const [visible, isShown] of rules) {
      const fields = [{ path: "a", label: "A", visible }, { path: "b", label: "B" }];
      assert.deepEqual(
        shown("f(uint256 a,bytes b)", [5n, "0x"], fields),
        isShown ? ["A: 5", "B: 0x"] : ["B: 0x"],
      );
    }
    const empty = [{ path: "b", label: "B", visible: { ifNotIn: [null] } }];
    assert.deepEqual(shown("f(uint256 a,bytes b)", [5n, "0x"], empty), []);
  });

  test("describe() names the owner and the contract, constants, and fields of groups in the sentence", () => {
    const metadata = { owner: "Vaults\u202E Inc", contractName: "Vault" };
    const fields = [{ path: "orders.[]", fields: [{ path: "amount", label: "Amount" }] }, share];
    const { sentence } = explain(ORDERS, given, fields, {
      metadata,
      interpolatedIntent: "Pay {orders.[].amount} at {$.metadata.constants.seven}",
    });
    assert.match(
      sentence,
      /^Pay 5000000, 7 at 7\. By Vaults\[U\+202E\] Inc Vault \(0x4F20\w+\) on Ethereum, with 0 ETH\./,
    );
  });

  test("describe() uses the name of the function if the author gives no intent", () => {
    const { sentence } = explain(
      "burn(uint256 a)",
      [5n],
      [{ path: "a", label: "A" }],
      { intent: undefined } as never,
    );
    assert.match(sentence, /^burn: A: 5\./);
  });

  test("describe() knows the token that the contract is", () => {
    const metadata = { token: { name: "Share", ticker: "SHR", decimals: 3 } };
    const field = { path: "a", label: "A", format: "tokenAmount", params: { tokenPath: "@.to" } };
    assert.deepEqual(shown("f(uint256 a)", [5n], [field], { metadata }), ["A: 0.005 SHR"]);
  });
});

describe("describe() of a call inside", () => {
  const KEY = "run(address target,uint256 value,bytes data)";
  const field = {
    path: "data",
    label: "Call",
    format: "calldata",
    params: { calleePath: "target", amountPath: "value" },
  };
  const approve = calldata("function approve(address, uint256)", [STRANGER, BigInt(MOST)]);

  test("says it with its effects and warnings", () => {
    const { sentence, effects, warnings } = explain(KEY, [USDC, 0n, approve], [field]);
    assert.match(
      sentence,
      /^Act: Call: Allow 0x2B5A\w+ to spend unlimited USDC from 0x4F20\w+ on Ethereum\. By /,
    );
    assert.deepEqual(effects.map(({ effect }) => effect), ["call", "call", "allowance"]);
    assert.deepEqual(warnings.map(({ code }) => code), ["unlimited_allowance", "unknown_contract"]);
  });

  test("takes the caller, the value and the function from the parameters", () => {
    const { effects } = explain(KEY, [OTHER_KEY, 7n, "0x"], [field]);
    assert.deepEqual(effects.at(-1), {
      effect: "transfer",
      from: VAULT,
      to: OTHER_KEY,
      asset: { standard: "native", address: null, id: null, amount: "7" },
      until: null,
    });
    const params = { calleePath: "target", selector: approve.slice(0, 10), spenderPath: "@.from" };
    const call = explain(KEY, [USDC, 0n, "0x" + approve.slice(10)], [{ ...field, params }]);
    assert.deepEqual(call.effects.at(-1), {
      effect: "allowance",
      owner: SIGNER,
      spender: STRANGER,
      asset: { standard: "erc20", address: USDC, id: null },
      amount: null,
      adds: false,
      until: null,
    });
  });

  test("says that it is not known, and ends at the limit of depth, with a sentence that stays short", () => {
    assert.match(
      explain(KEY, [STRANGER, 0n, "0x12345678"], [field]).sentence,
      /What that does is not known here\. By /,
    );
    let data = approve;
    for (let depth = 0; depth < 12; depth++) data = calldata(`function ${KEY}`, [VAULT, 0n, data]);
    const { sentence, effects, effectsComplete, warnings } = explain(KEY, [VAULT, 0n, data], [field]);
    assert.deepEqual([effects.length, effectsComplete, warnings[0]?.code], [11, false, "not_understood"]);
    assert.ok(sentence.length < 2_000, String(sentence.length));
  });
});
