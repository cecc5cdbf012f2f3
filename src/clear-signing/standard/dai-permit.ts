import { localizable } from "../format-message.ts";
import { allowanceEffect } from "../intent.ts";
import { typedDataKind } from "../typed-document.ts";
import { dateText, largest, tokenText } from "../parties.ts";

interface DaiPermit {
  readonly holder: string;
  readonly spender: string;
  readonly nonce: string;
  readonly expiry: string;
  readonly allowed: boolean;
}

/** DAI's own permit, older than ERC-2612. It allows everything or nothing, and an expiry of 0 means none. */
export const DAI_PERMIT = typedDataKind<DaiPermit>({
  kind: "dai_permit",
  recognisedBy: localizable("byDaiPermit"),
  encodeTypes: ["Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"],
  read({ holder, spender, expiry, allowed }, { context, chainId, contract, chain, partyOf, isToken }) {
    const [amount, end] = [allowed ? largest(256) : 0n, BigInt(expiry)];
    const text = tokenText(context, chainId, contract, amount, largest(256));
    return {
      sentence: localizable(allowed ? "daiPermit" : "takeBackPermit", {
        spender: partyOf(spender),
        amount: text,
        owner: partyOf(holder),
        token: partyOf(contract),
        chain,
        until: end === 0n ? undefined : dateText(end),
      }),
      members: [
        ["token", contract],
        ["holder", holder],
        [allowed ? "spender" : "former_spender", spender],
        ["allowance", { spender, amount, text }],
        ["dai_permit_end", end],
      ],
      effects: [allowanceEffect({
        owner: holder,
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
