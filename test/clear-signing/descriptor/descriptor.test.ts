import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDescriptorFiles } from "../../../src/clear-signing/descriptor/files.ts";
import { createDirectory } from "../../../src/clear-signing/directory.ts";
import type { LocalizedIntent } from "../../../src/clear-signing/intent.ts";
import { readTokenFile, TokenFileError } from "../../../src/clear-signing/registry/token-file.ts";
import { calldata, CONTEXT, SIGNER, STRANGER, type TypedDataJson, USDC } from "../documents.ts";
import { explainSample } from "../explain-sample.ts";

type Json = Readonly<Record<string, unknown>>;

const SCHEMA = "../specs/erc7730-v2.schema.json";
const VAULT = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const KEY =
  "Deposit(address token,uint256[] amounts,Terms terms)Terms(uint64 until,bytes32 note,string memo,uint8 mode)";

const FIELDS: readonly Json[] = [
  { path: "amounts.[]", label: "Amount", format: "tokenAmount", params: { tokenPath: "token" } },
  { path: "#.terms.until", label: "Until", format: "date", params: { encoding: "timestamp" } },
  { path: "terms.note", label: "Note", visible: "never" },
  { path: "terms.memo", label: "Memo" },
  { path: "terms.mode", label: "Mode", format: "enum", params: { $ref: "$.metadata.enums.mode" } },
  { path: "@.from", label: "By", format: "addressName" },
];

function descriptor(changes: Json = {}, format: Json = {}): Json {
  return {
    $schema: SCHEMA,
    context: { eip712: { domain: { name: "Vault" }, deployments: [{ chainId: 1, address: VAULT }] } },
    metadata: { enums: { mode: { "1": "slow" } } },
    display: {
      formats: {
        [KEY]: {
          intent: "Deposit",
          interpolatedIntent: "Deposit {amounts.[]} {{{terms.mode}}} until {terms.until}",
          fields: FIELDS,
          ...format,
        },
      },
    },
    ...changes,
  };
}

const DOCUMENT: TypedDataJson = {
  types: {
    Deposit: [
      { name: "token", type: "address" },
      { name: "amounts", type: "uint256[]" },
      { name: "terms", type: "Terms" },
    ],
    Terms: [
      { name: "until", type: "uint64" },
      { name: "note", type: "bytes32" },
      { name: "memo", type: "string" },
      { name: "mode", type: "uint8" },
    ],
  },
  primaryType: "Deposit",
  domain: { name: "Vault", chainId: 1, verifyingContract: VAULT },
  message: {
    token: USDC,
    amounts: ["1500000", "2000000"],
    terms: { until: 1_800_000_000, note: "0x" + "00".repeat(32), memo: "rent\u202E", mode: 1 },
  },
};

function read(files: Readonly<Record<string, Json>>): ReturnType<typeof readDescriptorFiles> {
  return readDescriptorFiles(
    new Map(Object.entries(files)),
    (path) => path.startsWith("eip712-") || path.startsWith("calldata-"),
  );
}

function explain(files: Readonly<Record<string, Json>>, document: TypedDataJson = DOCUMENT): LocalizedIntent {
  const { descriptors, leftOut } = read(files);
  assert.deepEqual(leftOut, []);
  const context = { ...CONTEXT, directory: createDirectory([], descriptors) };
  return explainSample({ name: "described", typedData: document }, context);
}

