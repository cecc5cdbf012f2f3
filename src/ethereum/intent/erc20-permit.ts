import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  amountField,
  chainField,
  chainWarnings,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  isUnlimited,
  largest,
  ownerWarnings,
  tokenWords,
  warning,
} from "./words.ts";
import { chainName } from "./directory.ts";

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
  const isWithoutLimit = amount === largest(256);
  return {
    kind: "erc20_permit",
    recognisedBy: "ERC-2612",
    sentence:
      `Allow ${addressWords(context, chainId, spender)} to spend ${
        isWithoutLimit ? "" : "up to "
      }${words} from ${addressWords(context, chainId, owner)} on ${chainName(chainId)}. ` +
      `The permit can be used until ${
        dateWords(end)
      }; the allowance then stays until it is spent or changed.`,
    chainId,
    contract,
    fields: [
      addressField(context, "Token", chainId, contract),
      addressField(context, "Owner", chainId, owner),
      addressField(context, "Spender", chainId, spender),
      amountField("Amount", words, amount),
      dateField("Can be used until", end),
      chainField(chainId),
    ],
    effects: [{
      effect: "allowance",
      owner,
      spender,
      asset: { standard: "erc20", address: contract, id: null },
      amount: isWithoutLimit ? null : value,
      until: null,
    }],
    warnings: [
      ...ownerWarnings(context, "The owner", owner),
      ...(isUnlimited(amount) ? [warning("unlimited_allowance", `${spender} may spend ${words}`)] : []),
      ...endWarnings(context, "The last time at which the permit can be used", end),
      ...addressWarnings(context, "The token", chainId, contract),
      ...addressWarnings(context, "The spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}
