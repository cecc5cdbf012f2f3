import fc from "fast-check";
import { createSiweMessage } from "viem/siwe";
import { encodeFunctionData, parseAbiItem, stringToHex } from "viem";
import type { Hex } from "viem";
import type { Document, Field } from "./naive.ts";

/**
 * Documents from small pools, so that the policies of `written.ts` match some of them: few chains, contracts and types,
 * values around the limits, and valid and invalid paths.
 */
export const NOW = 1_800_000_000_500;
export const SECONDS = Math.floor(NOW / 1000);

const A = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const B = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const C = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
export const addresses = [A, B, C];
/** Most documents are for one contract on one chain. */
export const contracts = [A, A, A, A, B];
export const chains = ["1", "8453"];
export const mostlyOne = ["1", "1", "1", "8453"];

type Types = Readonly<Record<string, readonly Field[]>>;
interface Shape {
  readonly primaryType: string;
  readonly types: Types;
  readonly encodeType: string;
  readonly paths: readonly string[];
}

function fields(text: string): readonly Field[] {
  return text.split(",").map((one) => ({ type: one.split(" ")[0]!, name: one.split(" ")[1]! }));
}

const PAY = "address to,uint256 amount,uint256 deadline";
const ITEM = "address token,uint160 amount,uint256[] parts";
const BATCH = "Item[] items,address spender,int256 delta,bool flag,string note,bytes4 tag,bytes blob";
const TREE = "uint256 amount,Tree next";
const SAFE =
  "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce";

export const SHAPES: readonly Shape[] = [
  {
    primaryType: "Pay",
    types: { Pay: fields(PAY) },
    encodeType: `Pay(${PAY})`,
    paths: ["/to", "/amount", "/deadline", "/amount/0"],
  },
  // The same members under another name are another type.
  { primaryType: "Paid", types: { Paid: fields(PAY) }, encodeType: `Paid(${PAY})`, paths: ["/amount"] },
  {
    primaryType: "Batch",
    types: { Batch: fields(BATCH), Item: fields(ITEM) },
    encodeType: `Batch(${BATCH})Item(${ITEM})`,
    paths: [
      "/items/*/amount",
      "/items/*/token",
      "/items/*/parts/*",
      "/items/0/amount",
      "/items/1/parts/0",
      "/items",
      "/items/*",
      "/spender",
      "/delta",
      "/flag",
      "/note",
      "/tag",
      "/blob",
    ],
  },
  {
    primaryType: "Tree",
    types: { Tree: fields(TREE) },
    encodeType: `Tree(${TREE})`,
    paths: ["/amount", "/next/amount", "/next/next/amount", "/next"],
  },
  {
    primaryType: "SafeTx",
    types: { SafeTx: fields(SAFE) },
    encodeType: `SafeTx(${SAFE})`,
    paths: ["/operation", "/value", "/to"],
  },
];

export const NUMBERS = [
  "0",
  "1",
  "5",
  "6",
  "10",
  String(SECONDS),
  String(SECONDS + 60),
  String(SECONDS + 61),
];
export const TEXTS = ["hello", "1", "Hello", "hello ", A.toLowerCase()];
const BYTES = ["0x", "0x00", "0xa9059cbb", "0xA9059CBB"];

export const oneOf = <T>(list: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...list);
/** An address in one of its spellings. */
const anyAddress = oneOf(addresses).chain((one) =>
  oneOf([one, one.toLowerCase(), one.toUpperCase().replace("X", "x")])
);

