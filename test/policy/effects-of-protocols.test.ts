import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, encodeAbiParameters, type Hex, hexToBytes, parseAbiParameters } from "viem";
import { decide } from "../../src/policy/decide.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { calldata, NOW, SIGNER, STRANGER, USDC } from "../clear-signing/documents.ts";
import { transactionOf } from "../clear-signing/explain-sample.ts";
import { ROUTER } from "../clear-signing/further-documents.ts";

const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const AAVE = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2";
const MORPHO = "0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb";
const V2_ROUTER = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
const V3_ROUTER = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const CCTP = "0xBd3fa81B58Ba92a82136038B25aDec7066af3155";
const ACROSS = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
const OP_BRIDGE = "0x99C9fc46f92E8a1c0deC1b1747d010903E884bE1";
const ENS = "0x253553366Da8546fC250F225fe3d25d0C782303b";
const UNI = "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984";
const GOVERNOR = "0x408ED6354d4973f66138C91495F2f2FCbd8724C3";
const MARKET = [USDC, WETH, STRANGER, STRANGER, 1n];
const MARKET_TYPE = "(address a,address b,address c,address d,uint256 e) m";
const ROUTER_ITSELF = "0x0000000000000000000000000000000000000002";
const TO_STRANGER = `0x${STRANGER.slice(2).padStart(64, "0")}`;

/** Lets USDC and ether be given to each protocol, and USDC in exchange to anyone. */
const POLICY = readPolicy({
  version: 1,
  effects: [
    [USDC, [AAVE, MORPHO, CCTP, ACROSS, ROUTER]],
    [USDC, "any"],
    ["native", [V2_ROUTER, V3_ROUTER, OP_BRIDGE, ENS, ROUTER]],
  ].map(([asset, to]) => ({ chainId: 1, gives: [{ asset, to }], feeAtMost: `1${"0".repeat(30)}` })),
});

type Call = readonly [to: string, text: string, args: readonly unknown[], value?: bigint];

function outcomeOf([to, text, args, value = 0n]: Call): string {
  const data = calldata(`function ${text}`, args);
  const transaction = transactionOf({ chainId: 1n, to, value, data });
  return decide(POLICY, { kind: "transaction", transaction }, { signer: hexToBytes(SIGNER), now: NOW })
    .outcome;
}

/** Returns a plan of the Universal Router. */
function plan(
  value: bigint,
  ...commands: readonly (readonly [code: Hex, types: string, ...unknown[]])[]
): Call {
  const inputs = commands.map(([, types, ...args]) =>
    encodeAbiParameters(parseAbiParameters(types), args as never)
  );
  const codes = concat(commands.map(([code]) => code));
  return [ROUTER, "execute(bytes a,bytes[] b)", [codes, inputs], value];
}

const MOVED = "address token,address to,uint256 amount";
const EXACT = "address to,uint256 a,uint256 b,address[] path,bool payerIsUser";
const IN_BYTES = "address to,uint256 a,uint256 b,bytes path,bool payerIsUser";
/** The router gives WETH: it reads whole hops, and the last 20 bytes are those of USDC. */
const CROOKED = concat([WETH, "0x000bb8", WETH, "0x00", USDC as Hex]);