describe("readDescriptorFiles()", () => {
  test("readDescriptorFiles() formats a document with its author's text and the service's values", () => {
    const intent = explain({ "eip712-vault.json": descriptor() });
    assert.equal(intent.recognisedBy, "ERC-7730: eip712-vault.json");
    assert.equal(
      intent.sentence,
      `Deposit 1.5 USDC, 2 USDC {slow} until 2027-01-15 08:00:00 UTC. For ${VAULT} on Ethereum.`,
    );
    assert.deepEqual(intent.fields.map(({ label, value }) => [label, value]), [
      ["Amount", "1.5 USDC"],
      ["Amount", "2 USDC"],
      ["Until", "2027-01-15 08:00:00 UTC"],
      ["Memo", "“rent[U+202E]”"],
      ["Mode", "slow"],
      ["By", `this key (${SIGNER})`],
      ["Chain", "Ethereum"],
    ]);
  });

  test("readDescriptorFiles() binds to chain, contract, domain and type, and otherwise ignores the descriptor", () => {
    const files = { "eip712-vault.json": descriptor() };
    const others: readonly TypedDataJson[] = [
      { ...DOCUMENT, domain: { ...DOCUMENT.domain, chainId: 10 } },
      { ...DOCUMENT, domain: { ...DOCUMENT.domain, verifyingContract: STRANGER } },
      { ...DOCUMENT, domain: { ...DOCUMENT.domain, name: "vault" } },
      { ...DOCUMENT, domain: { chainId: 1, verifyingContract: VAULT } },
      {
        ...DOCUMENT,
        types: {
          ...DOCUMENT.types,
          Terms: DOCUMENT.types.Terms!.map((one) => one.name === "mode" ? { ...one, type: "uint16" } : one),
        },
      },
    ];
    assert.equal(explain(files).kind, "described");
    for (const other of others) assert.equal(explain(files, other).kind, "typed_data");
  });

  test("readDescriptorFiles() shows the intent and the fields without a sentence, or if a field is hidden", () => {
    for (
      const interpolatedIntent of [undefined, "Deposit {terms.note}", "Deposit {nothing}", "Deposit {", "{}"]
    ) {
      const intent = explain({ "eip712-vault.json": descriptor({}, { interpolatedIntent }) });
      assert.match(intent.sentence, /^Deposit: Amount: 1\.5 USDC; Amount: 2 USDC; Until: /);
    }
  });

  test("readDescriptorFiles() shows the author's labels with the values", () => {
    const fields = [...FIELDS, { value: "$.metadata.enums.mode.1", label: "Speed" }, {
      value: "for good\u202E",
      label: "How",
    }];
    const intent = explain({ "eip712-vault.json": descriptor({}, { fields }) });
    assert.deepEqual(intent.fields.slice(-3, -1).map(({ label, value }) => [label, value]), [
      ["Speed", "slow"],
      ["How", "for good[U+202E]"],
    ]);
  });

  test("readDescriptorFiles() merges an included file, and prefers the including file", () => {
    const common = descriptor({ context: { eip712: { domain: { name: "Vault" } } } });
    const over = {
      $schema: SCHEMA,
      includes: "./common/vault.json",
      context: { eip712: { deployments: [{ chainId: 1, address: VAULT }] } },
      display: {
        formats: {
          [KEY]: { fields: [{ path: "terms.memo", label: "Said" }, { path: "token", label: "Token" }] },
        },
      },
    };
    const intent = explain({ "eip712-vault.json": over, "common/vault.json": common });
    assert.deepEqual(intent.fields.map(({ label }) => label), [
      "Amount",
      "Amount",
      "Until",
      "Said",
      "Mode",
      "By",
      "Token",
      "Chain",
    ]);
  });

  const broken: readonly (readonly [fault: RegExp, json: Json])[] = [
    [/version 2/, descriptor({ $schema: "erc7730-v1.schema.json" })],
    [/version 2/, descriptor({ $schema: undefined })],
    [/must name its contracts/, descriptor({ context: { eip712: { deployments: [] } } })],
    [/deployment/, descriptor({ context: { eip712: { deployments: [{ chainId: "1", address: VAULT }] } } })],
    [
      /deployment/,
      descriptor({
        context: { eip712: { deployments: [{ chainId: 1, address: VAULT.replace("F", "f") }] } },
      }),
    ],
    [
      /member owner/,
      descriptor({
        context: { eip712: { domain: { owner: "0x" }, deployments: [{ chainId: 1, address: VAULT }] } },
      }),
    ],
    [
      /factory/,
      descriptor({ context: { contract: { factory: {}, deployments: [{ chainId: 1, address: VAULT }] } } }),
    ],
    [/formats is missing/, descriptor({ display: {} })],
    [/is missing/, descriptor({ includes: "missing.json" })],
    [/includes itself/, descriptor({ includes: "eip712-vault.json" })],
  ];
  for (const [fault, json] of broken) {
    test(`readDescriptorFiles() leaves out a file with a fault: ${fault.source}`, () => {
      const { leftOut, descriptors } = read({ "eip712-vault.json": json, "eip712-sound.json": descriptor() });
      assert.equal(descriptors.length, 1);
      assert.deepEqual(leftOut.map(({ path }) => path), ["eip712-vault.json"]);
      assert.match(leftOut[0]!.reason, fault);
    });
  }

  const amount = (params: Json): Json => ({ path: "amounts.[]", label: "x", format: "tokenAmount", params });

  const unfit: readonly (readonly [why: RegExp, field: Json])[] = [
    [/leads to no value/, { path: "terms.never", label: "x" }],
    [/no format raw of a struct/, { path: "terms", label: "x" }],
    [/invalid/, { path: "terms.note.[0:4:2]", label: "x" }],
    [/leads to no value/, { path: "terms.note.[0:4].x", label: "x" }],
    [/no format calldata of string/, { path: "terms.memo", label: "x", format: "calldata" }],
    [/no format tokenAmount of string/, {
      path: "terms.memo",
      label: "x",
      format: "tokenAmount",
      params: { token: USDC },
    }],
    [/no address/, amount({ tokenPath: "terms.memo" })],
    [/no address/, amount({ token: USDC.replace("A", "a") })],
    [/tokenPath/, amount({ tokenPath: "token", token: USDC })],
    [/leads to no value/, amount({ tokenPath: "token", chainIdPath: "x" })],
    [/message has a number/, amount({ token: USDC, threshold: "1", message: "0.5" })],
    [/threshold is no number/, amount({ token: USDC, threshold: "much" })],
    [/nftName has no collection/, { path: "terms.mode", label: "x", format: "nftName" }],
    [/decimals/, { path: "terms.mode", label: "x", format: "unit", params: { base: "s", decimals: 78 } }],
    [/no parameter prefix/, amount({ token: USDC, prefix: true })],
    [/map of token is missing/, amount({ token: { map: "$.metadata.maps.no", keyPath: "token" } })],
    [/no encoding/, { path: "terms.until", label: "x", format: "date", params: { encoding: "week" } }],
    [/enum is missing/, {
      path: "terms.mode",
      label: "x",
      format: "enum",
      params: { $ref: "$.metadata.enums.no" },
    }],
    [/no format none/, { path: "terms.mode", label: "x", format: "none" }],
    [/scheme/, { path: "terms.note", label: "x", encryption: {} }],
    [/decryption/, { path: "terms.note", label: "x", decryption: {} }],
    [/rule of visible/, { path: "terms.mode", label: "x", visible: { ifNotIn: [1], mustMatch: [1] } }],
    [/rule of visible/, { path: "terms.mode", label: "x", visible: { ifIn: [1] } }],
    [/not a text/, { path: "terms.mode", label: 7 }],
    [/no path and no value, or both/, { path: "terms.mode", value: "x", label: "x" }],
    [/no format date of string/, {
      value: "x",
      label: "x",
      format: "date",
      params: { encoding: "timestamp" },
    }],
    [/no constant/, { value: "$.metadata.enums.mode", label: "x" }],
    [/iteration/, { fields: [], iteration: "random" }],
    [/leads to no definition/, { path: "terms.mode", $ref: "$.display.definitions.none" }],
  ];
  for (const [why, field] of unfit) {
    test(`readDescriptorFiles() omits a format completely: ${JSON.stringify(field)}`, () => {
      const { leftOut, descriptors } = read({
        "eip712-vault.json": descriptor({}, { fields: [...FIELDS, field] }),
      });
      assert.equal(descriptors[0]!.formats.size, 0);
      assert.match(leftOut[0]!.reason, why);
    });
  }

  test("readDescriptorFiles() omits invalid keys, and a file that describes a function twice", () => {
    const contract = { contract: { deployments: [{ chainId: 1, address: VAULT }] } };
    const formats = (keys: readonly string[]): Json =>
      descriptor({
        context: contract,
        display: { formats: Object.fromEntries(keys.map((key) => [key, { intent: "x", fields: [] }])) },
      });
    const keys = [
      "f(uint256 a)",
      "g(uint a)",
      "h(uint256)",
      "i(uint256 a, uint8 b)",
      "j(uint256 a,uint8 a)",
      "k((uint8 x)[2] a)",
    ];
    const { leftOut, descriptors } = read({ "calldata-vault.json": formats(keys) });
    assert.equal(leftOut.length, 3);
    assert.equal(descriptors[0]!.formats.size, 3);
    const twice = read({ "calldata-vault.json": formats(["f(uint256 a)", "f(uint256 b)"]) });
    assert.deepEqual(twice, {
      descriptors: [],
      leftOut: [{ path: "calldata-vault.json", reason: "A function is described twice" }],
    });
  });

  test("readDescriptorFiles() describes a call with the descriptor of its contract only", () => {
    const json: Json = {
      $schema: SCHEMA,
      context: { contract: { deployments: [{ chainId: 1, address: VAULT }] } },
      display: {
        formats: {
          "pay((address to,uint256 amount)[] payments,bytes note)": {
            intent: "Pay",
            fields: [
              { path: "payments.[].to", label: "To", format: "addressName" },
              { path: "payments.[].amount", label: "Amount", format: "tokenAmount", params: { token: USDC } },
            ],
          },
        },
      },
    };
    const data = calldata("function pay((address to, uint256 amount)[] payments, bytes note)", [
      [{ to: SIGNER, amount: 5n }, { to: STRANGER, amount: 1_000_000n }],
      "0x1234",
    ]);
    const context = {
      ...CONTEXT,
      directory: createDirectory([], read({ "calldata-vault.json": json }).descriptors),
    };
    const explainCall = (to: string, data: string): LocalizedIntent =>
      explainSample({ name: "call", call: { chainId: 1n, to, value: 0n, data } }, context);
    assert.match(
      explainCall(VAULT, data).sentence,
      /^Pay: To: this key \(0x\w+\); To: 0x2B5A\w+; Amount: 0\.000005 USDC; Amount: 1 USDC\. By 0x4F20\w+ on Ethereum, with 0 ETH\./,
    );
    assert.match(
      explainCall(VAULT, data + "00".repeat(32)).sentence,
      /, followed by 32 bytes that are no argument\./,
    );
    for (const [to, changed] of [[STRANGER, data], [VAULT, data.slice(0, -2)]] as const) {
      assert.equal(explainCall(to, changed).kind, "contract_call");
    }
  });
});

