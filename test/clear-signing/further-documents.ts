import { encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import { createDirectory } from "../../src/clear-signing/directory.ts";
import { readDescriptor } from "../../src/clear-signing/descriptor/read.ts";
import type { IntentContext } from "../../src/clear-signing/parties.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import {
  AUTHORIZATION,
  calldata,
  DAI,
  DAI_PERMIT,
  DETAILS,
  type ExpectedSample,
  forwardRequest,
  MOST,
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
  transfer,
  typedData,
  type TypedDataJson,
  USDC,
  userOperation,
} from "./documents.ts";

const UNKNOWN_CHAIN = 987_654;
const PAST = NOW / 1000 - 60;
const IN_TWO_YEARS = NOW / 1000 + 730 * 86_400;
const IN_THREE_YEARS = NOW / 1000 + 1095 * 86_400;

const unknownToken = { name: "Coin", version: "1", chainId: UNKNOWN_CHAIN, verifyingContract: STRANGER };

/** Returns a transaction on Ethereum without value. */
function called(
  name: string,
  to: string,
  data: string,
  warnings: ExpectedSample["warnings"],
): ExpectedSample {
  return { name, warnings, call: { chainId: 1n, to, value: 0n, data } };
}

/** Returns a call of the key's own account with a function of a Safe. */
function selfCall(
  text: string,
  values: readonly unknown[],
  warnings: ExpectedSample["warnings"] = [],
): ExpectedSample {
  return called(text, SIGNER, calldata(`function ${text}`, values), warnings);
}

function tokenTransfer(): string {
  return calldata("function transfer(address to, uint256 amount)", [OTHER_KEY, 12_345n]);
}

/** The schema and the marker of ERC-8021. */
const ATTRIBUTED = "00" + "8021".repeat(8);

/** Returns a sign-in with an additional line. */
function signInWith(line: string): string {
  return `${signIn([])}\n${line}`;
}

export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";
export const ROUTER = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";

export function approve(spender: string, amount: bigint): string {
  return calldata("function approve(address spender, uint256 amount)", [spender, amount]);
}

/** Encodes calls for Multicall3. */
export function aggregate(calls: readonly (readonly [to: string, data: string])[]): string {
  return calldata("function aggregate((address to, bytes data)[] calls)", [
    calls.map(([to, data]) => ({ to, data })),
  ]);
}

/** Encodes an exchange of 5 USDC for DAI by the Universal Router. */
export function swapFor(recipient: string): string {
  const types = parseAbiParameters("address, uint256, uint256, address[], bool");
  return encodeAbiParameters(types, [
    recipient as Hex,
    5_000_000n,
    4n * 10n ** 18n,
    [USDC as Hex, DAI as Hex],
    true,
  ]);
}

/** Returns an operation of a Safe that sends USDC (ERC-4337, by Safe's module). */
export function safeOperation(changes: Readonly<Record<string, unknown>>): TypedDataJson {
  const module = { chainId: 1, verifyingContract: "0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226" };
  return typedData(module, {
    SafeOp: "address safe, uint256 nonce, bytes initCode, bytes callData, uint128 verificationGasLimit, " +
      "uint128 callGasLimit, uint256 preVerificationGas, uint128 maxPriorityFeePerGas, uint128 maxFeePerGas, " +
      "bytes paymasterAndData, uint48 validAfter, uint48 validUntil, address entryPoint",
  }, {
    safe: STRANGER,
    nonce: 1,
    initCode: "0x",
    callData: calldata("function executeUserOp(address to, uint256 value, bytes data, uint8 operation)", [
      USDC,
      0n,
      tokenTransfer(),
      0,
    ]),
    verificationGasLimit: 100_000,
    callGasLimit: 100_000,
    preVerificationGas: 50_000,
    maxPriorityFeePerGas: 1,
    maxFeePerGas: 1_000_000_000,
    paymasterAndData: "0x",
    validAfter: 0,
    validUntil: 0,
    entryPoint: "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
    ...changes,
  });
}

