import type { Json } from "../source.ts";
import { act, descriptor, field, flag, party, TEXT } from "./form.ts";

const time = field("duration", TEXT.duration, "duration");

const ENS_CONTROLLER = descriptor("contract", [[[1], "0x253553366Da8546fC250F225fe3d25d0C782303b"]], {
  [
    "register(string name,address owner,uint256 duration,bytes32 secret,address resolver,bytes[] data," +
    "bool reverseRecord,uint16 ownerControlledFuses)"
  ]: act("registerName", [
    field("name", TEXT.name),
    party("owner", TEXT.owner),
    time,
    field("@.value", TEXT.amount, "amount"),
  ], { account: "owner" }),
  "renew(string name,uint256 duration)": act("renewName", [
    field("name", TEXT.name),
    time,
    field("@.value", TEXT.amount, "amount"),
  ], {}),
  "commit(bytes32 commitment)": act("commitName", [field("commitment", TEXT.name)], {}),
});

const ENS_REGISTRY = descriptor(
  "contract",
  [[[1, 11155111], "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"]],
  {
    "setOwner(bytes32 node,address owner)": act("giveName", [
      field("node", TEXT.name),
      party("owner", TEXT.owner),
    ]),
    "setResolver(bytes32 node,address resolver)": act("resolveName", [
      field("node", TEXT.name),
      party("resolver", TEXT.resolver),
    ]),
  },
);

/** Signed for the chain that the wallet shows, and for no contract: Hyperliquid is a chain of its own. */
const HYPERLIQUID_CHAINS = [1, 10, 137, 8453, 42161, 421614];
const ZERO = "0x0000000000000000000000000000000000000000";

const hyperliquidTo = (sentence: "hyperSend" | "hyperWithdraw"): Json =>
  act(sentence, [field("amount", TEXT.amount), field("destination", TEXT.sentTo), CHAIN]);

const CHAIN = field("hyperliquidChain", TEXT.chain);
const KEY = "HyperliquidTransaction:";

const HYPERLIQUID = descriptor({ name: "HyperliquidSignTransaction" }, [[HYPERLIQUID_CHAINS, ZERO]], {
  [`${KEY}UsdSend(string hyperliquidChain,string destination,string amount,uint64 time)`]: hyperliquidTo(
    "hyperSend",
  ),
  [`${KEY}Withdraw(string hyperliquidChain,string destination,string amount,uint64 time)`]: hyperliquidTo(
    "hyperWithdraw",
  ),
  [`${KEY}SpotSend(string hyperliquidChain,string destination,string token,string amount,uint64 time)`]: act(
    "hyperSpotSend",
    [field("amount", TEXT.amount), field("token", TEXT.token), field("destination", TEXT.sentTo), CHAIN],
  ),
  [`${KEY}UsdClassTransfer(string hyperliquidChain,string amount,bool toPerp,uint64 nonce)`]: act(
    "hyperMove",
    [
      field("amount", TEXT.amount),
      flag("toPerp"),
      CHAIN,
    ],
    { isPartial: true },
  ),
  [`${KEY}ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)`]: act(
    "hyperAgent",
    [party("agentAddress", TEXT.manager), field("agentName", TEXT.name), CHAIN],
  ),
  [`${KEY}ApproveBuilderFee(string hyperliquidChain,string maxFeeRate,address builder,uint64 nonce)`]: act(
    "hyperFee",
    [party("builder", TEXT.manager), field("maxFeeRate", TEXT.fee), CHAIN],
  ),
});

export const NAMES: readonly (readonly [name: string, descriptor: Json])[] = [
  ["=ENS", ENS_CONTROLLER],
  ["=ENS", ENS_REGISTRY],
  ["=Hyperliquid", HYPERLIQUID],
];
