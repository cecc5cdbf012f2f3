import { chainName } from "./directory.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  amountField,
  bytesField,
  chainField,
  chainWarnings,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  ownerWarnings,
  startWarnings,
  tokenWords,
} from "./words.ts";

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

interface Cancellation {
  readonly authorizer: string;
  readonly nonce: string;
}

const MEMBERS = "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce";
const RECEIVE = `ReceiveWithAuthorization(${MEMBERS})`;

/** A transfer that somebody else submits (ERC-3009, what x402 pays with): anybody, or the recipient alone. */
export const TRANSFER_AUTHORIZATION: TypedDataKind = {
  encodeTypes: [`TransferWithAuthorization(${MEMBERS})`, RECEIVE],
  read: readTransfer,
};

/** Takes such an authorization back before it is used. */
export const AUTHORIZATION_CANCELLATION: TypedDataKind = {
  encodeTypes: ["CancelAuthorization(address authorizer,bytes32 nonce)"],
  read: readCancellation,
};

function readTransfer(
  { domain, message, encodeType }: TypedDocument,
  context: IntentContext,
): Intent | undefined {
  const place = placeOf(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { from, to, value, validAfter, validBefore, nonce } = message as unknown as Transfer;
  const [amount, start, end] = [BigInt(value), BigInt(validAfter), BigInt(validBefore)];
  const words = tokenWords(context, chainId, contract, amount);
  const who = encodeType === RECEIVE ? "The recipient alone" : "Anybody";
  const after = start === 0n ? "" : `after ${dateWords(start)} and `;
  return {
    kind: "transfer_authorization",
    recognisedBy: "ERC-3009",
    sentence: `Send ${words} from ${addressWords(context, chainId, from)} to ${
      addressWords(context, chainId, to)
    } on ${chainName(chainId)}. ${who} can carry it out, once, ${after}before ${dateWords(end)}.`,
    chainId,
    contract,
    fields: [
      addressField(context, "Token", chainId, contract),
      addressField(context, "From", chainId, from),
      addressField(context, "To", chainId, to),
      amountField("Amount", words, amount),
      ...(start === 0n ? [] : [dateField("Valid after", start)]),
      dateField("Valid before", end),
      bytesField("Nonce", nonce),
      chainField(chainId),
    ],
    effects: [{
      effect: "transfer",
      from,
      to,
      asset: { standard: "erc20", address: contract, id: null, amount: value },
      until: validBefore,
    }],
    warnings: [
      ...ownerWarnings(context, "The sender", from),
      ...startWarnings(context, "The beginning", start),
      ...endWarnings(context, "The end", end),
      ...addressWarnings(context, "The token", chainId, contract),
      ...chainWarnings(chainId),
    ],
  };
}

function readCancellation({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = placeOf(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { authorizer, nonce } = message as unknown as Cancellation;
  return {
    kind: "authorization_cancellation",
    recognisedBy: "ERC-3009",
    sentence: `Cancel the authorization ${nonce} of ${addressWords(context, chainId, authorizer)} at ${
      addressWords(context, chainId, contract)
    } on ${chainName(chainId)}, so that its transfer can no longer be carried out.`,
    chainId,
    contract,
    fields: [
      addressField(context, "Token", chainId, contract),
      addressField(context, "Authorizer", chainId, authorizer),
      bytesField("Nonce", nonce),
      chainField(chainId),
    ],
    effects: [],
    warnings: [
      ...ownerWarnings(context, "The authorizer", authorizer),
      ...addressWarnings(context, "The token", chainId, contract),
      ...chainWarnings(chainId),
    ],
  };
}
