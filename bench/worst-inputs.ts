/** The most expensive documents that a requester can send. No rule of their policies allows them. */
import { encodeFunctionData, parseAbi } from "viem";
import { typeHashOf } from "../src/ethereum/typed-data/typed-data.ts";
import type { SignRequest } from "../src/keys/digest.ts";
import { toHex } from "../src/lib/bytes.ts";

/** A number of documents, and the policy of who sends them. */
export interface WorstInput {
  readonly name: string;
  readonly count: number;
  readonly request: Extract<SignRequest, { readonly kind: "typed_data" | "transaction" }>;
  readonly policy: object;
}

const CONTRACT = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

/** Every rule fits the documents, except that no list names their last value. */
const LISTED = Array.from({ length: 100 }, (_, index) => String(index));

function typedData(
  name: string,
  { count, type, value, path, rules }: {
    readonly count: number;
    readonly type: string;
    readonly value: unknown;
    readonly path: string;
    readonly rules: number;
  },
): WorstInput {
  const rule = {
    chainId: "1",
    verifyingContract: CONTRACT,
    typeHash: toHex(typeHashOf(`List(${type} items)`)),
    where: { [path]: { oneOf: LISTED } },
    outcome: "allow",
  };
  const document = {
    domain: { chainId: 1, verifyingContract: CONTRACT },
    primaryType: "List",
    types: { List: [{ name: "items", type }] },
    message: { items: value },
  };
  return {
    name,
    count,
    request: { kind: "typed_data", typedData: document },
    policy: { version: 1, typedData: Array.from({ length: rules }, () => rule) },
  };
}

function numbers(length: number): readonly string[] {
  return [...Array.from({ length: length - 1 }, () => "99"), "100"];
}

export const WORST_INPUTS: readonly WorstInput[] = [
  typedData("11 rules, lists of 100, 10 arrays of 4,000", {
    count: 10,
    type: "uint256[]",
    value: numbers(4000),
    path: "/items/*",
    rules: 11,
  }),
  typedData("40 rules, lists of 100, 5 arrays of 2,000", {
    count: 5,
    type: "uint256[]",
    value: numbers(2000),
    path: "/items/*",
    rules: 40,
  }),
  typedData("40 rules, lists of 100, 520 KB of bytes", {
    count: 1,
    type: "bytes",
    value: `0x${"ab".repeat(260_000)}`,
    path: "/items",
    rules: 40,
  }),
  {
    name: "36 rules, lists of 100, a call with 500 KB",
    count: 1,
    request: {
      kind: "transaction",
      transaction: {
        type: "eip1559",
        chainId: 1,
        nonce: 0,
        gas: 30_000_000,
        maxFeePerGas: 1,
        maxPriorityFeePerGas: 1,
        to: CONTRACT,
        data: encodeFunctionData({
          abi: parseAbi(["function put(bytes data)"]),
          args: [`0x${"ab".repeat(500_000)}`],
        }),
      },
    },
    policy: {
      version: 1,
      transactions: Array.from({ length: 36 }, () => ({
        chainId: "1",
        to: [CONTRACT],
        valueAtMost: "0",
        feeAtMost: "100000000",
        call: { function: "put(bytes data)", where: { "/data": { oneOf: LISTED } } },
        outcome: "allow",
      })),
    },
  },
];
