import { chainName } from "./directory.ts";
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
  largest,
  ownerWarnings,
  tokenWords,
  warning,
} from "./words.ts";

interface DaiPermit {
  readonly holder: string;
  readonly spender: string;
  readonly nonce: string;
  readonly expiry: string;
  readonly allowed: boolean;
}

/** DAI's own permit, older than ERC-2612: it allows everything or nothing, and an expiry of 0 is none. */
export const DAI_PERMIT: TypedDataKind = {
  encodeTypes: ["Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"],
  read,
};

function read({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = placeOf(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { holder, spender, expiry, allowed } = message as unknown as DaiPermit;
  const [amount, end] = [allowed ? largest(256) : 0n, BigInt(expiry)];
  const words = tokenWords(context, chainId, contract, amount, largest(256));
  const usable = end === 0n ? "at any time" : `until ${dateWords(end)}`;
  return {
    kind: "dai_permit",
    recognisedBy: "the permit of DAI",
    sentence: `Allow ${addressWords(context, chainId, spender)} to spend ${words} from ${
      addressWords(context, chainId, holder)
    } on ${
      chainName(chainId)
    }. The permit can be used ${usable}; the allowance then stays until it is changed.`,
    chainId,
    contract,
    fields: [
      addressField(context, "Token", chainId, contract),
      addressField(context, "Holder", chainId, holder),
      addressField(context, "Spender", chainId, spender),
      amountField("Amount", words, amount),
      end === 0n
        ? { label: "Can be used until", format: "date", value: "for ever", raw: expiry }
        : dateField("Can be used until", end),
      chainField(chainId),
    ],
    effects: [{
      effect: "allowance",
      owner: holder,
      spender,
      asset: { standard: "erc20", address: contract, id: null },
      amount: allowed ? null : "0",
      until: null,
    }],
    warnings: [
      ...ownerWarnings(context, "The holder", holder),
      ...(allowed ? [warning("unlimited_allowance", `${spender} may spend ${words}`)] : []),
      ...(end === 0n
        ? [warning("far_future", "The permit can be used for ever")]
        : endWarnings(context, "The last time at which the permit can be used", end)),
      ...addressWarnings(context, "The token", chainId, contract),
      ...addressWarnings(context, "The spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}
