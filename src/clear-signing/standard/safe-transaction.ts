import { type Localizable, localizable } from "../format-message.ts";
import { describeCall } from "../known-calls.ts";
import type { Intent } from "../intent.ts";
import { type Member, readMembers } from "../roles.ts";
import { domainContract, typedDataKind } from "../typed-document.ts";
import {
  amountField,
  bytesField,
  type IntentContext,
  nativeText,
  numberField,
  partyAt,
  tokenText,
  warning,
  ZERO_ADDRESS,
} from "../parties.ts";

interface SafeTx {
  readonly to: string;
  readonly value: string;
  readonly data: string;
  readonly operation: string;
  readonly baseGas: string;
  readonly gasPrice: string;
  readonly gasToken: string;
  readonly refundReceiver: string;
  readonly nonce: string;
}

/** A transaction of a Safe since 1.3.0. Its domain has only the chain and the Safe. */
export const SAFE_TRANSACTION = typedDataKind<SafeTx>({
  kind: "safe_transaction",
  recognisedBy: "Safe",
  encodeTypes: [
    "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas," +
    "uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)",
  ],
  domainContract: (domain) =>
    domain.name === undefined && domain.version === undefined ? domainContract(domain) : undefined,
  read(transaction, { context, chainId, contract, chain }) {
    const { to, data, operation, nonce } = transaction;
    if (operation !== "0" && operation !== "1") return undefined;
    const value = BigInt(transaction.value);
    const what = operation === "0"
      ? describeCall({ chainId, caller: contract, to, value, data }, context)
      : delegateCall(context, chainId, contract, transaction);
    const refund = refundOf(context, chainId, transaction);
    return {
      sentence: localizable("safeTransaction", {
        safe: contract,
        chain,
        nonce,
        what: what.text,
        refund: refund?.text,
      }),
      members: [
        ["safe", contract],
        numberField("transactionLabel", nonce),
        ...what.fields,
        ...what.warnings,
        ...refund?.members ?? [],
      ],
      effects: what.effects,
    };
  },
});

type What = Pick<Intent, "fields" | "effects" | "warnings"> & { readonly text: Localizable };

/** Describes foreign code with the Safe's own rights. It can do anything, including replacing the owners. */
function delegateCall(
  context: IntentContext,
  chainId: string,
  safe: string,
  { to, value, data }: SafeTx,
): What {
  const code = partyAt(context, chainId, to);
  return {
    text: localizable("delegateCall", { code, count: data.length / 2 - 1 }),
    ...readMembers(context, chainId, [
      warning("delegate_call", localizable("runsForeignCode", { code })),
      ["code", to],
      bytesField("data", data),
    ]),
    effects: [{
      effect: "call",
      caller: safe,
      to,
      operation: "delegate_call",
      value,
      selector: data.length < 10 ? null : data.slice(0, 10),
    }],
  };
}

/** The limits of unmeasured gas without a warning. A Safe with many owners stays well below. */
const MOST_BASE_GAS = 1_000_000n;
const MOST_UNMEASURED = 10n ** 17n;

/** Describes the refund for gas. The transaction itself sets `baseGas`, and nothing measures it. */
function refundOf(
  context: IntentContext,
  chainId: string,
  { baseGas, gasPrice, gasToken, refundReceiver }: SafeTx,
): { readonly text: Localizable; readonly members: readonly Member[] } | undefined {
  if (gasPrice === "0") return undefined;
  const unmeasured = BigInt(baseGas) * BigInt(gasPrice);
  const isNative = gasToken === ZERO_ADDRESS;
  const text = (amount: bigint): Localizable =>
    isNative ? nativeText(chainId, amount) : tokenText(context, chainId, gasToken, amount);
  const fixed = text(unmeasured);
  const receiver = refundReceiver === ZERO_ADDRESS ? undefined : partyAt(context, chainId, refundReceiver);
  // The transaction bounds a price in the native currency. Nothing bounds a price in a token.
  const isPlain = isNative && BigInt(baseGas) <= MOST_BASE_GAS && unmeasured <= MOST_UNMEASURED;
  return {
    text: localizable("gasRefund", { receiver, fixed, price: text(BigInt(gasPrice)) }),
    members: [
      amountField("gasFixed", fixed, unmeasured),
      ...(isPlain ? [] : [warning("gas_refund", localizable("paysUnmeasuredGas", { receiver, fixed }))]),
    ],
  };
}
