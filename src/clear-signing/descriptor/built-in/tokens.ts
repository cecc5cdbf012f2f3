import type { Json } from "../source.ts";
import { act, amount, DATE, type Deployment, descriptor, field, party, TEXT } from "./form.ts";

const WRAPPERS: readonly Deployment[] = [
  [[1], "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"],
  [[10, 130, 480, 8453], "0x4200000000000000000000000000000000000006"],
  [[42161], "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"],
];

const WRAPPED = descriptor("contract", WRAPPERS, {
  "deposit()": act("wrap", [field("@.value", TEXT.amount, "amount")], {}),
  "withdraw(uint256 amount)": act("unwrap", [amount("amount", "@.to")], {}),
});

const STETH = "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84";
const WSTETH = "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0";

const LIDO = descriptor("contract", [[[1], STETH]], {
  "submit(address referral)": act("stake", [field("@.value", TEXT.amount, "amount")], {}),
});

const LIDO_WRAPPER = descriptor("contract", [[[1], WSTETH]], {
  "wrap(uint256 amount)": act("wrap", [amount("amount", STETH)], { gives: [["amount", STETH]] }),
  "unwrap(uint256 amount)": act("unwrap", [amount("amount", "@.to")], {}),
});

/** A zero owner means the caller. */
const ASK = { account: "owner", self: "0x0000000000000000000000000000000000000000" };

const LIDO_QUEUE = descriptor("contract", [[[1], "0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1"]], {
  "requestWithdrawals(uint256[] amounts,address owner)": act("unstake", [
    amount("amounts.[]", STETH),
    party("owner", TEXT.inNameOf, { senderAddress: ASK.self }),
  ], { ...ASK, gives: [["amounts.[]", STETH]] }),
  "requestWithdrawalsWstETH(uint256[] amounts,address owner)": act("unstake", [
    amount("amounts.[]", WSTETH),
    party("owner", TEXT.inNameOf, { senderAddress: ASK.self }),
  ], { ...ASK, gives: [["amounts.[]", WSTETH]] }),
  "claimWithdrawal(uint256 requestId)": act("claim", [field("requestId", TEXT.request)], {}),
  "claimWithdrawals(uint256[] requestIds,uint256[] hints)": act("claim", [
    field("requestIds.[]", TEXT.request),
  ], {}),
});

const VOTING_TOKENS: readonly Deployment[] = [
  [[1], "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72"],
  [[1], "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"],
  [[1], "0xc00e94Cb662C3520282E6f5717214004A7f26888"],
];

const VOTES = descriptor({}, VOTING_TOKENS, {
  "Delegation(address delegatee,uint256 nonce,uint256 expiry)": act("letVoteUntil", [
    party("delegatee", TEXT.votes),
    field("expiry", TEXT.usableUntil, "date", DATE),
  ], { until: "expiry", isPartial: true }),
});

const VOTE_CALLS = descriptor("contract", [
  ...VOTING_TOKENS,
  [[10], "0x4200000000000000000000000000000000000042"],
  [[42161], "0x912CE59144191C1204E64559FE8253a0e49E6548"],
], { "delegate(address delegatee)": act("letVote", [party("delegatee", TEXT.votes)], { isPartial: true }) });

const support = { $ref: "$.metadata.enums.support" };
const proposal = field("proposalId", TEXT.proposal);
const choice = field("support", TEXT.vote, "enum", support);

const GOVERNORS = descriptor("contract", [
  [[1], "0x408ED6354d4973f66138C91495F2f2FCbd8724C3"],
  [[1], "0x323A76393544d5ecca80cd6ef2A560C6a395b7E3"],
  [[1], "0xc0Da02939E1441F497fd74F78cE7Decb17B66529"],
  [[42161], "0xf07DeD9dC292157749B6Fd268E37DF6EA38395B9"],
], {
  "castVote(uint256 proposalId,uint8 support)": act("castVote", [proposal, choice], { isPartial: true }),
  "castVoteWithReason(uint256 proposalId,uint8 support,string reason)": act("castVote", [
    proposal,
    choice,
    field("reason", TEXT.reason),
  ], { isPartial: true }),
}, { support: { "0": TEXT.against, "1": TEXT.inFavour, "2": TEXT.abstain } });

export const OF_TOKENS: readonly (readonly [name: string, descriptor: Json])[] = [
  [TEXT.wrapped, WRAPPED],
  ["=Lido", LIDO],
  ["=Lido", LIDO_WRAPPER],
  ["=Lido", LIDO_QUEUE],
  [TEXT.votesName, VOTES],
  [TEXT.votesName, VOTE_CALLS],
  [TEXT.governor, GOVERNORS],
];