/** Calls that give more than their amounts, or to others than the contract. */
const REFUSED: Readonly<Record<string, Call>> = {
  "a loan": [AAVE, "borrow(address a,uint256 b,uint256 c,uint16 d,address e)", [USDC, 5n, 2n, 0, SIGNER]],
  "a change of collateral": [AAVE, "setUserUseReserveAsCollateral(address a,bool b)", [USDC, true]],
  "a deposit in the name of another": [
    AAVE,
    "supply(address a,uint256 b,address c,uint16 d)",
    [USDC, 5n, STRANGER, 0],
  ],
  "a deposit in shares": [MORPHO, `supply(${MARKET_TYPE},uint256 a,uint256 b,address c,bytes d)`, [
    MARKET,
    0n,
    5n,
    SIGNER,
    "0x",
  ]],
  "a loan of a market": [MORPHO, `borrow(${MARKET_TYPE},uint256 a,uint256 b,address c,address d)`, [
    MARKET,
    5n,
    0n,
    SIGNER,
    SIGNER,
  ]],
  "shares sent to another": [MORPHO, `withdraw(${MARKET_TYPE},uint256 a,uint256 b,address c,address d)`, [
    MARKET,
    0n,
    5n,
    SIGNER,
    STRANGER,
  ]],
  "a bridge to another": [CCTP, "depositForBurn(uint256 a,uint32 b,bytes32 c,address d)", [
    5n,
    6,
    TO_STRANGER,
    USDC,
  ]],
  "a fast bridge to another": [
    ACROSS,
    "depositV3(address a,address b,address c,address d,uint256 e,uint256 f,uint256 g,address h,uint32 i," +
    "uint32 j,uint32 k,bytes l)",
    [SIGNER, STRANGER, USDC, USDC, 5n, 0n, 10n, STRANGER, 0, 0, 0, "0x"],
  ],
  "ether bridged to another": [
    OP_BRIDGE,
    "depositETHTo(address a,uint32 b,bytes c)",
    [STRANGER, 0, "0x"],
    5n,
  ],
  "a name for another": [
    ENS,
    "register(string a,address b,uint256 c,bytes32 d,address e,bytes[] f,bool g,uint16 h)",
    ["ada", STRANGER, 1n, TO_STRANGER, STRANGER, [], false, 0],
    5n,
  ],
  "votes": [UNI, "delegate(address a)", [STRANGER]],
  "a vote": [GOVERNOR, "castVote(uint256 a,uint8 b)", [1n, 1]],
  "ether for tokens of another": [
    V2_ROUTER,
    "swapExactETHForTokens(uint256 a,address[] b,address c,uint256 d)",
    [0n, [WETH, USDC], STRANGER, 9n],
    5n,
  ],
  "ether for worthless tokens": [
    V2_ROUTER,
    "swapExactETHForTokens(uint256 a,address[] b,address c,uint256 d)",
    [0n, [WETH, STRANGER], SIGNER, 9n],
    5n,
  ],
  "a path that is no list of hops": [
    V3_ROUTER,
    "exactOutput((bytes a,address b,uint256 c,uint256 d) a)",
    [[CROOKED, SIGNER, 1n, 5n]],
  ],
  "a command with such a path": plan(0n, ["0x01", IN_BYTES, SIGNER, 1n, 5n, CROOKED, true]),
  "all that a router has, for another": plan(5n, ["0x04", MOVED, `0x${"0".repeat(40)}`, STRANGER, 0n]),
  "a share of it, for another": plan(5n, ["0x06", MOVED, `0x${"0".repeat(40)}`, STRANGER, 10_000n]),
  "ether wrapped for another": plan(5n, ["0x0b", "address to,uint256 a", STRANGER, 5n]),
  "wrapped ether exchanged for another": plan(
    5n,
    ["0x0b", "address to,uint256 a", ROUTER_ITSELF, 5n],
    ["0x08", EXACT, STRANGER, 5n, 0n, [WETH, USDC], false],
  ),
};

const ALLOWED: Readonly<Record<string, Call>> = {
  "a deposit": [AAVE, "supply(address a,uint256 b,address c,uint16 d)", [USDC, 5n, SIGNER, 0]],
  "what is taken back": [AAVE, "withdraw(address a,uint256 b,address c)", [USDC, 5n, SIGNER]],
  "ether bridged": [OP_BRIDGE, "depositETH(uint32 a,bytes b)", [0, "0x"], 5n],
  "a name": [
    ENS,
    "register(string a,address b,uint256 c,bytes32 d,address e,bytes[] f,bool g,uint16 h)",
    ["ada", SIGNER, 1n, TO_STRANGER, STRANGER, [], false, 0],
    5n,
  ],
  "an exchange": plan(0n, ["0x08", EXACT, SIGNER, 5n, 1n, [USDC, WETH], true]),
  "an exchange along hops": [
    V3_ROUTER,
    "exactOutput((bytes a,address b,uint256 c,uint256 d) a)",
    [[concat([WETH, "0x000bb8", USDC as Hex]), SIGNER, 1n, 5n]],
  ],
};

describe("a rule on effects at protocols", () => {
  for (const [name, call] of Object.entries(REFUSED)) {
    test(`refuses ${name}`, () => assert.equal(outcomeOf(call), "deny"));
  }
  for (const [name, call] of Object.entries(ALLOWED)) {
    test(`allows ${name}`, () => assert.equal(outcomeOf(call), "allow"));
  }
});
