import { localizable } from "../format-message.ts";
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
  read({ owner, spender, value, deadline }, { context, chainId, contract, chain, partyOf }) {
    const [amount, end] = [BigInt(value), BigInt(deadline)];
    return {
      sentence: localizable("erc20Permit", {
        spender: partyOf(spender),
        amount: mostText(context, chainId, contract, amount, largest(256)),
        owner: partyOf(owner),
        chain,
        until: dateText(end),
      }),
      members: [
        ["token", contract],
        ["owner", owner],
        ["spender", spender],
        ["allowance", {
          spender,
          amount,
          text: tokenText(context, chainId, contract, amount, largest(256)),
        }],
        ["permit_end", end],
      ],
      effects: [{
        effect: "allowance",
        owner,
        spender,
        asset: { standard: "erc20", address: contract, id: null },
        amount: amount === largest(256) ? null : value,
        until: null,
      }],
    };
  },
});