describe("readTokenFile()", () => {
  const token = { chainId: 5, address: USDC, symbol: "TEST", decimals: 3, name: "Test" };

  test("readTokenFile() reads a token list", () => {
    assert.deepEqual(readTokenFile({ name: "x", tokens: [token, token] }), [
      { chainId: "5", address: USDC, symbol: "TEST", decimals: 3 },
      { chainId: "5", address: USDC, symbol: "TEST", decimals: 3 },
    ]);
  });

  const wrong: readonly unknown[] = [
    null,
    [],
    { tokens: {} },
    { tokens: [null] },
    { tokens: [{ ...token, chainId: "5" }] },
    { tokens: [{ ...token, address: USDC.toLowerCase().replace("a0", "A0") }] },
    { tokens: [{ ...token, symbol: "A B" }] },
    { tokens: [{ ...token, symbol: "" }] },
    { tokens: [{ ...token, decimals: 256 }] },
    { tokens: [{ ...token, decimals: 1.5 }] },
    { tokens: [token, { ...token, decimals: 4 }] },
  ];
  for (const json of wrong) {
    test(`readTokenFile() refuses ${JSON.stringify(json)?.slice(0, 90)}`, () => {
      assert.throws(() => readTokenFile(json), TokenFileError);
    });
  }
});
