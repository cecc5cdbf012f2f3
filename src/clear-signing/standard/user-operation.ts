import { fromHex, toHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { ENTRY_POINTS } from "../registry/contracts.ts";
import { type Localizable, localizable } from "../format-message.ts";
import { type DomainContract, domainContract, type PlainDomain, typedDataKind } from "../typed-document.ts";
import { amountField, bytesField, nativeText, numberField } from "../parties.ts";

interface UserOperation {
  readonly sender: string;
  readonly nonce: string;
  readonly initCode: string;
  readonly callData: string;
  readonly accountGasLimits: string;
  readonly preVerificationGas: string;
  readonly gasFees: string;
  readonly paymasterAndData: string;
}

/** A user operation that is signed as typed data: for entry points from 0.8 (ERC-4337). */
export const USER_OPERATION = typedDataKind<UserOperation>({
  kind: "user_operation",
  recognisedBy: "ERC-4337",
  encodeTypes: [
    "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData," +
    "bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)",
  ],
  domainContract: entryPointContract,
  read(operation, { chainId, contract, chain, partyOf }) {
    const { sender, nonce, initCode, callData } = operation;
    const cost = costOf(operation);
    if (cost === undefined) return undefined;
    const costText = nativeText(chainId, cost.amount);
    return {
      sentence: localizable("userOperation", {
        nonce,
        account: partyOf(sender),
        chain,
        isSetUp: initCode !== "0x",
        called: calledText(callData),
        paymaster: cost.paymaster === undefined ? undefined : partyOf(cost.paymaster),
        cost: costText,
      }),
      members: [
        ["smart_account", sender],
        numberField("nonce", nonce),
        ...(initCode === "0x" ? [] : [bytesField("setUpBy", initCode)]),
        bytesField("call", callData),
        amountField("gasMost", costText, cost.amount),
      ],
      effects: [{
        effect: "call",
        caller: contract,
        to: sender,
        operation: "call",
        value: "0",
        selector: callData.length < 10 ? null : callData.slice(0, 10),
      }],
    };
  },
});

function entryPointContract(domain: PlainDomain): DomainContract | undefined {
  const found = domainContract(domain);
  if (found === undefined || domain.name !== "ERC4337" || domain.version !== "1") return undefined;
  return Object.hasOwn(ENTRY_POINTS, found.contract) ? found : undefined;
}

function calledText(callData: string): Localizable {
  if (callData === "0x") return localizable("nothingCalled");
  return callData.length < 10
    ? localizable("calledWithBytes", { count: callData.length / 2 - 1 })
    : localizable("calledFunction", { selector: callData.slice(0, 10), count: callData.length / 2 - 5 });
}

/**
 * Returns the maximum cost, and the paymaster if the account does not pay. The packed words have two numbers of 16
 * bytes each. A paymaster's bytes begin with its address and two such numbers (EntryPoint 0.7 and later).
 */
function costOf(
  { accountGasLimits, preVerificationGas, gasFees, paymasterAndData }: UserOperation,
): { amount: bigint; paymaster: string | undefined } | undefined {
  const paymaster = paymasterOf(paymasterAndData);
  if (paymaster === undefined) return undefined;
  const gas = half(accountGasLimits, 0) + half(accountGasLimits, 1) + BigInt(preVerificationGas) +
    paymaster.gas;
  return { amount: gas * half(gasFees, 1), paymaster: paymaster.address };
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
