import { localizable } from "../format-message.ts";
import { permit2Contract, permit2UntilText } from "./permit2.ts";
import { allowanceEffect } from "../intent.ts";
import type { Member } from "../roles.ts";
import { typedDataKind } from "../typed-document.ts";
import { dateText, largest, listText, mostText, tokenText } from "../parties.ts";

interface PermitDetails {
  readonly token: string;
  readonly amount: string;
  readonly expiration: string;
  readonly nonce: string;
}

interface Permit {
  readonly details: PermitDetails | readonly PermitDetails[];
  readonly spender: string;
  readonly sigDeadline: string;
}

const DETAILS = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)";

/** The amount that is never used up. */
const WITHOUT_LIMIT = largest(160);

/** Allowances of one or more tokens in Permit2 (its AllowanceTransfer). The signer is the owner. */
export const PERMIT2_ALLOWANCE = typedDataKind<Permit>({
  kind: "permit2_allowance",
  recognisedBy: "Permit2",
  encodeTypes: [
    `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`,
    `PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`,
  ],
  domainContract: permit2Contract,
  read({ details, spender, sigDeadline }, { context, chainId, chain, partyOf, holder }) {
    const permits = [details].flat();
    if (permits.length === 0) return undefined;
    const end = BigInt(sigDeadline);
    const allowed = permits.map((permit) =>
      localizable("permit2Part", {
        amount: mostText(context, chainId, permit.token, BigInt(permit.amount), WITHOUT_LIMIT),
        until: permit2UntilText(permit.expiration),
      })
    );
    const [only] = permits;
    const isNothing = permits.every(({ amount }) => amount === "0");
    return {
      sentence: isNothing && permits.length === 1
        ? localizable("takeBackPermit", {
          spender: partyOf(spender),
          token: partyOf(only!.token),
          owner: partyOf(holder),
          chain,
          until: dateText(end),
        })
        : localizable("permit2Allowance", {
          spender: partyOf(spender),
          owner: partyOf(holder),
          chain,
          amount: listText(allowed),
          until: dateText(end),
        }),
      members: [
        [isNothing ? "former_spender" : "spender", spender],
        ...permits.flatMap(({ token, amount: value, expiration }): readonly Member[] => {
          const amount = BigInt(value);
          const text = tokenText(context, chainId, token, amount, WITHOUT_LIMIT);
          return [
            ["token", token],
            ["allowance", { spender, amount, text }],
            ["allowance_end", BigInt(expiration)],
          ];
        }),
        ["permit_end", end],
      ],
      effects: permits.map(({ token, amount, expiration }) =>
        allowanceEffect({
          owner: holder,
          spender,
          asset: { standard: "erc20", address: token, id: null },
          amount: BigInt(amount),
          most: WITHOUT_LIMIT,
          until: expiration,
        })
      ),
      effectsComplete: true,
    };
  },
});
