import { findChain } from "../clear-signing/registry/chains.ts";

/** Shortens an address to `0x1234…abcd`, for lists. The page must show the full address elsewhere. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Formats wei without rounding, in the chain's currency or, for an unknown chain, with the given unit. */
export function nativeAmount(wei: string, chainId: string, unknown: string): string {
  const currency = findChain(chainId)?.currency ?? unknown;
  const digits = wei.padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  return `${digits.slice(0, -18)}${fraction === "" ? "" : `.${fraction}`} ${currency}`;
}
