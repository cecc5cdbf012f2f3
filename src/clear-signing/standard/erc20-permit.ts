import { localizable } from "../format-message.ts";
import { allowanceEffect } from "../intent.ts";
import { typedDataKind } from "../typed-document.ts";
import { dateText, largest, mostText, tokenText } from "../parties.ts";

interface Permit {
  readonly owner: string;
  readonly spender: string;
  readonly value: string;
  readonly nonce: string;
  readonly deadline: string;
}

/** An allowance of an ERC-20 by signature (ERC-2612). The domain's contract is the token. */
export const ERC20_PERMIT = typedDataKind<Permit>({
  kind: "erc20_permit",
  recognisedBy: "ERC-2612",
  encodeTypes: ["Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"],
  read({ owner, spender, value, deadline }, { context, chainId, contract, chain, partyOf, isToken }) {
    const [amount, end] = [BigInt(value), BigInt(deadline)];
    return {
      sentence: localizable(amount === 0n ? "takeBackPermit" : "erc20Permit", {
        spender: partyOf(spender),
        amount: mostText(context, chainId, contract, amount, largest(256)),
        owner: partyOf(owner),
        token: partyOf(contract),
        chain,
        until: dateText(end),
      }),
      members: [
        ["token", contract],
        ["owner", owner],
        [amount === 0n ? "former_spender" : "spender", spender],
        ["allowance", {
          spender,
          amount,
          text: tokenText(context, chainId, contract, amount, largest(256)),
        }],
        ["permit_end", end],
      ],
      effects: [allowanceEffect({
        owner,
        spender,
        asset: { standard: "erc20", address: contract, id: null },
        amount,
        most: largest(256),
        until: null,
      })],
      effectsComplete: isToken,
    };
  },
});
