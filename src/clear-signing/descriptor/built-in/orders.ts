import type { Json } from "../source.ts";
import {
  act,
  amount,
  DATE,
  type Deployment,
  descriptor,
  field,
  flag,
  NATIVE,
  party,
  TEXT,
  ZERO,
} from "./form.ts";

const COW: readonly Deployment[] = [
  [[1, 10, 56, 100, 137, 8453, 42161, 43114, 11155111], "0x9008D19f58AAbD9eD0D60971565AA8510560ab41"],
];

const ONE_INCH: readonly Deployment[] = [
  [[1, 10, 56, 100, 137, 8453, 42161, 43114], "0x111111125421cA6dc452d289314280a0f8842A65"],
];

const PERMIT2: readonly Deployment[] = [
  [[1, 10, 56, 130, 137, 480, 8453, 42161, 43114, 81457], "0x000000000022D473030F116dDEE9F6B43aC78BA3"],
];

/** An order of CoW Protocol. A zero receiver means the owner. */
const COW_ORDER = descriptor({ name: "Gnosis Protocol", version: "v2" }, COW, {
  [
    "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount," +
    "uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable," +
    "string sellTokenBalance,string buyTokenBalance)"
  ]: act("cowOrder", [
    amount("sellAmount", "sellToken", TEXT.gives),
    amount("feeAmount", "sellToken", TEXT.fee),
    field("buyAmount", TEXT.gets, "tokenAmount", { tokenPath: "buyToken", nativeCurrencyAddress: NATIVE }),
    party("receiver", TEXT.sentTo, { senderAddress: ZERO }),
    field("validTo", TEXT.until, "date", DATE),
    field("kind", TEXT.kind),
  ], {
    gives: [["sellAmount", "sellToken"], ["feeAmount", "sellToken"]],
    receives: [["buyAmount", "buyToken"]],
    native: NATIVE,
    to: "receiver",
    self: ZERO,
    until: "validTo",
  }),
});

const COW_CALLS = descriptor("contract", COW, {
  "setPreSignature(bytes orderUid,bool signed)": act("cowSign", [
    field("orderUid", TEXT.order),
    flag("signed"),
  ]),
  "invalidateOrder(bytes orderUid)": act("cancelOrder", [field("orderUid", TEXT.order)], {}),
});

/**
 * A limit order of 1inch. A zero receiver means the maker. With an extension (bit 249 of the traits, and its hash in
 * the salt), any contract may set the taking amount (OrderLib, calculateTakingAmount).
 */
const ONE_INCH_ORDER = descriptor({ name: "1inch Aggregation Router", version: "6" }, ONE_INCH, {
  [
    "Order(uint256 salt,address maker,address receiver,address makerAsset,address takerAsset," +
    "uint256 makingAmount,uint256 takingAmount,uint256 makerTraits)"
  ]: act("oneInchOrder", [
    party("maker", TEXT.maker),
    amount("makingAmount", "makerAsset", TEXT.gives),
    amount("takingAmount", "takerAsset", TEXT.gets),
    party("receiver", TEXT.sentTo),
    field("makerTraits", TEXT.traits),
  ], {
    owner: "maker",
    gives: [["makingAmount", "makerAsset"]],
    receives: [["takingAmount", "takerAsset"]],
    to: "receiver",
    self: ZERO,
    openBit: ["makerTraits", 249],
  }),
});

const NATIVE_TOKEN = { nativeCurrencyAddress: NATIVE };

const ONE_INCH_CALLS = descriptor("contract", ONE_INCH, {
  [
    "swap(address executor,(address srcToken,address dstToken,address srcReceiver,address dstReceiver," +
    "uint256 amount,uint256 minReturnAmount,uint256 flags) desc,bytes data)"
  ]: act("swapLeast", [
    field("desc.amount", TEXT.gives, "tokenAmount", { tokenPath: "desc.srcToken", ...NATIVE_TOKEN }),
    field("desc.minReturnAmount", TEXT.gets, "tokenAmount", { tokenPath: "desc.dstToken", ...NATIVE_TOKEN }),
    party("desc.dstReceiver", TEXT.sentTo, { senderAddress: ZERO }),
  ], {
    gives: [["desc.amount", "desc.srcToken"]],
    receives: [["desc.minReturnAmount", "desc.dstToken"]],
    native: NATIVE,
    to: "desc.dstReceiver",
    self: ZERO,
  }),
});

const WITNESS =
  "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";
const OUTPUT = "DutchOutput(address token,uint256 startAmount,uint256 endAmount,address recipient)";
const INFO = "OrderInfo(address reactor,address swapper,uint256 nonce,uint256 deadline," +
  "address additionalValidationContract,bytes additionalValidationData)";
const PERMISSIONS = "TokenPermissions(address token,uint256 amount)";

/** An order of UniswapX, which is a witness of Permit2: the most that is given, and the least that comes back. */
function uniswapX(outputs: string): Json {
  return act("uniswapXOrder", [
    amount("permitted.amount", "permitted.token", TEXT.gives),
    amount(`witness.${outputs}.[].endAmount`, `witness.${outputs}.[].token`, TEXT.gets),
    party(`witness.${outputs}.[].recipient`, TEXT.sentTo),
    field("witness.info.deadline", TEXT.until, "date", DATE),
  ]);
}

const UNISWAP_X = descriptor({ name: "Permit2" }, PERMIT2, {
  [
    `${WITNESS}ExclusiveDutchOrder witness)${OUTPUT}ExclusiveDutchOrder(OrderInfo info,uint256 decayStartTime,` +
    "uint256 decayEndTime,address exclusiveFiller,uint256 exclusivityOverrideBps,address inputToken," +
    `uint256 inputStartAmount,uint256 inputEndAmount,DutchOutput[] outputs)${INFO}${PERMISSIONS}`
  ]: uniswapX("outputs"),
  [
    `${WITNESS}V2DutchOrder witness)${OUTPUT}${INFO}${PERMISSIONS}V2DutchOrder(OrderInfo info,address cosigner,` +
    "address baseInputToken,uint256 baseInputStartAmount,uint256 baseInputEndAmount,DutchOutput[] baseOutputs)"
  ]: uniswapX("baseOutputs"),
});

export const ORDERS: readonly (readonly [name: string, descriptor: Json])[] = [
  [TEXT.cow, COW_ORDER],
  [TEXT.cow, COW_CALLS],
  [TEXT.oneInch, ONE_INCH_ORDER],
  [TEXT.oneInch, ONE_INCH_CALLS],
  ["=UniswapX", UNISWAP_X],
];
