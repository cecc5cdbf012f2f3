import { type Localizable, localizable } from "../format-message.ts";
import type { Part } from "../call.ts";
import type { PlainStruct } from "../abi.ts";
import { type Member, readMembers } from "../roles.ts";
import {
  amountField,
  type IntentContext,
  nativeText,
  partyAt,
  tokenText,
  warning,
  ZERO_ADDRESS,
} from "../parties.ts";

/** The members of a Safe's transaction that pay for its gas. */
export interface Refund {
  readonly baseGas: string;
  readonly gasPrice: string;
  readonly gasToken: string;
  readonly refundReceiver: string;
}

/** The limits of unmeasured gas without a warning. A Safe with many owners stays well below. */
const MOST_BASE_GAS = 1_000_000n;
const MOST_UNMEASURED = 10n ** 17n;

/** Describes the refund for gas. The transaction itself sets `baseGas`, and nothing measures it. */
export function refundOf(
  context: IntentContext,
  chainId: string,
  { baseGas, gasPrice, gasToken, refundReceiver }: Refund,
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

/** Returns the refund as a part of a call of `execTransaction`. Undefined for other functions and without a refund. */
export function refundPart(chainId: string, safe: string, given: PlainStruct): Part | undefined {
  if (given.gasPrice === undefined || given.gasPrice === "0") return undefined;
  return {
    chainId,
    to: safe,
    describe(context) {
      const { text, members } = refundOf(context, chainId, given as unknown as Refund)!;
      return {
        kind: "safe_transaction",
        recognisedBy: "Safe",
        text,
        ...readMembers(context, chainId, members),
        effects: [],
        // The gas that is used is not known.
        effectsComplete: false,
      };
    },
  };
}
