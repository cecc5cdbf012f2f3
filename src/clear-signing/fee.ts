import { localizable } from "./format-message.ts";
import type { IntentWarning } from "./intent.ts";
import { findChain } from "./registry/chains.ts";
import { nativeText, warning } from "./parties.ts";

/** The gas cost from which a warning is shown, in units of 10^18 by currency: about what a person would notice. */
const HIGH_FEES: Readonly<Record<string, bigint>> = { ETH: 10n ** 17n, BNB: 10n ** 17n };
const HIGH_FEE = 10n ** 19n;

/** Warns of a gas cost above the bound of the chain's currency. Red above ten times the bound. */
export function feeWarnings(chainId: string, fee: bigint): IntentWarning[] {
  const bound = HIGH_FEES[findChain(chainId)?.currency ?? ""] ?? HIGH_FEE;
  if (fee <= bound) return [];
  const level = fee > 10n * bound ? "red" : "amber";
  return [warning("high_fee", localizable("highFee", { fee: nativeText(chainId, fee) }), level)];
}
