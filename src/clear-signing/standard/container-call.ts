import { fromHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { type AbiFunction, decodeCall, type PlainStruct } from "../abi.ts";
import { abiFunction, type Call, type CallKind, contractCallText } from "../call.ts";
import { hasRole, isKnown } from "../directory.ts";
import { localizable } from "../format-message.ts";
import { readMembers } from "../roles.ts";
import { refundPart } from "./safe-refund.ts";
import { partyAt, ZERO_ADDRESS } from "../parties.ts";

/** A call of a list. Without `to`, the account calls itself. */
interface Listed {
  readonly to?: string;
  readonly value?: string;
  readonly data: string;
  readonly operation?: string;
}

/** Finds the calls in the arguments. Undefined if they cannot be read. */
type List = (given: PlainStruct) => readonly Listed[] | undefined;

/** The arguments are the call itself. */
const one: List = (given) => [given as unknown as Listed];
const tuple: List = ({ call }) => [call as unknown as Listed];
const each: List = ({ calls }) => calls as unknown as readonly Listed[];
const ofItself: List = ({ calls }) => (calls as readonly string[]).map((data) => ({ data }));

/** The calls are in columns of the same length. */
const columns: List = ({ to, value, data }) => {
  const [targets, datas] = [to, data] as [readonly string[], readonly string[]];
  const values = (value ?? targets.map(() => "0")) as readonly string[];
  return [values, datas].every(({ length }) => length === targets.length)
    ? targets.map((to, index) => ({ to, value: values[index]!, data: datas[index]! }))
    : undefined;
};

/** The operations of accounts that are set up already. An entry point calls each account with the data. */
const operations: List = ({ calls }) => {
  const all = calls as unknown as readonly (Listed & { readonly initCode: string })[];
  return all.every(({ initCode }) => initCode === "0x")
    ? all.map(({ to, data }) => ({ to: to!, data }))
    : undefined;
};

/** A byte for the operation, the address, the value, and the length of the data before it (MultiSend). */
const packed: List = ({ transactions }) => {
  const hex = (transactions as string).slice(2);
  const listed: Listed[] = [];
  for (let at = 0; at < hex.length;) {
    const length = Number(word(hex, at + 106));
    const end = at + 170 + 2 * length;
    const operation = hex.slice(at, at + 2);
    if (!(end <= hex.length) || !["00", "01"].includes(operation)) return undefined;
    const data = `0x${hex.slice(at + 170, end)}`;
    listed.push({
      ...target(addressAt(hex, at + 2), data),
      value: word(hex, at + 42).toString(),
      operation: operation.slice(1),
    });
    at = end;
  }
  return listed;
};

const BATCH = "(address to,uint256 value,bytes data)[] calls";
const BATCHES = [abiFunction(`f(${BATCH})`), abiFunction(`f(${BATCH},bytes opData)`)];
const BATCH_OF_BATCHES = abiFunction("f(bytes[] batches)");

/** The first byte of the mode is the form of the calls (ERC-7579). Bytes 6 to 9 name one of ERC-7821. */
const byMode: List = ({ mode, calls }) => {
  const [form, variant] = [(mode as string).slice(2, 4), (mode as string).slice(14, 22)];
  const hex = (calls as string).slice(2);
  if (form === "01" && variant === "78210002") {
    const { batches } = decodeHex(BATCH_OF_BATCHES, hex) ?? {};
    const lists = (batches as readonly string[] | undefined)?.map((batch) => readBatch(batch.slice(2)));
    return lists?.includes(undefined) ? undefined : lists?.flatMap((list) => list!);
  }
  if (form === "01") return readBatch(hex);
  if (form === "00" && hex.length >= 104) {
    return [{ to: addressAt(hex, 0), value: word(hex, 40).toString(), data: `0x${hex.slice(104)}` }];
  }
  if (form !== "ff" || hex.length < 40) return undefined;
  return [{ to: addressAt(hex, 0), data: `0x${hex.slice(40)}`, operation: "1" }];
};

/** Returns a call. A zero address means the account itself (ERC-7821), at least if there is something to call. */
function target(to: string, data: string): Pick<Listed, "to" | "data"> {
  return to === ZERO_ADDRESS && data !== "0x" ? { data } : { to, data };
}

function readBatch(hex: string): readonly Listed[] | undefined {
  const given = BATCHES.map((form) => decodeHex(form, hex)).find((given) => given !== undefined);
  const listed = given?.calls as unknown as readonly Required<Listed>[] | undefined;
  return listed?.map(({ to, data, ...call }) => ({ ...call, ...target(to, data) }));
}

function decodeHex(form: AbiFunction, hex: string): PlainStruct | undefined {
  return decodeCall(form, form.selector + hex);
}

function addressAt(hex: string, at: number): string {
  return toChecksumAddress(fromHex(`0x${hex.slice(at, at + 40)}`)!);
}

/** Returns NaN, which is in no range, for a word that is cut off. */
function word(hex: string, at: number): bigint | number {
  return at + 64 <= hex.length ? BigInt(`0x${hex.slice(at, at + 64)}`) : NaN;
}

const TRIPLE = "(address to,uint256 value,bytes data)";
const PAIR = "(address to,bytes data)";
const CALL = "address to,uint256 value,bytes data";
const OPERATION_HEAD = "address to,uint256 nonce,bytes initCode,bytes data";

/** The function of batch contracts, which accounts run as their own code. */
export const MULTI_SEND = "multiSend(bytes)";

/** Functions that make calls in the name of the contract itself. */
const BY_CONTRACT: readonly (readonly [text: string, list: List])[] = [
  // Accounts of ERC-4337 and EIP-7702, with the names of Safe's, Coinbase's, Kernel's and Biconomy's.
  [`execute(${CALL})`, one],
  [`execute(${CALL},uint8 operation)`, one],
  [`execute(${TRIPLE} call)`, tuple],
  [`execute_ncC(${CALL})`, one],
  [`executeBatch(${TRIPLE}[] calls)`, each],
  ["executeBatch(address[] to,bytes[] data)", columns],
  ["executeBatch(address[] to,uint256[] value,bytes[] data)", columns],
  ["executeBatch_y6U(address[] to,uint256[] value,bytes[] data)", columns],
  ["executeWithoutChainIdValidation(bytes[] calls)", ofItself],
  [`executeUserOp(${CALL},uint8 operation)`, one],
  [`executeUserOpWithErrorString(${CALL},uint8 operation)`, one],
  // ERC-7579 and ERC-7821 have the same function.
  ["execute(bytes32 mode,bytes calls)", byMode],
  ["executeFromExecutor(bytes32 mode,bytes calls)", byMode],
  // Safe, and its modules.
  [
    `execTransaction(${CALL},uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,` +
    "address gasToken,address refundReceiver,bytes signatures)",
    one,
  ],
  [`execTransactionFromModule(${CALL},uint8 operation)`, one],
  [`execTransactionFromModuleReturnData(${CALL},uint8 operation)`, one],
  ["multiSend(bytes transactions)", packed],
  // Multicall3, and its older versions.
  [`aggregate(${PAIR}[] calls)`, each],
  [`tryAggregate(bool requireSuccess,${PAIR}[] calls)`, each],
  [`blockAndAggregate(${PAIR}[] calls)`, each],
  [`tryBlockAndAggregate(bool requireSuccess,${PAIR}[] calls)`, each],
  ["aggregate3((address to,bool allowFailure,bytes data)[] calls)", each],
  ["aggregate3Value((address to,bool allowFailure,uint256 value,bytes data)[] calls)", each],
  // Entry points of ERC-4337: 0.6, and since 0.7.
  [
    `handleOps((${OPERATION_HEAD},uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,` +
    "uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)[] calls," +
    "address beneficiary)",
    operations,
  ],
  [
    `handleOps((${OPERATION_HEAD},bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,` +
    "bytes paymasterAndData,bytes signature)[] calls,address beneficiary)",
    operations,
  ],
];

/** Functions that make calls of the contract itself in the name of the caller, as Uniswap's `multicall` does. */
const BY_CALLER: readonly (readonly [text: string, list: List])[] = [
  ["multicall(bytes[] calls)", ofItself],
  ["multicall(uint256 deadline,bytes[] calls)", ofItself],
  ["multicall(bytes32 previousBlockhash,bytes[] calls)", ofItself],
];

/** The functions that make calls. */
export const CONTAINER_CALLS: readonly CallKind[] = [
  ...BY_CONTRACT.map(([text, list]) => container(text, list, "contract")),
  ...BY_CALLER.map(([text, list]) => container(text, list, "caller")),
];

function container(text: string, list: List, by: "contract" | "caller"): CallKind {
  const called = abiFunction(text);
  return {
    called,
    read(call, given, context) {
      const listed = list(given);
      if (listed === undefined || listed.length === 0) return undefined;
      const { chainId, to } = call;
      // A caller that runs the code as its own makes the calls itself.
      const isCaller = by === "caller" || call.operation === "delegate_call";
      const caller = isCaller ? call.caller : to;
      const calls = listed.map((one): Call => ({
        chainId,
        caller,
        to: one.to ?? (by === "caller" ? to : caller),
        value: BigInt(one.value ?? 0),
        data: one.data,
        operation: one.operation === "1" ? "delegate_call" : "call",
      }));
      const refund = refundPart(chainId, to, given);
      const inner = context.describeParts(refund === undefined ? calls : [...calls, refund]);
      const own = readMembers(context, chainId, [[isCaller ? "contract" : "smart_account", to]]);
      // A contract of an unknown name may do something else than the function's name says.
      const isAssumed = to !== call.caller &&
        !hasRole(context.directory, chainId, call.caller, "entry_point") &&
        !isKnown(context.directory, chainId, to);
      return {
        kind: "batch",
        recognisedBy: called.signature,
        text: localizable("carryOut", {
          ...contractCallText(call, context),
          account: caller === call.caller ? undefined : partyAt(context, chainId, caller),
          calls: inner.text,
        }),
        fields: [...own.fields, ...inner.fields],
        effects: inner.effects,
        effectsComplete: inner.effectsComplete && !isAssumed,
        warnings: [...inner.warnings, ...own.warnings],
      };
    },
  };
}
