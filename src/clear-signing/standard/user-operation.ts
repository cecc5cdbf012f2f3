import { fromHex, toHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { feeWarnings } from "../fee.ts";
import { hasRole } from "../directory.ts";
import { describeCall } from "../known-calls.ts";
import { localizable } from "../format-message.ts";
import type { Member } from "../roles.ts";
import { ENTRY_POINTS } from "../registry/contracts.ts";
import { type DomainContract, domainContract, type PlainDomain, typedDataKind } from "../typed-document.ts";
import { amountField, bytesField, nativeText, numberField } from "../parties.ts";

/** An operation of a Safe names its members differently, and has one number where others have a word of two. */
interface Operation {
  readonly sender?: string;
  readonly safe?: string;
  readonly nonce: string;
  readonly initCode: string;
  readonly callData: string;
  readonly accountGasLimits?: string;
  readonly callGasLimit?: string;
  readonly verificationGasLimit?: string;
  readonly preVerificationGas: string;
  readonly gasFees?: string;
  readonly maxFeePerGas?: string;
  readonly paymasterAndData: string;
  readonly validAfter?: string;
  readonly validUntil?: string;
  readonly entryPoint?: string;
}

/** A user operation that is signed as typed data: for entry points from 0.8, and for a Safe's module (ERC-4337). */
export const USER_OPERATION = typedDataKind<Operation>({
  kind: "user_operation",
  recognisedBy: "ERC-4337",
  encodeTypes: [
    "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData," +
    "bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)",
    "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit," +
    "uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas," +
    "bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)",
    "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint128 verificationGasLimit," +
    "uint128 callGasLimit,uint256 preVerificationGas,uint128 maxPriorityFeePerGas,uint128 maxFeePerGas," +
    "bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)",
  ],
  domainContract: operationContract,
  read(operation, { context, chainId, contract, chain, partyOf }) {
    const { nonce, initCode, callData, validAfter, validUntil, entryPoint = contract } = operation;
    const account = operation.safe ?? operation.sender!;
    const cost = costOf(operation);
    if (cost === undefined) return undefined;
    const costText = nativeText(chainId, cost.amount);
    const what = callData === "0x" ? undefined : describeCall({
      chainId,
      caller: entryPoint,
      to: account,
      value: 0n,
      data: callData,
      operation: "call",
    }, context);
    return {
      sentence: localizable("userOperation", {
        nonce,
        account: partyOf(account),
        chain,
        isSetUp: initCode !== "0x",
        what: what?.text ?? localizable("nothingCalled"),
        paymaster: cost.paymaster === undefined ? undefined : partyOf(cost.paymaster),
        cost: costText,
      }),
      members: [
        ["smart_account", account],
        numberField("nonce", nonce),
        ...(initCode === "0x" ? [] : [bytesField("setUpBy", initCode)]),
        amountField("gasMost", costText, cost.amount),
        ...(cost.paymaster === undefined ? feeWarnings(chainId, cost.amount) : []),
        ...(entryPoint === contract ? [] : [["contract", entryPoint] as const]),
        ...timesOf(validAfter, validUntil),
        ...(what?.fields ?? []),
        ...(what?.warnings ?? []),
      ],
      effects: what?.effects ?? [],
      gasAtMost: cost.amount.toString(),
      effectsComplete: initCode === "0x" && what?.effectsComplete !== false &&
        hasRole(context.directory, chainId, entryPoint, "entry_point"),
    };
  },
});

/** A zero means no bound (Safe4337Module). */
function timesOf(start: string | undefined, end: string | undefined): readonly Member[] {
  if (start === undefined || end === undefined) return [];
  return [["start", BigInt(start)], ["operation_end", BigInt(end)]];
}

/** The domain of an entry point has its name and version. The one of a Safe's module has neither. */
function operationContract(domain: PlainDomain, encodeType: string): DomainContract | undefined {
  const found = domainContract(domain);
  if (encodeType.startsWith("SafeOp")) {
    return domain.name === undefined && domain.version === undefined ? found : undefined;
  }
  if (found === undefined || domain.name !== "ERC4337" || domain.version !== "1") return undefined;
  return Object.hasOwn(ENTRY_POINTS, found.contract) ? found : undefined;
}

/**
 * Returns the maximum cost, and the paymaster if the account does not pay. The packed words have two numbers of 16
 * bytes each. A paymaster's bytes begin with its address and two such numbers (EntryPoint 0.7 and later).
 */
function costOf(
  {
    accountGasLimits,
    callGasLimit,
    verificationGasLimit,
    preVerificationGas,
    gasFees,
    maxFeePerGas,
    ...rest
  }: Operation,
): { amount: bigint; paymaster: string | undefined } | undefined {
  const paymaster = paymasterOf(rest.paymasterAndData);
  if (paymaster === undefined) return undefined;
  const limits = accountGasLimits === undefined
    ? BigInt(callGasLimit!) + BigInt(verificationGasLimit!)
    : half(accountGasLimits, 0) + half(accountGasLimits, 1);
  const price = gasFees === undefined ? BigInt(maxFeePerGas!) : half(gasFees, 1);
  return {
    amount: (limits + BigInt(preVerificationGas) + paymaster.gas) * price,
    paymaster: paymaster.address,
  };
}

/** Returns undefined if the bytes are not those of a paymaster. */
function paymasterOf(hex: string): { address: string | undefined; gas: bigint } | undefined {
  if (hex === "0x") return { address: undefined, gas: 0n };
  if (hex.length < 2 + 2 * 52) return undefined;
  const bytes = fromHex(hex.slice(0, 2 + 2 * 52))!;
  const gas = BigInt(toHex(bytes.subarray(20, 36))) + BigInt(toHex(bytes.subarray(36, 52)));
  return { address: toChecksumAddress(bytes.subarray(0, 20)), gas };
}

function half(word: string, index: 0 | 1): bigint {
  return BigInt("0x" + word.slice(2 + 32 * index, 34 + 32 * index));
}
