import { encodeAbiParameters, encodePacked, type Hex, parseAbiParameters } from "viem";
import {
  calldata,
  type CallJson,
  forwardRequest,
  multiSend,
  safeTx,
  type Sample,
  SIGNER,
} from "./documents.ts";
import { aggregate, MULTICALL3, ROUTER, safeOperation } from "./further-documents.ts";
import { STRANGER, typedData, userOperation } from "./documents.ts";

export type InnerCall = readonly [to: string, data: string];

/**
 * Creates a document that makes the calls, for the owner. Its calls are on Ethereum, and on Base for user operations.
 */
export interface Container {
  readonly name: string;
  readonly owner: string;
  readonly wrap: (calls: readonly InnerCall[]) => Sample;
}

const SAFE = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const MULTISEND = "0x9641d764fc13c8B624c04430C7356C1C7C8102e2";
const SWAP_ROUTER = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const ENTRY_POINTS = {
  "0.6": "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
  "0.7": "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  "0.8": "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
  "0.9": "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
};

const CALL = "address to, uint256 value, bytes data";
const VERIFIED = "uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas";
const ZERO = `0x${"00".repeat(32)}`;

function objects(calls: readonly InnerCall[]): readonly object[] {
  return calls.map(([to, data]) => ({ to, value: 0n, data }));
}

function batch(calls: readonly InnerCall[]): string {
  return calldata(`function executeBatch((${CALL})[] calls)`, [objects(calls)]);
}

/** Encodes calls for `execute` of ERC-7579 and ERC-7821. */
function byMode(mode: string, calls: Hex): string {
  return calldata("function execute(bytes32 mode, bytes calls)", [mode.padEnd(66, "0"), calls]);
}

function listed(calls: readonly InnerCall[]): Hex {
  return encodeAbiParameters(parseAbiParameters(`(${CALL})[]`), [objects(calls) as never]);
}

function execTransaction(to: string, data: string, operation: 0 | 1): string {
  const rest =
    "uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver";
  return calldata(`function execTransaction(${CALL}, uint8 operation, ${rest}, bytes signatures)`, [
    to,
    0n,
    data,
    operation,
    0n,
    0n,
    0n,
    `0x${"00".repeat(20)}`,
    `0x${"00".repeat(20)}`,
    "0x",
  ]);
}

function handleOps(version: "0.6" | "0.7", callData: string): string {
  const head = "address sender, uint256 nonce, bytes initCode, bytes callData";
  const common = {
    sender: STRANGER,
    nonce: 1n,
    initCode: "0x",
    callData,
    paymasterAndData: "0x",
    signature: "0x",
  };
  return version === "0.6"
    ? calldata(
      `function handleOps((${head}, uint256 callGasLimit, ${VERIFIED}, uint256 maxPriorityFeePerGas, ` +
        "bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
      [[{
        ...common,
        callGasLimit: 1n,
        verificationGasLimit: 1n,
        preVerificationGas: 1n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      }], SIGNER],
    )
    : calldata(
      `function handleOps((${head}, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, ` +
        "bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
      [[{ ...common, accountGasLimits: ZERO, preVerificationGas: 1n, gasFees: ZERO }], SIGNER],
    );
}

function transaction(to: string, data: string): CallJson {
  return { chainId: 1n, to, value: 0n, data };
}

function container(name: string, owner: string, wrap: (calls: readonly InnerCall[]) => Sample): Container {
  return { name, owner, wrap };
}

/** Returns a container whose document is a transaction. */
function called(
  name: string,
  owner: string,
  to: string,
  wrap: (calls: readonly InnerCall[]) => string,
): Container {
  return container(name, owner, (calls) => ({ name, call: transaction(to, wrap(calls)) }));
}

/** Returns a container whose document is a user operation of the key's own account, at an entry point. */
function operation(version: "0.8" | "0.9", callData: (calls: readonly InnerCall[]) => string): Container {
  const name = `user operation of entry point ${version}`;
  return container(name, SIGNER, (calls) => {
    const document = userOperation({ callData: callData(calls) });
    const domain = { ...document.domain, chainId: 1, verifyingContract: ENTRY_POINTS[version] };
    return { name, typedData: { ...document, domain } };
  });
}

/** Encodes the calls one by one, each by the function, and all by a list. */
const withValues = (calls: readonly InnerCall[]): readonly (readonly [string, bigint, string])[] =>
  calls.map(([to, data]) => [to, 0n, data]);

