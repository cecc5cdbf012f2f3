import { concatHex, encodeFunctionData, encodePacked, type Hex, parseAbi } from "viem";
import { createDirectory } from "../../src/clear-signing/directory.ts";
import { builtInDescriptors } from "../../src/clear-signing/descriptor/built-in.ts";
import type { IntentContext } from "../../src/clear-signing/parties.ts";
import type { WarningName } from "./warning-names.ts";

/** The signer of every sample. */
export const SIGNER = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
/** Another key of the same owner. */
export const OTHER_KEY = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0";
/** An address that is not known. */
export const STRANGER = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF";

export const NOW = Date.parse("2026-11-22T00:00:00Z");
const TOMORROW = NOW / 1000 + 86_400;
const IN_A_WEEK = NOW / 1000 + 7 * 86_400;
const IN_TWO_MONTHS = NOW / 1000 + 60 * 86_400;
export const MOST = ((1n << 256n) - 1n).toString();

export const CONTEXT: IntentContext = {
  signer: SIGNER,
  now: NOW,
  askedBy: null,
  labels: new Map([[SIGNER, "Main"], [OTHER_KEY, "Savings"]]),
  directory: createDirectory([], builtInDescriptors()),
};

export interface TypedDataJson {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

/** The members of a transaction that samples choose. `gasLimit` defaults to 100,000. */
export interface CallJson {
  readonly chainId: bigint;
  readonly to: string | null;
  readonly value: bigint;
  readonly data: string;
  readonly gasLimit?: bigint;
  /** The code that the sender delegates to (EIP-7702). */
  readonly delegate?: string;
}

export type Sample =
  & { readonly name: string }
  & (
    | { readonly typedData: TypedDataJson }
    | { readonly text: string }
    | { readonly call: CallJson }
    | {
      readonly authorization: { readonly chainId: bigint; readonly address: string; readonly nonce: bigint };
    }
    | { readonly bytes: string }
  );

/** A sample with its expected warnings, in their order. */
export type ExpectedSample = Sample & {
  readonly warnings: readonly WarningName[];
  /** Differences from `CONTEXT`. */
  readonly context?: Partial<IntentContext>;
};

type Structs = Readonly<Record<string, string>>;

/** Parses types written as `type name, type name`. */
function typesOf(structs: Structs): TypedDataJson["types"] {
  return Object.fromEntries(
    Object.entries(structs).map(([name, fields]) => [
      name,
      fields.split(",").map((field) => field.trim().split(" ")).map(([type, name]) => ({
        name: name!,
        type: type!,
      })),
    ]),
  );
}

const DOMAIN_TYPES: Structs = {
  name: "string",
  version: "string",
  chainId: "uint256",
  verifyingContract: "address",
};

export function typedData(
  domain: Readonly<Record<string, unknown>>,
  structs: Structs,
  message: Readonly<Record<string, unknown>>,
): TypedDataJson {
  const domainFields = Object.keys(domain).map((name) => `${DOMAIN_TYPES[name]} ${name}`).join(", ");
  return {
    types: typesOf({ EIP712Domain: domainFields, ...structs }),
    primaryType: Object.keys(structs)[0]!,
    domain,
    message,
  };
}

export const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
export const DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const UNI = "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const ROUTER = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
const SEAPORT = "0x0000000000000068F116a894984e2DB1123eB395";
const APE = "0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D";
const SAFE = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64";
const ZERO = "0x0000000000000000000000000000000000000000";
const OPENSEA_FEES = "0x0000a26b00c1F0DF003000390027140000fAa719";
const HASH = "0x" + "5a".repeat(32);

const PERMIT: Structs = {
  Permit: "address owner, address spender, uint256 value, uint256 nonce, uint256 deadline",
};
export const DAI_PERMIT: Structs = {
  Permit: "address holder, address spender, uint256 nonce, uint256 expiry, bool allowed",
};
export const usdc = { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC };

export function permit(
  domain: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): TypedDataJson {
  const message = { owner: SIGNER, spender: ROUTER, value: "250000000", nonce: 0, deadline: TOMORROW };
  return typedData(domain, PERMIT, { ...message, ...changes });
}

export const permit2 = { name: "Permit2", chainId: 1, verifyingContract: PERMIT2 };
export const DETAILS = "address token, uint160 amount, uint48 expiration, uint48 nonce";
export const PERMISSIONS = "address token, uint256 amount";

export const AUTHORIZATION =
  "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce";
const usdcOnBase = { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC_BASE };
export const transfer = {
  from: SIGNER,
  to: STRANGER,
  value: "10000",
  validAfter: 0,
  validBefore: NOW / 1000 + 300,
  nonce: HASH,
};

const ORDER: Structs = {
  OrderComponents: "address offerer, address zone, OfferItem[] offer, ConsiderationItem[] consideration, " +
    "uint8 orderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, " +
    "bytes32 conduitKey, uint256 counter",
  OfferItem:
    "uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount",
  ConsiderationItem:
    "uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount, " +
    "address recipient",
};

type Item = readonly [itemType: number, token: string, id: string, start: string, end?: string];

function item([itemType, token, identifierOrCriteria, startAmount, endAmount = startAmount]: Item): object {
  return { itemType, token, identifierOrCriteria, startAmount, endAmount };
}

export function order(
  offer: readonly Item[],
  consideration: readonly (readonly [Item, string])[],
): TypedDataJson {
  return typedData({ name: "Seaport", version: "1.6", chainId: 1, verifyingContract: SEAPORT }, ORDER, {
    offerer: SIGNER,
    zone: ZERO,
    offer: offer.map(item),
    consideration: consideration.map(([one, recipient]) => ({ ...item(one), recipient })),
    orderType: 0,
    startTime: NOW / 1000,
    endTime: IN_A_WEEK,
    zoneHash: "0x" + "00".repeat(32),
    salt: "24446860302761739304752683030156737591518664810215442929808784621098726351597",
    conduitKey: "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000",
    counter: 0,
  });
}

const SAFE_TX: Structs = {
  SafeTx: "address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, " +
    "uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce",
};

export function safeTx(changes: Readonly<Record<string, unknown>>): TypedDataJson {
  return typedData({ chainId: 1, verifyingContract: SAFE }, SAFE_TX, {
    to: STRANGER,
    value: "0",
    data: "0x",
    operation: 0,
    safeTxGas: "0",
    baseGas: "0",
    gasPrice: "0",
    gasToken: ZERO,
    refundReceiver: ZERO,
    nonce: 12,
    ...changes,
  });
}

export function userOperation(changes: Readonly<Record<string, unknown>>): TypedDataJson {
  const entryPoint = "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108";
  return typedData({ name: "ERC4337", version: "1", chainId: 8453, verifyingContract: entryPoint }, {
    PackedUserOperation: "address sender, uint256 nonce, bytes initCode, bytes callData, " +
      "bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData",
  }, {
    sender: SIGNER,
    nonce: "3",
    initCode: "0x",
    callData: calldata("function execute(address dest, uint256 value, bytes func)", [
      STRANGER,
      10n ** 16n,
      "0x",
    ]),
    accountGasLimits: "0x" + (60_000).toString(16).padStart(32, "0") +
      (120_000).toString(16).padStart(32, "0"),
    preVerificationGas: 50_000,
    gasFees: "0x" + (10 ** 6).toString(16).padStart(32, "0") + (2 * 10 ** 7).toString(16).padStart(32, "0"),
    paymasterAndData: "0x",
    ...changes,
  });
}

export function forwardRequest(changes: Readonly<Record<string, unknown>>): TypedDataJson {
  const domain = { name: "Forwarder", version: "1", chainId: 1, verifyingContract: STRANGER };
  return typedData(domain, {
    ForwardRequest:
      "address from, address to, uint256 value, uint256 gas, uint256 nonce, uint48 deadline, bytes data",
  }, {
    from: SIGNER,
    to: USDC,
    value: "0",
    gas: "100000",
    nonce: "7",
    deadline: TOMORROW,
    data: calldata(ERC20.transfer, [OTHER_KEY, 40_000_000n]),
    ...changes,
  });
}

/** Encodes a call with viem. */
export function calldata(text: string, values: readonly unknown[]): string {
  return encodeFunctionData({ abi: parseAbi([text] as readonly string[]), args: values } as never);
}

export const ERC20 = {
  transfer: "function transfer(address to, uint256 amount)",
  approve: "function approve(address spender, uint256 amount)",
  transferFrom: "function transferFrom(address from, address to, uint256 amount)",
} as const;

/** Encodes calls for a Safe's batch contract. */
export function multiSend(calls: readonly (readonly [to: string, value: bigint, data: string])[]): string {
  const parts = calls.map(([to, value, data]) =>
    encodePacked(["uint8", "address", "uint256", "uint256", "bytes"], [
      0,
      to as Hex,
      value,
      BigInt(data.length / 2 - 1),
      data as Hex,
    ])
  );
  return calldata("function multiSend(bytes transactions)", [concatHex(parts)]);
}

function call(to: string | null, value: bigint, data: string): CallJson {
  return { chainId: 1n, to, value, data };
}

export function signIn(changes: readonly (readonly [from: string, to: string])[]): string {
  const text = `login.xyz wants you to sign in with your Ethereum account:
${SIGNER}

Sign-In With Ethereum Example Statement

URI: https://login.xyz
Version: 1
Chain ID: 1
Nonce: bTyXgcQxn2htgkjJn
Issued At: 2026-11-21T23:58:00.000Z`;
  return changes.reduce((changed, [from, to]) => changed.replace(from, to), text);
}

/** Realistic documents of applications, with other addresses and amounts. */
export const SAMPLES: readonly ExpectedSample[] = [
  { name: "USDC permit, 250 USDC for a day", warnings: [], typedData: permit(usdc, {}) },
  {
    name: "USDC permit without limit or end",
    warnings: ["unlimited_allowance maySpend", "far_future permit_end", "unknown_contract spender"],
    typedData: permit(usdc, { value: MOST, deadline: MOST, spender: STRANGER }),
  },
  {
    name: "UNI permit, every bit of its amount set",
    warnings: ["unlimited_allowance maySpend", "long_deadline permit_end"],
    typedData: permit({ name: "Uniswap", chainId: 1, verifyingContract: UNI }, {
      value: MOST,
      deadline: IN_TWO_MONTHS,
    }),
  },
  {
    name: "Permit of a token that is not known here",
    warnings: ["unknown_contract token"],
    typedData: permit(
      {
        name: "Aave Ethereum USDC",
        version: "1",
        chainId: 1,
        verifyingContract: "0x4F2083f5fBede34C2714aFfb3105539775f7FE64",
      },
      {},
    ),
  },
  {
    name: "USDC permit of another account's tokens",
    warnings: ["not_this_key owner"],
    typedData: permit(usdc, { owner: STRANGER }),
  },
  {
    name: "DAI permit",
    warnings: ["unlimited_allowance maySpend", "far_future permitForEver"],
    typedData: typedData(
      { name: "Dai Stablecoin", version: "1", chainId: 1, verifyingContract: DAI },
      DAI_PERMIT,
      { holder: SIGNER, spender: ROUTER, nonce: 4, expiry: 0, allowed: true },
    ),
  },
  {
    name: "Permit2 allowance, Uniswap",
    warnings: [],
    typedData: typedData(permit2, {
      PermitSingle: "PermitDetails details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, {
      details: { token: USDC, amount: "1000000000", expiration: IN_A_WEEK, nonce: 0 },
      spender: ROUTER,
      sigDeadline: NOW / 1000 + 1800,
    }),
  },
  {
    name: "Permit2 allowance without limit",
    warnings: [
      "unlimited_allowance maySpend",
      "far_future allowance_end",
      "long_deadline permit_end",
      "unknown_contract spender",
    ],
    typedData: typedData(permit2, {
      PermitSingle: "PermitDetails details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, {
      details: {
        token: WETH,
        amount: ((1n << 160n) - 1n).toString(),
        expiration: "281474976710655",
        nonce: 0,
      },
      spender: STRANGER,
      sigDeadline: IN_TWO_MONTHS,
    }),
  },
  {
    name: "Permit2 allowances of several tokens",
    warnings: [],
    typedData: typedData(permit2, {
      PermitBatch: "PermitDetails[] details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, {
      details: [
        { token: USDC, amount: "5000000", expiration: IN_A_WEEK, nonce: 0 },
        { token: DAI, amount: "7500000000000000000", expiration: 0, nonce: 2 },
      ],
      spender: ROUTER,
      sigDeadline: TOMORROW,
    }),
  },
  {
    name: "Permit2 transfer",
    warnings: ["unknown_contract spender"],
    typedData: typedData(permit2, {
      PermitTransferFrom: "TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline",
      TokenPermissions: PERMISSIONS,
    }, {
      permitted: { token: USDC, amount: "40000000" },
      spender: STRANGER,
      nonce: "99",
      deadline: TOMORROW,
    }),
  },
  {
    name: "Permit2 transfers of several tokens",
    warnings: ["unlimited_allowance mayTake", "unknown_contract spender"],
    typedData: typedData(permit2, {
      PermitBatchTransferFrom:
        "TokenPermissions[] permitted, address spender, uint256 nonce, uint256 deadline",
      TokenPermissions: PERMISSIONS,
    }, {
      permitted: [{ token: USDC, amount: "1" }, { token: WETH, amount: MOST }],
      spender: STRANGER,
      nonce: "5",
      deadline: TOMORROW,
    }),
  },
  {
    name: "UniswapX order (Permit2 with a witness)",
    warnings: ["unknown_contract spender"],
    typedData: typedData(permit2, {
      PermitWitnessTransferFrom:
        "TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, LimitOrder witness",
      TokenPermissions: PERMISSIONS,
      LimitOrder: "OrderInfo info, address inputToken, uint256 inputAmount, OutputToken[] outputs",
      OrderInfo: "address reactor, address swapper, uint256 nonce, uint256 deadline, " +
        "address additionalValidationContract, bytes additionalValidationData",
      OutputToken: "address token, uint256 amount, address recipient",
    }, {
      permitted: { token: USDC, amount: "1000000000" },
      spender: "0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4",
      nonce: "1993349843892949",
      deadline: NOW / 1000 + 600,
      witness: {
        info: {
          reactor: "0x6000da47483062A0D734Ba3dc7576Ce6A0B645C4",
          swapper: SIGNER,
          nonce: "1993349843892949",
          deadline: NOW / 1000 + 600,
          additionalValidationContract: ZERO,
          additionalValidationData: "0x",
        },
        inputToken: USDC,
        inputAmount: "1000000000",
        outputs: [{ token: WETH, amount: "300000000000000000", recipient: SIGNER }],
      },
    }),
  },
  {
    name: "x402 payment (ERC-3009)",
    warnings: [],
    typedData: typedData(usdcOnBase, { TransferWithAuthorization: AUTHORIZATION }, transfer),
  },
  {
    name: "Transfer that the recipient fetches (ERC-3009)",
    warnings: [],
    typedData: typedData(usdc, { ReceiveWithAuthorization: AUTHORIZATION }, {
      ...transfer,
      value: "2500000000",
      validAfter: TOMORROW,
      validBefore: IN_A_WEEK,
    }),
  },
  {
    name: "Transfer that has expired (ERC-3009)",
    warnings: ["not_this_key sender", "expired end"],
    typedData: typedData(usdcOnBase, { TransferWithAuthorization: AUTHORIZATION }, {
      ...transfer,
      from: OTHER_KEY,
      validBefore: NOW / 1000 - 60,
    }),
  },
  {
    name: "Cancellation of a transfer (ERC-3009)",
    warnings: [],
    typedData: typedData(usdcOnBase, { CancelAuthorization: "address authorizer, bytes32 nonce" }, {
      authorizer: SIGNER,
      nonce: HASH,
    }),
  },
  {
    name: "Seaport listing",
    warnings: ["unknown_contract token"],
    typedData: order([[2, APE, "8817", "1"]], [
      [[0, ZERO, "0", "9750000000000000000"], SIGNER],
      [[0, ZERO, "0", "250000000000000000"], OPENSEA_FEES],
    ]),
  },
  {
    name: "Seaport offer for any item of a collection",
    warnings: ["unknown_contract token"],
    typedData: order([[1, WETH, "0", "5000000000000000000"]], [
      [[4, APE, "0", "1"], SIGNER],
      [[1, WETH, "0", "125000000000000000"], OPENSEA_FEES],
    ]),
  },
  {
    name: "Seaport auction with a falling price",
    warnings: ["unknown_contract token"],
    typedData: order([[3, APE, "3", "20"]], [[
      [0, ZERO, "0", "2000000000000000000", "1000000000000000000"],
      SIGNER,
    ]]),
  },
  {
    name: "Seaport order that gives everything away",
    warnings: ["next_to_nothing givesAway", "unknown_contract token"],
    typedData: order([[2, APE, "8817", "1"], [2, APE, "8818", "1"]], [[[0, ZERO, "0", "1"], SIGNER]]),
  },
  {
    name: "Seaport order whose price goes to another account",
    warnings: ["next_to_nothing givesAway"],
    typedData: order([[1, USDC, "0", "90000000000"]], [[[1, DAI, "0", "90000000000000000000000"], STRANGER]]),
  },
  { name: "Safe sends ether", warnings: [], typedData: safeTx({ value: "1500000000000000000" }) },
  {
    name: "Safe sends USDC and pays for the gas",
    warnings: [],
    typedData: safeTx({
      to: USDC,
      data: calldata(ERC20.transfer, [OTHER_KEY, 1_000_000_000n]),
      baseGas: 60_000,
      gasPrice: "20000000000",
    }),
  },
  {
    name: "Safe runs a batch by delegate call",
    warnings: ["unknown_contract spender"],
    typedData: safeTx({
      to: "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
      data: multiSend([
        [USDC, 0n, calldata(ERC20.approve, [STRANGER, 1_000_000n])],
        [STRANGER, 5n, "0x"],
      ]),
      operation: 1,
    }),
  },
  {
    name: "Safe runs the code of a stranger",
    warnings: ["delegate_call runsForeignCode", "unknown_contract code"],
    typedData: safeTx({ to: STRANGER, data: "0xdeadbeef", operation: 1 }),
  },
  {
    name: "Safe enables a module",
    warnings: ["unknown_module module"],
    typedData: safeTx({ to: SAFE, data: calldata("function enableModule(address module)", [STRANGER]) }),
  },
  {
    name: "Safe takes another owner",
    warnings: [],
    typedData: safeTx({
      to: SAFE,
      data: calldata("function addOwnerWithThreshold(address owner, uint256 threshold)", [OTHER_KEY, 2n]),
    }),
  },
  { name: "User operation (ERC-4337)", warnings: [], typedData: userOperation({}) },
  {
    name: "User operation with a paymaster (ERC-4337)",
    warnings: ["unknown_contract account"],
    typedData: userOperation({
      sender: STRANGER,
      paymasterAndData: "0x" + "77".repeat(20) + (30_000).toString(16).padStart(32, "0") + "0".repeat(32) +
        "01",
    }),
  },
  {
    name: "User operation with a batch (ERC-4337)",
    warnings: ["unlimited_allowance maySpend"],
    typedData: userOperation({
      callData: calldata("function executeBatch((address to, uint256 value, bytes data)[] calls)", [[
        { to: USDC_BASE, value: 0n, data: calldata(ERC20.approve, [PERMIT2, BigInt(MOST)]) },
        { to: USDC_BASE, value: 0n, data: calldata(ERC20.transfer, [OTHER_KEY, 2_500_000n]) },
      ]]),
    }),
  },
  {
    name: "Call through a forwarder (ERC-2771)",
    warnings: ["unknown_contract contract"],
    typedData: forwardRequest({}),
  },
  { name: "Sign-in (EIP-4361)", warnings: [], text: signIn([]) },
  {
    name: "Sign-in to one site that leads to another",
    warnings: ["sign_in_host siteIsNotHost"],
    text: signIn([["URI: https://login.xyz", "URI: https://login.xyz.evil.example/"]]),
  },
  {
    name: "Sign-in of another account that has expired",
    warnings: ["not_this_key account", "expired sign_in_end"],
    text: signIn([[SIGNER, STRANGER], [
      /Issued.*/.exec(signIn([]))![0],
      "Issued At: 2026-11-20T12:00:00Z\nExpiration Time: 2026-11-21T12:00:00Z",
    ]]),
  },
  { name: "Text that deceives", warnings: [], text: "Pay 1 USDC to аррӏе\u202E moc.live" },
  {
    name: "CoW Protocol order",
    warnings: [],
    typedData: typedData(
      {
        name: "Gnosis Protocol",
        version: "v2",
        chainId: 1,
        verifyingContract: "0x9008D19f58AAbD9eD0D60971565AA8510560ab41",
      },
      {
        Order:
          "address sellToken, address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, " +
          "uint32 validTo, bytes32 appData, uint256 feeAmount, string kind, bool partiallyFillable, " +
          "string sellTokenBalance, string buyTokenBalance",
      },
      {
        sellToken: USDC,
        buyToken: WETH,
        receiver: ZERO,
        sellAmount: "2500000000",
        buyAmount: "780000000000000000",
        validTo: NOW / 1000 + 1200,
        appData: HASH,
        feeAmount: "0",
        kind: "sell",
        partiallyFillable: false,
        sellTokenBalance: "erc20",
        buyTokenBalance: "erc20",
      },
    ),
  },
  {
    name: "1inch limit order",
    warnings: [],
    typedData: typedData(
      {
        name: "1inch Aggregation Router",
        version: "6",
        chainId: 42161,
        verifyingContract: "0x111111125421cA6dc452d289314280a0f8842A65",
      },
      {
        Order: "uint256 salt, address maker, address receiver, address makerAsset, address takerAsset, " +
          "uint256 makingAmount, uint256 takingAmount, uint256 makerTraits",
      },
      {
        salt: "102412815596156525137376967412477025111761562902072504909418068904100646989168",
        maker: SIGNER,
        receiver: ZERO,
        makerAsset: "0x912CE59144191C1204E64559FE8253a0e49E6548",
        takerAsset: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        makingAmount: "100000000000000000000",
        takingAmount: "62000000",
        makerTraits: "33471150795161712739625987854073848363835856965607525350783622537007396290560",
      },
    ),
  },
  {
    name: "Votes of ENS",
    warnings: [],
    typedData: typedData(
      {
        name: "Ethereum Name Service",
        version: "1",
        chainId: 1,
        verifyingContract: "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72",
      },
      { Delegation: "address delegatee, uint256 nonce, uint256 expiry" },
      { delegatee: STRANGER, nonce: 0, expiry: IN_A_WEEK },
    ),
  },
  {
    name: "Aave credit delegation",
    warnings: ["not_understood typed_data", "unknown_contract contract"],
    typedData: typedData(
      {
        name: "Aave Variable Debt Ethereum WETH",
        version: "1",
        chainId: 1,
        verifyingContract: "0xeA51d7853EEFb32b6ee06b1C12E6dcCA88Be0fFE",
      },
      { DelegationWithSig: "address delegatee, uint256 value, uint256 nonce, uint256 deadline" },
      { delegatee: STRANGER, value: MOST, nonce: 0, deadline: TOMORROW },
    ),
  },
  {
    name: "Snapshot vote",
    warnings: ["no_contract noContract", "not_understood typed_data"],
    typedData: typedData({ name: "snapshot", version: "0.1.4" }, {
      Vote: "address from, string space, uint64 timestamp, bytes32 proposal, uint32 choice, string reason, " +
        "string app, string metadata",
    }, {
      from: SIGNER,
      space: "ens.eth",
      timestamp: NOW / 1000,
      proposal: HASH,
      choice: 1,
      reason: "",
      app: "snapshot",
      metadata: "{}",
    }),
  },
  {
    name: "The example of EIP-712",
    warnings: ["not_understood typed_data", "unknown_contract contract"],
    typedData: typedData(
      {
        name: "Ether Mail",
        version: "1",
        chainId: 1,
        verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
      },
      { Mail: "Person from, Person to, string contents", Person: "string name, address wallet" },
      {
        from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
        to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
        contents: "Hello, Bob!",
      },
    ),
  },
  { name: "Transaction: ether", warnings: [], call: call(STRANGER, 250_000_000_000_000_000n, "0x") },
  {
    name: "Transaction: USDC",
    warnings: [],
    call: call(USDC, 0n, calldata(ERC20.transfer, [OTHER_KEY, 12_340_000n])),
  },
  {
    name: "Transaction: allowance without limit",
    warnings: ["unlimited_allowance maySpend", "unknown_contract spender"],
    call: call(USDC, 0n, calldata(ERC20.approve, [STRANGER, (1n << 256n) - 1n])),
  },
  {
    name: "Transaction: token that is not known here",
    warnings: ["unknown_contract token"],
    call: call(STRANGER, 0n, calldata(ERC20.transferFrom, [SIGNER, OTHER_KEY, 250_000_000n])),
  },
  {
    name: "Transaction: a whole collection",
    warnings: [
      "unlimited_allowance mayTakeItems",
      "unknown_contract collection",
      "unknown_contract operator",
    ],
    call: call(
      APE,
      0n,
      calldata("function setApprovalForAll(address operator, bool approved)", [STRANGER, true]),
    ),
  },
  {
    name: "Transaction: several items (ERC-1155)",
    warnings: ["unknown_contract collection"],
    call: call(
      STRANGER,
      0n,
      calldata("function safeBatchTransferFrom(address, address, uint256[], uint256[], bytes)", [
        SIGNER,
        OTHER_KEY,
        [1n, 2n],
        [10n, 20n],
        "0x",
      ]),
    ),
  },
  {
    name: "Transaction: Aave loan",
    warnings: [],
    call: call(
      "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2",
      0n,
      calldata("function borrow(address, uint256, uint256, uint16, address)", [
        USDC,
        500_000_000n,
        2n,
        0,
        SIGNER,
      ]),
    ),
  },
  {
    name: "Transaction: several calls of Multicall3",
    warnings: [],
    call: call(
      "0xcA11bde05977b3631167028862bE2a173976CA11",
      0n,
      calldata("function aggregate3((address to, bool allowFailure, bytes data)[] calls)", [[
        {
          to: USDC,
          allowFailure: false,
          data: calldata(ERC20.transferFrom, [SIGNER, OTHER_KEY, 1_000_000n]),
        },
        { to: DAI, allowFailure: false, data: calldata(ERC20.transfer, [SIGNER, 2n * 10n ** 18n]) },
      ]]),
    ),
  },
  {
    name: "Transaction: another owner of a contract",
    warnings: ["control_change owner", "unknown_contract contract"],
    call: call(SAFE, 0n, calldata("function transferOwnership(address owner)", [STRANGER])),
  },
  {
    name: "Transaction: a function that is not known",
    warnings: ["red not_understood call"],
    call: call(ROUTER, 10n ** 17n, "0xdeadbeef" + "00".repeat(96)),
  },
  {
    name: "Transaction: a new contract",
    warnings: ["not_understood code"],
    call: call(null, 0n, "0x6080604052600a600c"),
  },
  {
    name: "Authorization of a known delegate (EIP-7702)",
    warnings: [],
    authorization: { chainId: 1n, address: "0x63c0c19a282a1B52b07dD5a65b58948A07DAE32B", nonce: 7n },
  },
  {
    name: "Authorization of an unknown delegate (EIP-7702)",
    warnings: ["unknown_delegate delegate"],
    authorization: { chainId: 8453n, address: STRANGER, nonce: 0n },
  },
  {
    name: "Raw bytes that are a transaction",
    warnings: ["looks_like_transaction lookAgain"],
    bytes: "0xec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080",
  },
];