function valueOf(types: Types, type: string, depth = 0): fc.Arbitrary<unknown> {
  const array = /^(.*)\[\d*\]$/.exec(type);
  if (array !== null) return fc.array(valueOf(types, array[1]!, depth + 1), { maxLength: 2 });
  if (types[type] !== undefined) {
    const whole = (): fc.Arbitrary<unknown> =>
      fc.record(
        Object.fromEntries(types[type]!.map((field) => [field.name, valueOf(types, field.type, depth + 1)])),
      );
    return depth === 0
      ? whole()
      : type !== "Tree"
      ? whole()
      : depth > 2
      ? fc.constant(null)
      : fc.oneof(fc.constant(null), whole());
  }
  if (type === "uint8") return oneOf(["0", "1", "2"]);
  if (type.startsWith("uint")) {
    return fc.oneof({ weight: 9, arbitrary: oneOf(NUMBERS) }, {
      weight: 1,
      arbitrary: fc.constant((2n ** 160n - 1n).toString()),
    });
  }
  if (type === "int256") return oneOf(["-1", "0", "5", "10", (-(2n ** 255n)).toString()]);
  if (type === "address") return anyAddress;
  if (type === "bool") return fc.boolean();
  if (type === "string") return oneOf(TEXTS);
  return type === "bytes4" ? oneOf(["0xa9059cbb", "0x00000000"]) : oneOf(BYTES);
}

const domain = fc.record({
  name: oneOf(["Pay", "Pay", "Pay", "Рay"]),
  version: oneOf(["1", "1", "1", "2"]),
  chainId: oneOf(mostlyOne),
  verifyingContract: oneOf([...contracts, A.toLowerCase()]),
});
/** Complete domains, and some with members missing. */
const domains = fc.oneof(
  { weight: 5, arbitrary: domain },
  {
    weight: 1,
    arbitrary: fc.tuple(domain, oneOf(["version", "chainId", "verifyingContract"])).map(([whole, missing]) =>
      Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing))
    ),
  },
);

const typedData: fc.Arbitrary<Document> = oneOf([...SHAPES, SHAPES[0]!]).chain((
  { primaryType, types, encodeType },
) =>
  fc.record({ domain: domains, message: valueOf(types, primaryType) }).map(({ domain, message }) => ({
    kind: "typed_data" as const,
    encodeType,
    typedData: { domain, types, primaryType, message },
  }))
);

export const TRANSFER = "transfer(address to,uint256 value)";
export const SWAP = "swap(address[] path,uint256 amount,bytes data)";
const calls: fc.Arbitrary<Hex> = fc.oneof(
  fc.tuple(oneOf(addresses), oneOf(NUMBERS)).map(([to, value]) =>
    encodeFunctionData({ abi: [parseAbiItem(`function ${TRANSFER}`)], args: [to as Hex, BigInt(value)] })
  ),
  fc.tuple(fc.array(oneOf(addresses), { maxLength: 2 }), oneOf(NUMBERS)).map(([path, amount]) =>
    encodeFunctionData({
      abi: [parseAbiItem(`function ${SWAP}`)],
      args: [path as Hex[], BigInt(amount), "0x01"],
    })
  ),
);
/** Calls, calls with a byte added, removed or changed, and other data. */
const data: fc.Arbitrary<Hex> = fc.oneof(
  { weight: 6, arbitrary: calls },
  { weight: 1, arbitrary: calls.map((call): Hex => `${call}00`) },
  { weight: 1, arbitrary: calls.map((call) => call.slice(0, -2) as Hex) },
  { weight: 1, arbitrary: calls.map((call) => call.replace(/^(0x.{8})00/, "$101") as Hex) },
  { weight: 2, arbitrary: oneOf<Hex>(["0x", "0x00", "0xa9059c", "0xa9059cbb"]) },
);

const common = {
  chainId: oneOf(mostlyOne),
  nonce: fc.constant("0"),
  gas: oneOf(["1", "2", "10"]),
  to: fc.oneof({ weight: 5, arbitrary: anyAddress }),
  value: oneOf(["0", "1", "5", "6", (2n ** 256n - 1n).toString()]),
  data,
};
const mayCreate = {
  ...common,
  to: fc.oneof({ weight: 5, arbitrary: anyAddress }, { weight: 1, arbitrary: fc.constant(null) }),
};
const fees = { maxFeePerGas: oneOf(["1", "3"]), maxPriorityFeePerGas: fc.constant("0") };
const R = `0x${"11".repeat(32)}`;
const signedAuthorization = fc.record({
  chainId: oneOf(["0", "1"]),
  address: anyAddress,
  nonce: fc.constant("0"),
  yParity: fc.constant(0),
  r: fc.constant(R),
  s: fc.constant(R),
});

