import { CHAINS } from "../clear-signing/registry/chains.ts";
import { TOKENS } from "../clear-signing/registry/tokens.ts";

/** An asset that a rule of a policy can name: a built-in token, or `native` for the chain's own currency. */
export interface PayableAsset {
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface PayableChain {
  readonly chainId: string;
  readonly name: string;
  readonly assets: readonly PayableAsset[];
}

/** Returns the known chains, each with its currency and its built-in tokens. */
export function listPayableChains(): readonly PayableChain[] {
  return Object.entries(CHAINS).map(([chainId, { name, currency }]) => ({
    chainId,
    name,
    assets: [
      { asset: "native", symbol: currency, decimals: 18 },
      ...TOKENS.filter((token) => token.chainId === chainId).map(({ address, symbol, decimals }) => (
        { asset: address, symbol, decimals }
      )),
    ],
  }));
}