const READABLE_RECAP = `urn:recap:${toBase64url(utf8('{"att":{"https://x.example":{"crud/read":[{}]}}}'))}`;

/** Returns a directory with a descriptor of one format, for a contract at `STRANGER`. */
function describing(bound: "contract" | "eip712", chainId: number, format: string): Partial<IntentContext> {
  const params = { token: USDC, threshold: "0x" + "f".repeat(64) };
  const fields = [{ path: "amount", label: "Amount", format: "tokenAmount", params }];
  const { descriptor } = readDescriptor("Payments", {
    $schema: "../specs/erc7730-v2.schema.json",
    context: { [bound]: { deployments: [{ chainId, address: STRANGER }] } },
    display: { formats: { [format]: { intent: "Pay", fields } } },
  });
  return { directory: createDirectory([], [descriptor]) };
}

/** Deceptive documents, for the warnings that `SAMPLES` lack. They are not in docs/reference/clear-signing.md. */
export const FURTHER: readonly ExpectedSample[] = [
  {
    name: "expired permit on an unknown chain",
    warnings: [
      "expired permit_end",
      "unknown_contract token",
      "unknown_contract spender",
      "unknown_chain unknownChain",
    ],
    typedData: permit(unknownToken, { deadline: PAST, spender: STRANGER }),
  },
  {
    name: "expired DAI permit of a stranger",
    warnings: [
      "not_this_key holder",
      "unlimited_allowance maySpend",
      "expired permit_end",
      "unknown_contract token",
      "unknown_contract spender",
      "unknown_chain unknownChain",
    ],
    typedData: typedData(unknownToken, DAI_PERMIT, {
      holder: STRANGER,
      spender: STRANGER,
      nonce: 4,
      expiry: PAST,
      allowed: true,
    }),
  },
  {
    name: "expired Permit2 allowance of an unknown token",
    warnings: [
      "expired permit_end",
      "expired allowance_end",
      "unknown_contract token",
      "unknown_contract spender",
      "unknown_chain unknownChain",
    ],
    typedData: typedData({ ...permit2, chainId: UNKNOWN_CHAIN }, {
      PermitSingle: "PermitDetails details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, {
      details: { token: STRANGER, amount: "1", expiration: PAST - 60, nonce: 0 },
      spender: STRANGER,
      sigDeadline: PAST,
    }),
  },
  {
    name: "Permit2 allowance for 60 days",
    warnings: ["long_deadline allowance_end"],
    typedData: typedData(permit2, {
      PermitBatch: "PermitDetails[] details, address spender, uint256 sigDeadline",
      PermitDetails: DETAILS,
    }, {
      details: [{ token: USDC, amount: "1", expiration: NOW / 1000 + 60 * 86_400, nonce: 0 }],
      spender: OTHER_KEY,
      sigDeadline: NOW / 1000 + 60,
    }),
  },
  {
    name: "expired Permit2 transfer of an unknown token",
    warnings: [
      "expired permit_end",
      "unknown_contract token",
      "unknown_contract spender",
      "unknown_chain unknownChain",
    ],
    typedData: typedData({ ...permit2, chainId: UNKNOWN_CHAIN }, {
      PermitTransferFrom: "TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline",
      TokenPermissions: PERMISSIONS,
    }, { permitted: { token: STRANGER, amount: "1" }, spender: STRANGER, nonce: "99", deadline: PAST }),
  },
  {
    name: "transfer that begins in two years",
    warnings: ["far_future start", "far_future end", "unknown_contract token", "unknown_chain unknownChain"],
    typedData: typedData(unknownToken, { TransferWithAuthorization: AUTHORIZATION }, {
      ...transfer,
      validAfter: IN_TWO_YEARS,
      validBefore: IN_THREE_YEARS,
    }),
  },
  {
    name: "transfer for 60 days",
    warnings: ["long_deadline end", "unknown_contract token", "unknown_chain unknownChain"],
    typedData: typedData(unknownToken, { TransferWithAuthorization: AUTHORIZATION }, {
      ...transfer,
      validBefore: NOW / 1000 + 60 * 86_400,
    }),
  },
  {
    name: "cancellation by a stranger",
    warnings: ["not_this_key authorizer", "unknown_contract token", "unknown_chain unknownChain"],
    typedData: typedData(unknownToken, { CancelAuthorization: "address authorizer, bytes32 nonce" }, {
      authorizer: STRANGER,
      nonce: transfer.nonce,
    }),
  },
  ...([
    [{ startTime: IN_TWO_YEARS, endTime: IN_THREE_YEARS }, [
      "far_future order_start",
      "far_future order_end",
    ]],
    [{ startTime: 0, endTime: PAST }, ["expired order_end"]],
    [{ startTime: 0, endTime: NOW / 1000 + 60 * 86_400 }, ["long_deadline order_end"]],
  ] as const).map(([times, warnings]): ExpectedSample => {
    const listing = order([[1, DAI, "0", "1000000000000000000"]], [[[1, STRANGER, "0", "5000"], STRANGER]]);
    return {
      name: `Seaport order of a stranger: ${warnings[0]}`,
      warnings: [
        "not_this_key offerer",
        ...warnings,
        "unknown_contract token",
        "unknown_contract token",
        "unknown_chain unknownChain",
      ],
      typedData: {
        ...listing,
        domain: { ...listing.domain, chainId: UNKNOWN_CHAIN },
        message: { ...listing.message, offerer: STRANGER, ...times },
      },
    };
  }),
  {
    name: "Safe that runs unknown code and pays a stranger for gas",
    warnings: [
      "delegate_call runsForeignCode",
      "gas_refund paysUnmeasuredGas",
      "unknown_contract code",
      "unknown_chain unknownChain",
    ],
    typedData: withChain(safeTx({ operation: 1, baseGas: 1_000_001, gasPrice: "1" })),
  },
  {
    name: "user operation on an unknown chain",
    warnings: ["unknown_chain unknownChain"],
    typedData: withChain(userOperation({})),
  },
  {
    name: "typed data on an unknown chain",
    warnings: ["not_understood typed_data", "unknown_contract contract", "unknown_chain unknownChain"],
    typedData: typedData(unknownToken, { Mail: "string contents" }, { contents: "Hello" }),
  },
  {
    name: "sign-in on an unknown chain",
    warnings: ["far_future sign_in_start", "unknown_chain unknownChain"],
    text: signIn([["Chain ID: 1", `Chain ID: ${UNKNOWN_CHAIN}`]]) + "\nNot Before: 2099-01-01T00:00:00Z",
  },
  {
    name: "sign-in for three years",
    warnings: ["far_future sign_in_end"],
    text: signInWith("Expiration Time: 2029-11-22T00:00:00Z"),
  },
  {
    name: "sign-in for 60 days",
    warnings: ["long_deadline sign_in_end"],
    text: signInWith("Expiration Time: 2027-01-21T00:00:00Z"),
  },
  {
    name: "recap",
    warnings: ["capabilities listedCapabilities"],
    text: signInWith(`Resources:\n- ${READABLE_RECAP}`),
  },
  {
    name: "unread recap",
    warnings: ["capabilities unreadCapabilities"],
    text: signInWith("Resources:\n- urn:recap:~"),
  },
  {
    name: "site",
    warnings: ["sign_in_site siteIsNotAsking"],
    context: { askedBy: "other.example" },
    text: signInWith("Resources:\n- https://x.example/"),
  },
  {
    name: "another chain",
    warnings: ["unknown_chain unknownChain"],
    call: { chainId: 4_242n, to: STRANGER, value: 5n, data: "0x" },
  },
  {
    name: "along",
    warnings: ["unknown_contract token"],
    call: { chainId: 1n, to: STRANGER, value: 5n, data: tokenTransfer() },
  },
  {
    name: "gas that costs much",
    warnings: ["high_fee highFee"],
    call: { chainId: 1n, to: OTHER_KEY, value: 5n, data: "0x", gasLimit: 5_000_001n },
  },
  {
    name: "gas that costs more than an ether",
    warnings: ["red high_fee highFee"],
    call: { chainId: 1n, to: OTHER_KEY, value: 5n, data: "0x", gasLimit: 50_000_001n },
  },
  {
    name: "unknown delegate in a transaction",
    warnings: ["unknown_delegate delegate"],
    call: { chainId: 1n, to: OTHER_KEY, value: 5n, data: "0x", delegate: STRANGER },
  },
  {
    name: "every chain",
    warnings: ["unknown_delegate delegate", "all_chains allChains"],
    authorization: { chainId: 0n, address: STRANGER, nonce: 7n },
  },
  {
    name: "delegation on an unknown chain",
    warnings: ["unknown_delegate delegate", "unknown_chain unknownChain"],
    authorization: { chainId: BigInt(UNKNOWN_CHAIN), address: STRANGER, nonce: 7n },
  },
  {
    name: "no code",
    warnings: [],
    authorization: { chainId: 1n, address: "0x" + "00".repeat(20), nonce: 7n },
  },
  called("unread", STRANGER, tokenTransfer().replace("0xa9059cbb00", "0xa9059cbb01"), [
    "unread_arguments unreadArguments",
    "unknown_contract contract",
  ]),
  called("transfer with a byte behind its arguments", STRANGER, `${tokenTransfer()}00`, [
    "unknown_contract token",
  ]),
  called("transfer with an attribution", STRANGER, `${tokenTransfer()}6578616d706c6507${ATTRIBUTED}`, [
    "unknown_contract token",
  ]),
  called(
    "transferFrom of another key's tokens",
    STRANGER,
    calldata("function transferFrom(address, address, uint256)", [OTHER_KEY, SIGNER, 5n]),
    ["not_this_key sender", "unknown_contract token"],
  ),
  called(
    "allowance of an unknown token",
    STRANGER,
    calldata("function approve(address, uint256)", [STRANGER, 5n]),
    ["unknown_contract token", "unknown_contract spender"],
  ),
  called(
    "allowance that grows without limit",
    STRANGER,
    calldata("function increaseAllowance(address, uint256)", [STRANGER, BigInt(MOST)]),
    ["unlimited_allowance maySpend", "unknown_contract token", "unknown_contract spender"],
  ),
  called(
    "item of another key's",
    STRANGER,
    calldata("function safeTransferFrom(address, address, uint256)", [OTHER_KEY, SIGNER, 5n]),
    ["not_this_key sender", "unknown_contract collection"],
  ),
  called(
    "collection taken back",
    STRANGER,
    calldata("function setApprovalForAll(address, bool)", [STRANGER, false]),
    ["unknown_contract collection"],
  ),
  {
    ...called(
      "described payment without limit",
      STRANGER,
      calldata("function pay(uint256)", [BigInt(MOST)]),
      [
        "unlimited_allowance labelled",
      ],
    ),
    context: describing("contract", 1, "pay(uint256 amount)"),
  },
  {
    name: "described document on an unknown chain",
    warnings: ["unlimited_allowance labelled", "unknown_chain unknownChain"],
    context: describing("eip712", UNKNOWN_CHAIN, "Pay(uint256 amount)"),
    typedData: typedData(unknownToken, { Pay: "uint256 amount" }, { amount: MOST }),
  },
  called("unknown function", STRANGER, "0xdeadbeef", [
    "not_understood call",
    "unknown_contract contract",
  ]),
  called("unknown function of a token", USDC, "0xdeadbeef", ["red not_understood call"]),
  called("unknown function of the own account", SIGNER, "0xdeadbeef", ["red not_understood call"]),
  called("allowance for everyone", USDC, approve(MULTICALL3, 5n), ["anyone_may_spend spender"]),
  called(
    "collection for everyone",
    STRANGER,
    calldata("function setApprovalForAll(address, bool)", [MULTICALL3, true]),
    ["unlimited_allowance mayTakeItems", "anyone_may_spend operator", "unknown_contract collection"],
  ),
  called(
    "swap for a stranger",
    ROUTER,
    calldata("function execute(bytes commands, bytes[] inputs, uint256 deadline)", ["0x08", [
      swapFor(STRANGER),
    ], 1n]),
    ["next_to_nothing nothingReturns"],
  ),
  called(
    "swap for the account",
    ROUTER,
    calldata("function execute(bytes commands, bytes[] inputs, uint256 deadline)", [
      "0x08",
      [swapFor(SIGNER)],
      1n,
    ]),
    [],
  ),
  called(
    "more calls than are read",
    MULTICALL3,
    aggregate(Array.from({ length: 257 }, () => [USDC, approve(SIGNER, 1n)])),
    [
      "red not_understood rest",
    ],
  ),
  ...([
    [PAST, "expired"],
    [NOW / 1000 + 60 * 86_400, "long_deadline"],
    [IN_TWO_YEARS, "far_future"],
  ] as const).flatMap(([end, code]): readonly ExpectedSample[] => [
    {
      name: `operation of a Safe: ${code}`,
      warnings: code === "long_deadline"
        ? ["unknown_contract account", "long_deadline operation_end"]
        : [`${code} operation_end`, "unknown_contract account"],
      typedData: safeOperation({ validUntil: end }),
    },
    {
      name: `call through a forwarder: ${code}`,
      warnings: [`${code} request_end`, "unknown_contract contract"],
      typedData: forwardRequest({ deadline: end }),
    },
  ]),
  {
    name: "operation of a Safe without an end",
    warnings: ["unknown_contract account"],
    typedData: safeOperation({}),
  },
  {
    name: "hash that a Safe signs",
    warnings: ["red not_understood hash", "unknown_contract contract"],
    typedData: typedData({ chainId: 1, verifyingContract: STRANGER }, { SafeMessage: "bytes message" }, {
      message: "0x" + "ab".repeat(32),
    }),
  },
  { name: "raw bytes", warnings: ["not_understood bytes"], bytes: "0xdeadbeef" },
  {
    name: "sign-in with an emoji, to one site for another",
    warnings: [
      "not_this_key account",
      "malformed_sign_in malformedSignIn",
      "sign_in_host siteIsNotHost",
      "sign_in_site siteIsNotAsking",
      "capabilities listedCapabilities",
    ],
    context: { askedBy: "other.example" },
    text: signIn([["Example Statement", "Example 😀"], [SIGNER, STRANGER], [
      "URI: https://login.xyz",
      "URI: https://x.xyz",
    ]]) +
      `\nResources:\n- ${READABLE_RECAP}`,
  },
  {
    name: "sentence about signing in",
    warnings: [
      "malformed_sign_in malformedSignIn",
      "sign_in_host siteIsNotHost",
    ],
    text: "Example.com wants you to  sign in with your Ethereum\u200B account",
  },
  selfCall("enableModule(address a)", [STRANGER], ["unknown_module module"]),
  selfCall("setGuard(address a)", [STRANGER], ["control_change guard"]),
  selfCall("setFallbackHandler(address a)", [STRANGER], ["control_change fallback_handler"]),
  selfCall("disableModule(address a,address b)", [STRANGER, OTHER_KEY], ["control_change module"]),
  selfCall("removeOwner(address a,address b,uint256 c)", [STRANGER, OTHER_KEY, 2n], ["control_change owner"]),
  selfCall("swapOwner(address a,address b,address c)", [STRANGER, OTHER_KEY, STRANGER], [
    "control_change owner",
    "control_change owner",
  ]),
  selfCall("changeThreshold(uint256 a)", [2n], ["control_change signaturesRequired"]),
];

function withChain(document: ReturnType<typeof typedData>): ReturnType<typeof typedData> {
  return { ...document, domain: { ...document.domain, chainId: UNKNOWN_CHAIN } };
}
