import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import { concat, toHex, utf8 } from "../../src/lib/bytes.ts";
import { CONTAINERS, multicall, routerCall, routerPermit } from "./containers.ts";
import {
  calldata,
  DAI,
  DETAILS,
  ERC20,
  type ExpectedSample,
  MOST,
  multiSend,
  NOW,
  order,
  OTHER_KEY,
  PERMISSIONS,
  permit,
  permit2,
  safeTx,
  SIGNER,
  signIn,
  STRANGER,
  typedData,
  type TypedDataJson,
  USDC,
  usdc,
  userOperation,
} from "./documents.ts";
import { approve, MULTICALL3, ROUTER, swapFor } from "./further-documents.ts";

type Warnings = ExpectedSample["warnings"];

const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const SEAPORT = "0x0000000000000068F116a894984e2DB1123eB395";
const SAFE = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const APE = "0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D";
const COW = "0x9008D19f58AAbD9eD0D60971565AA8510560ab41";
const ZERO = "0x" + "00".repeat(20);
const HASH = "0x" + "ab".repeat(32);
const MOST_160 = (1n << 160n) - 1n;
const SOON = NOW / 1000 + 600;
const UNLIMITED = approve(STRANGER, BigInt(MOST));

function called(
  name: string,
  to: string,
  text: string,
  values: readonly unknown[],
  warnings: Warnings,
): ExpectedSample {
  return { name, warnings, call: { chainId: 1n, to, value: 0n, data: calldata(`function ${text}`, values) } };
}

function typed(name: string, document: TypedDataJson, warnings: Warnings): ExpectedSample {
  return { name, warnings, typedData: document };
}

/** Returns a transfer by Permit2 with something behind its own members. */
function witness(type: string, structs: Readonly<Record<string, string>>, value: unknown): TypedDataJson {
  return typedData(permit2, {
    PermitWitnessTransferFrom:
      `TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, ${type} witness`,
    ...structs,
    TokenPermissions: PERMISSIONS,
  }, {
    permitted: { token: USDC, amount: MOST },
    spender: STRANGER,
    nonce: "1",
    deadline: SOON,
    witness: value,
  });
}

function withoutChain({ types, domain }: TypedDataJson): Pick<TypedDataJson, "types" | "domain"> {
  const { chainId: _, ...rest } = domain;
  return { types: { SafeTx: types.SafeTx! }, domain: rest };
}