/** Documents that make calls, by the standards' own examples. */
export const CONTAINERS: readonly Container[] = [
  container("SafeTx with a batch", SAFE, (calls) => ({
    name: "SafeTx",
    typedData: safeTx({ to: MULTISEND, data: multiSend(withValues(calls)), operation: 1 }),
  })),
  called(
    "execTransaction with a batch",
    SAFE,
    SAFE,
    (calls) => execTransaction(MULTISEND, multiSend(withValues(calls)), 1),
  ),
  called("executeBatch of the key's own account", SIGNER, SIGNER, batch),
  called(
    "executeBatch with columns",
    SIGNER,
    SIGNER,
    (calls) =>
      calldata("function executeBatch(address[] to, uint256[] value, bytes[] data)", [
        calls.map(([to]) => to),
        calls.map(() => 0n),
        calls.map(([, data]) => data),
      ]),
  ),
  called("execute of ERC-7821", SIGNER, SIGNER, (calls) => byMode("0x01000000000078210001", listed(calls))),
  called("execute of ERC-7821 with batches", SIGNER, SIGNER, (calls) =>
    byMode(
      "0x01000000000078210002",
      encodeAbiParameters(parseAbiParameters("bytes[]"), [calls.map((call) => listed([call]))]),
    )),
  called("execute of ERC-7821 with data for the account", SIGNER, SIGNER, (calls) =>
    byMode(
      "0x01000000000078210001",
      encodeAbiParameters(parseAbiParameters(`(${CALL})[], bytes`), [objects(calls) as never, "0xabcd"]),
    )),
  called(
    "execute of ERC-7579, in a batch of one call each",
    SIGNER,
    SIGNER,
    (calls) =>
      batch(calls.map(([to, data]) => [
        SIGNER,
        byMode("0x00", encodePacked(["address", "uint256", "bytes"], [to as Hex, 0n, data as Hex])),
      ])),
  ),
  called(
    "executeWithoutChainIdValidation",
    SIGNER,
    SIGNER,
    (calls) => calldata("function executeWithoutChainIdValidation(bytes[] calls)", [[batch(calls)]]),
  ),
  operation("0.8", batch),
  operation("0.9", (calls) => byMode("0x0100", listed(calls))),
  called(
    "handleOps of entry point 0.6",
    STRANGER,
    ENTRY_POINTS["0.6"],
    (calls) => handleOps("0.6", batch(calls)),
  ),
  called(
    "handleOps of entry point 0.7",
    STRANGER,
    ENTRY_POINTS["0.7"],
    (calls) => handleOps("0.7", batch(calls)),
  ),
  called("aggregate of Multicall3", MULTICALL3, MULTICALL3, aggregate),
  called("aggregate3Value of Multicall3", MULTICALL3, MULTICALL3, (calls) =>
    calldata(
      "function aggregate3Value((address to, bool allowFailure, uint256 value, bytes data)[] calls)",
      [calls.map(([to, data]) => ({ to, allowFailure: true, value: 0n, data }))],
    )),
  container("ForwardRequest", SIGNER, (calls) => ({
    name: "ForwardRequest",
    typedData: forwardRequest({ to: MULTICALL3, data: aggregate(calls) }),
  })),
  container("SafeOp", SAFE, (calls) => ({
    name: "SafeOp",
    typedData: safeOperation({
      safe: SAFE,
      callData: calldata(`function executeUserOp(${CALL}, uint8 operation)`, [
        MULTISEND,
        0n,
        multiSend(withValues(calls)),
        1,
      ]),
    }),
  })),
  container("TypedDataSign of ERC-7739", SAFE, (calls) => nested(calls)),
];

/** Returns a Safe's transaction that a key signs for an account which owns the Safe (ERC-7739). */
function nested(calls: readonly InnerCall[]): Sample {
  const { types, domain, message } = safeTx({
    to: MULTISEND,
    data: multiSend(withValues(calls)),
    operation: 1,
  });
  const members = types.SafeTx!.map(({ name, type }) => `${type} ${name}`).join(", ");
  return {
    name: "TypedDataSign",
    typedData: typedData(domain, {
      TypedDataSign:
        "SafeTx contents, string name, string version, uint256 chainId, address verifyingContract, " +
        "bytes32 salt",
      SafeTx: members,
    }, {
      contents: message,
      name: "Account",
      version: "1",
      chainId: 1,
      verifyingContract: STRANGER,
      salt: ZERO,
    }),
  };
}

/** Encodes a permit of Permit2 as a command of the Universal Router, whose caller is the owner. */
export function routerPermit(token: string, spender: string, amount: bigint, expiration: number): CallJson {
  const input = encodeAbiParameters(
    parseAbiParameters(
      "((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, " +
        "uint256 sigDeadline) permit, bytes data",
    ),
    [{
      details: { token: token as Hex, amount, expiration, nonce: 0 },
      spender: spender as Hex,
      sigDeadline: BigInt(expiration),
    }, "0x"],
  );
  return transaction(ROUTER, routerCall("0x0a", [input]));
}

export function routerCall(commands: string, inputs: readonly string[]): string {
  return calldata("function execute(bytes commands, bytes[] inputs)", [commands, inputs]);
}

/** Encodes calls of a contract by itself (Uniswap's `multicall`). */
export function multicall(calls: readonly string[]): CallJson {
  return transaction(
    SWAP_ROUTER,
    calldata("function multicall(uint256 deadline, bytes[] data)", [1n, calls]),
  );
}
