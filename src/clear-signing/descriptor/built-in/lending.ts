import type { Json } from "../source.ts";
import { act, amount, DATE, type Deployment, descriptor, field, flag, party, TEXT } from "./form.ts";

const AAVE_POOLS: readonly Deployment[] = [
  [[1], "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2"],
  [[8453], "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5"],
  [[10, 137, 42161, 43114], "0x794a61358D6845594F94dc1DB02A252b5b4814aD"],
];

const UNLIMITED = "0x" + "f".repeat(64);
const rate = { $ref: "$.metadata.enums.rate" };

/** Returns the field of an amount in `asset`, of which the largest number means everything. */
function upToAll(path: string): Json {
  return field(path, TEXT.amount, "tokenAmount", {
    tokenPath: "asset",
    threshold: UNLIMITED,
    message: TEXT.all,
  });
}

const AAVE = descriptor("contract", AAVE_POOLS, {
  "supply(address asset,uint256 amount,address onBehalfOf,uint16 referralCode)": act("lend", [
    amount("amount", "asset"),
    party("onBehalfOf", TEXT.inNameOf),
  ], { gives: [["amount", "asset"]], account: "onBehalfOf" }),
  "withdraw(address asset,uint256 amount,address to)": act("takeBack", [
    upToAll("amount"),
    party("to", TEXT.sentTo),
  ], { gives: [["amount", "asset"]], to: "to" }),
  "borrow(address asset,uint256 amount,uint256 interestRateMode,uint16 referralCode,address onBehalfOf)": act(
    "borrow",
    [
      amount("amount", "asset"),
      field("interestRateMode", TEXT.rate, "enum", rate),
      party("onBehalfOf", TEXT.debtor),
    ],
    { account: "onBehalfOf", isPartial: true },
  ),
  "repay(address asset,uint256 amount,uint256 interestRateMode,address onBehalfOf)": act("repay", [
    upToAll("amount"),
    party("onBehalfOf", TEXT.debtor),
  ], { gives: [["amount", "asset"]], account: "onBehalfOf" }),
  "setUserUseReserveAsCollateral(address asset,bool useAsCollateral)": act("collateral", [
    field("asset", TEXT.token, "tokenTicker"),
    flag("useAsCollateral"),
  ], { isPartial: true }),
}, { rate: { "1": TEXT.stable, "2": TEXT.variable } });

const MORPHO_BLUE: readonly Deployment[] = [[[1, 8453], "0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb"]];
const MARKET = "(address loanToken,address collateralToken,address oracle,address irm,uint256 lltv) market";
const LOAN = "market.loanToken";
const COLLATERAL = "market.collateralToken";

/**
 * The bytes do not show what shares are worth. Every account can create a market, with an oracle of its own that lets
 * it take what others lend there. So no effects are complete.
 */
const MORPHO_CALLS = descriptor("contract", MORPHO_BLUE, {
  [`supply(${MARKET},uint256 assets,uint256 shares,address onBehalf,bytes data)`]: act("lendOrShares", [
    amount("assets", LOAN),
    field("shares", TEXT.shares),
    party("onBehalf", TEXT.inNameOf),
  ], { gives: [["assets", LOAN]], account: "onBehalf", isPartial: true }),
  [`supplyCollateral(${MARKET},uint256 assets,address onBehalf,bytes data)`]: act("pledge", [
    amount("assets", COLLATERAL),
    party("onBehalf", TEXT.inNameOf),
  ], { gives: [["assets", COLLATERAL]], account: "onBehalf", isPartial: true }),
  [`withdraw(${MARKET},uint256 assets,uint256 shares,address onBehalf,address receiver)`]: act(
    "takeBackOrShares",
    [
      amount("assets", LOAN),
      field("shares", TEXT.shares),
      party("receiver", TEXT.sentTo),
    ],
    { gives: [["assets", LOAN]], account: "onBehalf", to: "receiver", isPartial: true },
  ),
  [`withdrawCollateral(${MARKET},uint256 assets,address onBehalf,address receiver)`]: act("takeBack", [
    amount("assets", COLLATERAL),
    party("receiver", TEXT.sentTo),
  ], { gives: [["assets", COLLATERAL]], account: "onBehalf", to: "receiver", isPartial: true }),
  [`borrow(${MARKET},uint256 assets,uint256 shares,address onBehalf,address receiver)`]: act("borrowTo", [
    amount("assets", LOAN),
    field("shares", TEXT.shares),
    party("onBehalf", TEXT.debtor),
    party("receiver", TEXT.sentTo),
  ], { gives: [["assets", LOAN]], account: "onBehalf", to: "receiver", isPartial: true }),
  [`repay(${MARKET},uint256 assets,uint256 shares,address onBehalf,bytes data)`]: act("repayOrShares", [
    amount("assets", LOAN),
    field("shares", TEXT.shares),
    party("onBehalf", TEXT.debtor),
  ], { gives: [["assets", LOAN]], account: "onBehalf", isPartial: true }),
  "setAuthorization(address authorized,bool newIsAuthorized)": act("authorize", [
    party("authorized", TEXT.manager),
    flag("newIsAuthorized"),
  ], { spender: "authorized", isPartial: true }),
});

const MORPHO_AUTHORIZATION = descriptor({}, MORPHO_BLUE, {
  "Authorization(address authorizer,address authorized,bool isAuthorized,uint256 nonce,uint256 deadline)":
    act(
      "authorizeUntil",
      [
        party("authorizer", TEXT.owner),
        party("authorized", TEXT.manager),
        flag("isAuthorized"),
        field("deadline", TEXT.usableUntil, "date", DATE),
      ],
      { owner: "authorizer", spender: "authorized", until: "deadline", isPartial: true },
    ),
});

export const LENDING: readonly (readonly [name: string, descriptor: Json])[] = [
  [TEXT.aave, AAVE],
  ["=Morpho", MORPHO_CALLS],
  ["=Morpho", MORPHO_AUTHORIZATION],
];
