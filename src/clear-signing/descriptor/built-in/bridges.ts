import type { Json } from "../source.ts";
import { act, amount, type Deployment, descriptor, field, party, TEXT } from "./form.ts";

const CCTP_V1: readonly Deployment[] = [[[1], "0xBd3fa81B58Ba92a82136038B25aDec7066af3155"]];
const CCTP_V2: readonly Deployment[] = [
  [[1, 10, 130, 137, 480, 8453, 42161, 43114, 59144], "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d"],
];

/** The chains by Circle's own numbers. */
const DOMAINS = {
  "0": "=Ethereum",
  "1": "=Avalanche",
  "2": "=OP Mainnet",
  "3": "=Arbitrum One",
  "5": "=Solana",
  "6": "=Base",
  "7": "=Polygon",
  "10": "=Unichain",
  "11": "=Linea Mainnet",
  "14": "=World Chain",
};
const DOMAIN = "$.metadata.enums.domain";

const cctp = act("bridge", [
  amount("amount", "burnToken"),
  party("mintRecipient", TEXT.sentTo),
  field("destinationDomain", TEXT.chain, "enum", { $ref: DOMAIN }),
], { gives: [["amount", "burnToken"]], isPartial: true });

const BURN = "depositForBurn(uint256 amount,uint32 destinationDomain,bytes32 mintRecipient,address burnToken";

const SPOKE_POOLS: readonly Deployment[] = [
  [[1], "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5"],
  [[10], "0x6f26Bf09B1C792e3228e5467807a900A503c0281"],
  [[8453], "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64"],
  [[42161], "0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A"],
];

const ACROSS = descriptor("contract", SPOKE_POOLS, {
  [
    "depositV3(address depositor,address recipient,address inputToken,address outputToken,uint256 inputAmount," +
    "uint256 outputAmount,uint256 destinationChainId,address exclusiveRelayer,uint32 quoteTimestamp," +
    "uint32 fillDeadline,uint32 exclusivityDeadline,bytes message)"
  ]: act("bridgeLeast", [
    amount("inputAmount", "inputToken", TEXT.gives),
    field("outputAmount", TEXT.gets, "tokenAmount", {
      tokenPath: "outputToken",
      chainIdPath: "destinationChainId",
    }),
    party("recipient", TEXT.sentTo),
    field("destinationChainId", TEXT.chain, "chainId"),
  ], { gives: [["inputAmount", "inputToken"]], account: "depositor", isPartial: true }),
});

const STANDARD_BRIDGES: readonly Deployment[] = [
  [[1], "0x99C9fc46f92E8a1c0deC1b1747d010903E884bE1"],
  [[1], "0x3154Cf16ccdb4C6d922629664174b904d80F2C35"],
];
const value = field("@.value", TEXT.amount, "amount");

const OP_BRIDGE = descriptor("contract", STANDARD_BRIDGES, {
  "depositETH(uint32 minGasLimit,bytes extraData)": act("bridgeIn", [value], {}),
  "bridgeETH(uint32 minGasLimit,bytes extraData)": act("bridgeIn", [value], {}),
  "depositETHTo(address to,uint32 minGasLimit,bytes extraData)": act("bridgeInTo", [
    value,
    party("to", TEXT.sentTo),
  ], { account: "to" }),
  "bridgeETHTo(address to,uint32 minGasLimit,bytes extraData)": act("bridgeInTo", [
    value,
    party("to", TEXT.sentTo),
  ], { account: "to" }),
});

export const BRIDGES: readonly (readonly [name: string, descriptor: Json])[] = [
  ["=CCTP", descriptor("contract", CCTP_V1, { [`${BURN})`]: cctp }, { domain: DOMAINS })],
  [
    "=CCTP",
    descriptor("contract", CCTP_V2, {
      [`${BURN},bytes32 destinationCaller,uint256 maxFee,uint32 minFinalityThreshold)`]: cctp,
    }, { domain: DOMAINS }),
  ],
  ["=Across", ACROSS],
  ["=OP Stack", OP_BRIDGE],
];
