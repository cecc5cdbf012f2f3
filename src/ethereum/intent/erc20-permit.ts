import { say } from "../words/said.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  amountField,
  chainField,
  chainWarnings,
  chainWords,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  isUnlimited,
  largest,
  mostWords,
  ownerWarnings,
  partyAt,
  tokenWords,
  warning,
} from "./words.ts";

interface Permit {
  readonly owner: string;
  readonly spender: string;
  readonly value: string;
  readonly nonce: string;
  readonly deadline: string;
}

/** An allowance of an ERC-20 by signature (ERC-2612). The contract of the domain is the token. */
export const ERC20_PERMIT: TypedDataKind = {
  encodeTypes: ["Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"],
  read,
};

function read({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = placeOf(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { owner, spender, value, deadline } = message as unknown as Permit;
  const [amount, end] = [BigInt(value), BigInt(deadline)];
  const words = tokenWords(context, chainId, contract, amount, largest(256));
  return {
    kind: "erc20_permit",
    recognisedBy: "ERC-2612",
    sentence: say("erc20Permit", {
      spender: partyAt(context, chainId, spender),
      amount: mostWords(context, chainId, contract, amount, largest(256)),
      owner: partyAt(context, chainId, owner),
      chain: chainWords(chainId),
      until: dateWords(end),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "token", chainId, contract),
      addressField(context, "owner", chainId, owner),
      addressField(context, "spender", chainId, spender),
      amountField("amountLabel", words, amount),
      dateField("usableUntil", end),
      chainField(chainId),
    ],
    effects: [{
      effect: "allowance",
      owner,
      spender,
      asset: { standard: "erc20", address: contract, id: null },
      amount: amount === largest(256) ? null : value,
      until: null,
    }],
    warnings: [
      ...ownerWarnings(context, "owner", owner),
      ...(isUnlimited(amount)
        ? [warning("unlimited_allowance", say("maySpend", { spender, amount: words }))]
        : []),
      ...endWarnings(context, "permit_end", end),
      ...addressWarnings(context, "token", chainId, contract),
      ...addressWarnings(context, "spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}
