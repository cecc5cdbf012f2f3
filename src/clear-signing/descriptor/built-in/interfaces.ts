import type { Json } from "../source.ts";

/**
 * The roles of functions that many contracts have, by the function. They count at a contract that a descriptor
 * describes without roles. The token of a vault (ERC-4626, ERC-7540) is not in the bytes, so its effects stay unknown.
 */
export const INTERFACES: Readonly<Record<string, Json>> = {
  "deposit(uint256 assets,address receiver)": { account: "receiver", isPartial: true },
  "mint(uint256 shares,address receiver)": { account: "receiver", isPartial: true },
  "withdraw(uint256 assets,address receiver,address owner)": {
    owner: "owner",
    account: "receiver",
    isPartial: true,
  },
  "redeem(uint256 shares,address receiver,address owner)": {
    owner: "owner",
    account: "receiver",
    isPartial: true,
  },
  "requestDeposit(uint256 assets,address controller,address owner)": {
    owner: "owner",
    account: "controller",
    isPartial: true,
  },
  "requestRedeem(uint256 shares,address controller,address owner)": {
    owner: "owner",
    account: "controller",
    isPartial: true,
  },
};
