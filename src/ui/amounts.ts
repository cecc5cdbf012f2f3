import { findChain } from "../clear-signing/registry/chains.ts";

/** `0x1234…abcd`, for lists. Never the only place where an address is shown. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Wei as a person writes them, with the chain's currency, or that word where it is not known: no digit is lost. */
export function nativeAmount(wei: string, chainId: string, unknown: string): string {
  const currency = findChain(chainId)?.currency ?? unknown;
  const digits = wei.padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  return `${digits.slice(0, -18)}${fraction === "" ? "" : `.${fraction}`} ${currency}`;
}
