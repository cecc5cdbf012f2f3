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
  largest,
  ownerWarnings,
  partyAt,
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
  return {
    kind: "dai_permit",
    recognisedBy: say("byDaiPermit"),
    sentence: say("daiPermit", {
      spender: partyAt(context, chainId, spender),
      amount: words,
      owner: partyAt(context, chainId, holder),
      chain: chainWords(chainId),
      until: end === 0n ? undefined : dateWords(end),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "token", chainId, contract),
      addressField(context, "holder", chainId, holder),
      addressField(context, "spender", chainId, spender),
      amountField("amountLabel", words, amount),
      end === 0n
        ? { label: say("usableUntil"), format: "date", value: say("forEver"), raw: expiry }
        : dateField("usableUntil", end),
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
      ...ownerWarnings(context, "holder", holder),
      ...(allowed ? [warning("unlimited_allowance", say("maySpend", { spender, amount: words }))] : []),
      ...(end === 0n
        ? [warning("far_future", say("permitForEver"))]
        : endWarnings(context, "permit_end", end)),
      ...addressWarnings(context, "token", chainId, contract),
      ...addressWarnings(context, "spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}