const transaction: fc.Arbitrary<Document> = fc.oneof(
  fc.record({ type: fc.constant("legacy"), ...mayCreate, gasPrice: oneOf(["1", "3"]) }),
  fc.record({ type: fc.constant("eip1559"), ...mayCreate, ...fees }),
  fc.record({
    type: fc.constant("eip4844"),
    ...common,
    ...fees,
    maxFeePerBlobGas: oneOf(["0", "1"]),
    blobVersionedHashes: fc.constant([`0x01${"00".repeat(31)}`]),
  }),
  fc.record({
    type: fc.constant("eip7702"),
    ...common,
    ...fees,
    authorizationList: fc.array(signedAuthorization, { minLength: 1, maxLength: 2 }),
  }),
).map((transaction) => ({ kind: "transaction" as const, transaction }));

const authorization: fc.Arbitrary<Document> = fc.record({
  chainId: oneOf(chains),
  address: anyAddress,
  nonce: fc.constant("0"),
}).map((authorization) => ({ kind: "authorization" as const, authorization }));

export const DOMAINS = ["app.example.org", "example.org", "app.example.org.evil.org", "localhost:3000"];

const signIn: fc.Arbitrary<string> = fc.record({
  domain: oneOf(DOMAINS),
  host: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oneOf(DOMAINS) }),
  chainId: oneOf([1, 8453]),
  scheme: oneOf([undefined, "https", "http"]),
  resources: oneOf([undefined, ["https://app.example.org/terms"], ["urn:recap:e30"]]),
  change: oneOf<(text: string) => string>([
    (text) => text,
    (text) => text,
    (text) => text,
    (text) => `${text}\n`,
    (text) => ` ${text}`,
    (text) => text.replace("Version: 1", "Version: 2"),
    (text) => text.replace("wants you to sign in with", "wants you to sign in  with"),
    (text) => text.replace("\n\n", "\nI agree\n\n"),
    (text) => text.replace("Nonce", "nonce"),
    (text) => text.replace("example", "еxample"),
  ]),
}).map(({ domain, host, chainId, scheme, resources, change }) =>
  change(createSiweMessage({
    domain,
    address: A,
    uri: `https://${host ?? domain}/login`,
    version: "1",
    chainId,
    nonce: "abcdefgh",
    issuedAt: new Date(NOW),
    ...(scheme === undefined ? {} : { scheme }),
    ...(resources === undefined ? {} : { resources }),
  }))
);

const message: fc.Arbitrary<Document> = fc.oneof(
  signIn.map((text) => ["personal_sign", stringToHex(text)] as const),
  oneOf([
    "hello",
    "",
    "\u0000",
    "ünï",
    "0123456789abcdef0123456789abcdef",
    "0123456789abcdef0123456789abcde\u007f",
    "0123456789abcdef0123456789abcde~",
  ])
    .map((text) => ["personal_sign", stringToHex(text)] as const),
  oneOf<Hex>(["0xff", `0x${"9a".repeat(32)}`, "0xefbbbf61"]).map((bytes) =>
    ["personal_sign", bytes] as const
  ),
  oneOf(["raw", "digest"] as const).map((format) => [format, `0x${"11".repeat(32)}` as Hex] as const),
).map(([format, bytes]) => ({ kind: "message" as const, format, bytes }));

/** Documents of every kind. */
export const documents: fc.Arbitrary<Document> = fc.oneof(
  { weight: 5, arbitrary: typedData },
  { weight: 4, arbitrary: transaction },
  { weight: 2, arbitrary: message },
  { weight: 1, arbitrary: authorization },
);
