import { say } from "../words/said.ts";
import type { Intent } from "./intent.ts";
import { placeOf, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  amountField,
  bytesField,
  chainField,
  chainWarnings,
  chainWords,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  ownerWarnings,
  partyAt,
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
  return {
    kind: "transfer_authorization",
    recognisedBy: "ERC-3009",
    sentence: say("transferAuthorization", {
      amount: words,
      from: partyAt(context, chainId, from),
      to: partyAt(context, chainId, to),
      chain: chainWords(chainId),
      who: encodeType === RECEIVE ? "recipient" : "anybody",
      after: start === 0n ? undefined : dateWords(start),
      before: dateWords(end),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "token", chainId, contract),
      addressField(context, "from", chainId, from),
      addressField(context, "to", chainId, to),
      amountField("amountLabel", words, amount),
      ...(start === 0n ? [] : [dateField("validAfter", start)]),
      dateField("validBefore", end),
      bytesField("nonce", nonce),
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
      ...ownerWarnings(context, "sender", from),
      ...startWarnings(context, "start", start),
      ...endWarnings(context, "end", end),
      ...addressWarnings(context, "token", chainId, contract),
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
    sentence: say("authorizationCancellation", {
      nonce,
      authorizer: partyAt(context, chainId, authorizer),
      token: partyAt(context, chainId, contract),
      chain: chainWords(chainId),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "token", chainId, contract),
      addressField(context, "authorizer", chainId, authorizer),
      bytesField("nonce", nonce),
      chainField(chainId),
    ],
    effects: [],
    warnings: [
      ...ownerWarnings(context, "authorizer", authorizer),
      ...addressWarnings(context, "token", chainId, contract),
      ...chainWarnings(chainId),
    ],
  };
}