/** Returns a message that a key signs for an account. */
function personalSign(text: string): TypedDataJson {
  const bytes = utf8(text);
  const prefixed = toHex(concat(utf8(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes));
  return typedData({ name: "Account", version: "1", chainId: 1, verifyingContract: STRANGER }, {
    PersonalSign: "bytes prefixed",
  }, { prefixed });
}

/** Returns a Safe's call of itself. */
function safeSelf(text: string, values: readonly unknown[]): TypedDataJson {
  return safeTx({ to: SAFE, data: calldata(`function ${text}`, values) });
}

/** Returns a tree of two orders, which OpenSea signs for a list of items. */
function bulkOrder(orders: readonly TypedDataJson[]): TypedDataJson {
  const [{ types, domain }] = orders as [TypedDataJson];
  return {
    types: { ...types, BulkOrder: [{ name: "tree", type: "OrderComponents[2]" }] },
    primaryType: "BulkOrder",
    domain,
    message: { tree: orders.map(({ message }) => message) },
  };
}

const LISTING = order([[2, APE, "8817", "1"]], [[[0, ZERO, "0", "9750000000000000000"], SIGNER]]);
const GIVEAWAY = order([[2, APE, "8818", "1"]], [[[0, ZERO, "0", "1"], STRANGER]]);
const EMPTY = {
  ...order([], []),
  message: { ...order([], []).message, offerer: ZERO, startTime: 0, endTime: 0 },
};

function hyperliquid(
  action: string,
  members: string,
  message: Readonly<Record<string, unknown>>,
): TypedDataJson {
  const domain = {
    name: "HyperliquidSignTransaction",
    version: "1",
    chainId: 42161,
    verifyingContract: ZERO,
  };
  return typedData(domain, { [`HyperliquidTransaction:${action}`]: members }, message);
}

const PERMIT_SINGLE = `((${DETAILS}) details, address spender, uint256 sigDeadline)`;
const PERMIT_BATCH = `((${DETAILS})[] details, address spender, uint256 sigDeadline)`;

function details(token: string, amount: bigint): Readonly<Record<string, unknown>> {
  return { token, amount, expiration: SOON, nonce: 0 };
}

function cowOrder(buyToken: string): TypedDataJson {
  return typedData({ name: "Gnosis Protocol", version: "v2", chainId: 1, verifyingContract: COW }, {
    Order: "address sellToken, address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, " +
      "uint32 validTo, bytes32 appData, uint256 feeAmount, string kind, bool partiallyFillable, " +
      "string sellTokenBalance, string buyTokenBalance",
  }, {
    sellToken: USDC,
    buyToken,
    receiver: SIGNER,
    sellAmount: "2500000000",
    buyAmount: "780000000000000000",
    validTo: SOON,
    appData: HASH,
    feeAmount: "0",
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20",
  });
}

/** Encodes the input of a swap of V3 along two tokens. */
function swapV3(recipient: string, payerIsUser: boolean): string {
  return encodeAbiParameters(parseAbiParameters("address, uint256, uint256, bytes, bool"), [
    recipient as Hex,
    5_000_000n,
    10n ** 15n,
    `${USDC}0001f4${WETH.slice(2)}` as Hex,
    payerIsUser,
  ]);
}

const CALLER = "0x" + "1".padStart(40, "0");
const ROUTER_ITSELF = "0x" + "2".padStart(40, "0");

function paid(types: string, values: readonly unknown[]): string {
  return encodeAbiParameters(parseAbiParameters(types), values as never);
}

const SIGNED = "uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s";

/** Documents that common wallets decode, and documents of attacks, from the texts of the standards. */
export const PAYLOADS: readonly ExpectedSample[] = [
  called("allowance taken back", USDC, "approve(address, uint256)", [STRANGER, 0n], []),
  called("another allowance", USDC, "increaseAllowance(address, uint256)", [ROUTER, 5_000_000n], []),
  called("less allowance", USDC, "decreaseAllowance(address, uint256)", [STRANGER, 5_000_000n], []),
  called("another allowance of an old token", USDC, "increaseApproval(address, uint256)", [
    STRANGER,
    BigInt(MOST),
  ], [
    "unlimited_allowance maySpend",
    "unknown_contract spender",
  ]),
  called("less allowance of an old token", USDC, "decreaseApproval(address, uint256)", [STRANGER, 5n], []),
  called(
    "permit as a call",
    USDC,
    "permit(address, address, uint256, uint256, uint8, bytes32, bytes32)",
    [SIGNER, STRANGER, BigInt(MOST), BigInt(SOON), 27, HASH, HASH],
    ["unlimited_allowance maySpend", "unknown_contract spender"],
  ),
  called(
    "authorized transfer as a call",
    USDC,
    `transferWithAuthorization(address from, address to, uint256 value, ${SIGNED})`,
    [SIGNER, STRANGER, 5_000_000n, 0n, BigInt(SOON), HASH, 27, HASH, HASH],
    [],
  ),
  called(
    "transfer fetched by a call",
    USDC,
    `receiveWithAuthorization(address from, address to, uint256 value, ${SIGNED})`,
    [STRANGER, SIGNER, 5_000_000n, 0n, BigInt(SOON), HASH, 27, HASH, HASH],
    ["not_this_key sender"],
  ),
  called("transfer with a call (ERC-1363)", USDC, "transferAndCall(address, uint256, bytes)", [
    STRANGER,
    5n,
    "0x01",
  ], []),
  called("allowance with a call (ERC-1363)", USDC, "approveAndCall(address, uint256, bytes)", [
    STRANGER,
    5n,
    "0x01",
  ], [
    "unknown_contract spender",
  ]),
  called("allowance for everyone", DAI, "approve(address, uint256)", [MULTICALL3, BigInt(MOST)], [
    "unlimited_allowance maySpend",
    "anyone_may_spend spender",
  ]),
  called("Permit2.approve", PERMIT2, "approve(address, address, uint160, uint48)", [
    USDC,
    STRANGER,
    MOST_160,
    SOON,
  ], [
    "unlimited_allowance maySpend",
    "unknown_contract spender",
  ]),
  typed(
    "Permit2 allowance taken back",
    typedData(permit2, {
      PermitSingle: "PermitDetails details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, { details: { ...details(USDC, 0n), amount: 0 }, spender: STRANGER, sigDeadline: SOON }),
    [],
  ),
  typed("permit of nothing", permit(usdc, { value: 0, spender: STRANGER }), []),
  called("Permit2.transferFrom", PERMIT2, "transferFrom(address, address, uint160, address)", [
    SIGNER,
    STRANGER,
    5_000_000n,
    USDC,
  ], []),
  called(
    "Permit2.transferFrom of several tokens",
    PERMIT2,
    "transferFrom((address from, address to, uint160 amount, address token)[] transfers)",
    [[
      { from: SIGNER, to: STRANGER, amount: 5_000_000n, token: USDC },
      { from: SIGNER, to: OTHER_KEY, amount: 7n, token: DAI },
    ]],
    [],
  ),
  called("Permit2.permit", PERMIT2, `permit(address, ${PERMIT_SINGLE} permit, bytes)`, [
    SIGNER,
    { details: details(USDC, 5_000_000n), spender: ROUTER, sigDeadline: SOON },
    "0x",
  ], []),
  called("Permit2.permit of several tokens", PERMIT2, `permit(address, ${PERMIT_BATCH} permit, bytes)`, [
    SIGNER,
    { details: [details(USDC, 5n), details(DAI, MOST_160)], spender: STRANGER, sigDeadline: SOON },
    "0x",
  ], ["unlimited_allowance maySpend", "unknown_contract spender"]),
  called("Permit2.lockdown", PERMIT2, "lockdown((address token, address spender)[] approvals)", [
    [{ token: USDC, spender: STRANGER }],
  ], []),
  called("Permit2 function that is not known", PERMIT2, "invalidateNonces(address, address, uint48)", [
    USDC,
    STRANGER,
    5,
  ], ["red not_understood call"]),
  ...([
    ["a list", "Item[]", { Item: "uint256 x" }, [{ x: 1 }]],
    ["an absent struct", "Item", { Item: "uint256 x" }, null],
    ["a number", "uint256", {}, 5],
    ["a struct of Permit2's own", "TokenPermissions", {}, { token: USDC, amount: 1 }],
    ["an order", "ExclusiveOrder", { ExclusiveOrder: "address to, uint256 amount" }, {
      to: STRANGER,
      amount: 1,
    }],
  ] as const).map(([name, type, structs, value]) =>
    typed(`Permit2 transfer bound to ${name}`, witness(type, structs, value), [
      "unlimited_allowance mayTake",
      "unknown_contract spender",
    ])
  ),
  typed("Seaport orders in a tree", bulkOrder([LISTING, EMPTY]), ["unknown_contract token"]),
  typed("Seaport giveaway in a tree", bulkOrder([LISTING, GIVEAWAY]), [
    "next_to_nothing givesAway",
    "unknown_contract token",
  ]),
  typed(
    "Seaport order of a contract in a tree",
    bulkOrder([
      LISTING,
      { ...LISTING, message: { ...LISTING.message, orderType: 4 } },
    ]),
    ["red not_understood typed_data", "unknown_contract token"],
  ),
  called("Seaport function that is not known", SEAPORT, "incrementCounter()", [], [
    "red not_understood call",
  ]),
  called("contract gets an own key as owner", STRANGER, "transferOwnership(address)", [OTHER_KEY], [
    "unknown_contract contract",
  ]),
  called("account gets an owner", SIGNER, "addOwnerAddress(address)", [STRANGER], ["control_change owner"]),
  called("account gets a module (ERC-7579)", SIGNER, "installModule(uint256, address, bytes)", [
    1n,
    STRANGER,
    "0x",
  ], [
    "unknown_module module",
  ]),
  called("account gets other code", SIGNER, "upgradeToAndCall(address, bytes)", [STRANGER, "0x"], [
    "control_change code",
  ]),
  typed(
    "Safe takes a stranger as owner",
    safeSelf("addOwnerWithThreshold(address, uint256)", [STRANGER, 2n]),
    [
      "control_change owner",
    ],
  ),
  typed(
    "Safe takes a key as owner, and one signature",
    safeSelf("addOwnerWithThreshold(address, uint256)", [
      OTHER_KEY,
      1n,
    ]),
    ["control_change signaturesRequired"],
  ),
  typed(
    "Safe replaces an owner by a key",
    safeSelf("swapOwner(address, address, address)", [
      SIGNER,
      STRANGER,
      OTHER_KEY,
    ]),
    ["control_change owner"],
  ),
  typed("Safe requires one signature", safeSelf("changeThreshold(uint256)", [1n]), [
    "control_change signaturesRequired",
  ]),
  typed("Safe with a token as handler", safeSelf("setFallbackHandler(address)", [USDC]), [
    "control_change fallback_handler",
  ]),
  typed(
    "Safe with its own handler",
    safeSelf("setFallbackHandler(address)", [
      "0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99",
    ]),
    [],
  ),
  typed("Safe without its guard", safeSelf("setGuard(address)", [ZERO]), ["control_change guard"]),
  typed("Safe calls itself with something else", safeSelf("setup(address)", [STRANGER]), [
    "red not_understood call",
  ]),
  ...CONTAINERS.map(({ name, wrap }): ExpectedSample => ({
    ...wrap([[USDC, UNLIMITED], [STRANGER, "0x"]]),
    name: `unlimited allowance in: ${name}`,
    warnings: [
      "unlimited_allowance maySpend",
      "unknown_contract spender",
      ...(name.startsWith("handleOps") || name === "SafeOp" || name === "execTransaction with a batch"
        ? ["unknown_contract account" as const]
        : name === "ForwardRequest"
        ? ["unknown_contract contract" as const]
        : []),
    ],
  })),
  {
    name: "contract that calls itself",
    warnings: [
      "unlimited_allowance maySpend",
      "unknown_contract spender",
    ],
    call: multicall([UNLIMITED]),
  },
  {
    name: "router with a permit for a stranger",
    warnings: ["unlimited_allowance maySpend", "unknown_contract spender"],
    call: routerPermit(USDC, STRANGER, MOST_160, SOON),
  },
  {
    name: "router: ether for a token",
    warnings: [],
    call: {
      chainId: 1n,
      to: ROUTER,
      value: 10n ** 18n,
      data: routerCall("0x0b08", [
        paid("address, uint256", [ROUTER_ITSELF, 10n ** 18n]),
        paid("address, uint256, uint256, address[], bool", [
          CALLER,
          10n ** 18n,
          2_500_000_000n,
          [WETH, USDC],
          false,
        ]),
      ]),
    },
  },
  {
    name: "router: a token for ether, with a fee",
    warnings: [],
    call: {
      chainId: 1n,
      to: ROUTER,
      value: 0n,
      data: routerCall("0x00060c", [
        swapV3(ROUTER_ITSELF, true),
        paid("address, address, uint256", [WETH, STRANGER, 25n]),
        paid("address, uint256", [CALLER, 10n ** 15n]),
      ]),
    },
  },
  {
    name: "router: what is exchanged goes to a stranger",
    warnings: ["next_to_nothing nothingReturns"],
    call: { chainId: 1n, to: ROUTER, value: 0n, data: routerCall("0x00", [swapV3(STRANGER, true)]) },
  },
  {
    name: "router: a transfer in a plan in a plan",
    warnings: [],
    call: {
      chainId: 1n,
      to: ROUTER,
      value: 0n,
      data: routerCall("0x21", [
        paid("bytes, bytes[]", ["0x02", [paid("address, address, uint160", [USDC, STRANGER, 5_000_000n])]]),
      ]),
    },
  },
  {
    name: "router: a command that is not known",
    warnings: ["red not_understood call"],
    call: { chainId: 1n, to: ROUTER, value: 0n, data: routerCall("0x0810", [swapFor(SIGNER), "0x"]) },
  },
  {
    name: "router: a command with a bit that routers read differently",
    warnings: ["red not_understood call"],
    call: { chainId: 1n, to: ROUTER, value: 0n, data: routerCall("0x48", [swapFor(SIGNER)]) },
  },
  typed(
    "Polymarket's sign-in (ClobAuth)",
    typedData({ name: "ClobAuthDomain", version: "1", chainId: 137 }, {
      ClobAuth: "address address, string timestamp, uint256 nonce, string message",
    }, {
      address: SIGNER,
      timestamp: "1",
      nonce: 0,
      message: "This message attests that I control the given wallet",
    }),
    ["no_contract noContract", "not_understood typed_data"],
  ),
  typed(
    "dYdX's sign-in",
    typedData({ name: "dYdX Chain", chainId: 1 }, { dYdX: "string action" }, {
      action: "dYdX Chain Onboarding",
    }),
    ["no_contract noContract", "not_understood typed_data"],
  ),
  typed(
    "Hyperliquid: a payment",
    hyperliquid("UsdSend", "string hyperliquidChain, string destination, string amount, uint64 time", {
      hyperliquidChain: "Mainnet",
      destination: STRANGER,
      amount: "5",
      time: NOW,
    }),
    [],
  ),
  typed("CoW Protocol order for ether", cowOrder("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), []),
  typed(
    "hash for an account",
    typedData({ chainId: 1, verifyingContract: STRANGER }, {
      CoinbaseSmartWalletMessage: "bytes32 hash",
    }, { hash: HASH }),
    ["red not_understood hash", "unknown_contract contract"],
  ),
  typed(
    "permit of a token whose domain has a salt",
    {
      ...permit({ name: "USD Coin", verifyingContract: USDC, salt: HASH }, {}),
      types: {
        ...permit({}, {}).types,
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "verifyingContract", type: "address" },
          { name: "salt", type: "bytes32" },
        ],
      },
    },
    ["red not_understood standard", "unknown_contract contract"],
  ),
  typed("transaction of an old Safe", { ...safeTx({}), ...withoutChain(safeTx({})) }, [
    "red not_understood standard",
    "unknown_contract contract",
  ]),
  typed(
    "Safe's batch with a call of the Safe itself",
    safeTx({
      to: "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
      data: multiSend([[ZERO, 0n, calldata("function enableModule(address)", [STRANGER])]]),
      operation: 1,
    }),
    ["unknown_module module"],
  ),
  typed(
    "operation with a fee of many ether",
    userOperation({ gasFees: `0x${"00".repeat(16)}${(10n ** 18n).toString(16).padStart(32, "0")}` }),
    ["red high_fee highFee"],
  ),
  called(
    "DAI's permit as a call",
    DAI,
    "permit(address, address, uint256, uint256, bool, uint8, bytes32, bytes32)",
    [SIGNER, STRANGER, 1n, 0n, true, 27, HASH, HASH],
    ["unlimited_allowance maySpend", "far_future permitForEver", "unknown_contract spender"],
  ),
  typed(
    "typed data of a token that is not known",
    typedData(
      { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
      { Mint: "address to, uint256 amount" },
      { to: STRANGER, amount: 5 },
    ),
    ["red not_understood typed_data"],
  ),
  typed(
    "typed data of the own account",
    typedData(
      { name: "Account", chainId: 1, verifyingContract: SIGNER },
      { Execute: "address to, bytes data" },
      { to: STRANGER, data: "0x" },
    ),
    ["red not_understood typed_data"],
  ),
  typed("sign-in for an account (ERC-7739)", personalSign(signIn([[SIGNER, STRANGER]])), []),
  typed("text for an account (ERC-7739)", personalSign("5 apples"), []),
  typed("hash for an account (ERC-7739)", personalSign("\u00ff".repeat(16)), ["red not_understood hash"]),
  {
    name: "sign-in with an emoji",
    warnings: ["malformed_sign_in malformedSignIn"],
    text: signIn([["Statement", "😀"]]),
  },
  called("wrapped ether", WETH, "deposit()", [], []),
  called("token transfer by a stranger's contract", USDC, "transferFrom(address, address, uint256)", [
    SIGNER,
    STRANGER,
    5n,
  ], []),
  {
    name: "ERC-20 function of a stranger",
    warnings: ["unknown_contract token"],
    call: {
      chainId: 1n,
      to: STRANGER,
      value: 0n,
      data: calldata(ERC20.transfer, [OTHER_KEY, 5n]),
    },
  },
];
