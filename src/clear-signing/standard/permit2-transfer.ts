import { localizable } from "../format-message.ts";
import { allowanceEffect } from "../intent.ts";
import { permit2Contract, type TokenPermissions } from "./permit2.ts";
import type { Member } from "../roles.ts";
import { typedDataKind } from "../typed-document.ts";
import { dateText, largest, listText, mostText, textField, tokenText } from "../parties.ts";

interface PermitTransfer {
  readonly permitted: TokenPermissions | readonly TokenPermissions[];
  readonly spender: string;
  readonly nonce: string;
  readonly deadline: string;
}

const MEMBERS = "address spender,uint256 nonce,uint256 deadline";
const PERMISSIONS = "TokenPermissions(address token,uint256 amount)";

/** The type of the first member after those of Permit2, with its dimensions. */
const WITNESS = /^Permit(?:Batch)?WitnessTransferFrom\([^)]*deadline,([^ ,)]+) /;

/** One-time transfers from an account through Permit2 (its SignatureTransfer). */
export const PERMIT2_TRANSFER = typedDataKind<PermitTransfer>({
  kind: "permit2_transfer",
  recognisedBy: "Permit2",
  encodeTypes: [
    `PermitTransferFrom(TokenPermissions permitted,${MEMBERS})${PERMISSIONS}`,
    `PermitBatchTransferFrom(TokenPermissions[] permitted,${MEMBERS})${PERMISSIONS}`,
  ],
  // A witness may follow: a value with a meaning of the spender's own. The contract takes any type for it.
  heads: {
    types: [
      `PermitWitnessTransferFrom(TokenPermissions permitted,${MEMBERS},`,
      `PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,${MEMBERS},`,
    ],
    members: ["permitted", "spender", "nonce", "deadline"],
  },
  domainContract: permit2Contract,
  read({ permitted, spender, deadline }, { context, chainId, chain, partyOf, holder, encodeType }) {
    const permits = [permitted].flat();
    if (permits.length === 0 || !encodeType.includes(`)${PERMISSIONS}`)) return undefined;
    const end = BigInt(deadline);
    const witness = WITNESS.exec(encodeType)?.[1];
    return {
      sentence: localizable("permit2Transfer", {
        witness,
        spender: partyOf(spender),
        amount: listText(
          permits.map(({ token, amount }) => mostText(context, chainId, token, BigInt(amount), largest(256))),
        ),
        owner: partyOf(holder),
        chain,
        until: dateText(end),
      }),
      members: [
        ["spender", spender],
        ...permits.flatMap(({ token, amount: value }): readonly Member[] => {
          const amount = BigInt(value);
          const text = tokenText(context, chainId, token, amount, largest(256));
          return [["token", token], ["transfer_allowance", { spender, amount, text }]];
        }),
        ["permit_end", end],
        ...(witness === undefined ? [] : [textField("boundTo", witness)]),
      ],
      effects: permits.map(({ token, amount }) =>
        allowanceEffect({
          owner: holder,
          spender,
          asset: { standard: "erc20", address: token, id: null },
          amount: BigInt(amount),
          most: largest(256),
          until: deadline,
        })
      ),
      effectsComplete: true,
    };
  },
});
