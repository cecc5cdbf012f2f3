import { localizable } from "../format-message.ts";
import { typedDataKind } from "../typed-document.ts";
import { amountField, bytesField, dateText, tokenText } from "../parties.ts";

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

/** A transfer that any address, or only the recipient, submits (ERC-3009, which x402 uses). */
export const TRANSFER_AUTHORIZATION = typedDataKind<Transfer>({
  kind: "transfer_authorization",
  recognisedBy: "ERC-3009",
  encodeTypes: [`TransferWithAuthorization(${MEMBERS})`, RECEIVE],
  read(
    { from, to, value, validAfter, validBefore, nonce },
    { context, chainId, contract, chain, partyOf, encodeType, isToken },
  ) {
    const [amount, start, end] = [BigInt(value), BigInt(validAfter), BigInt(validBefore)];
    const text = tokenText(context, chainId, contract, amount);
    return {
      sentence: localizable("transferAuthorization", {
        amount: text,
        from: partyOf(from),
        to: partyOf(to),
        chain,
        who: encodeType === RECEIVE ? "recipient" : "anyone",
        after: start === 0n ? undefined : dateText(start),
        before: dateText(end),
      }),
      members: [
        ["token", contract],
        ["sender", from],
        ["recipient", to],
        amountField("amountLabel", text, amount),
        ["start", start],
        ["end", end],
        bytesField("nonce", nonce),
      ],
      effects: [{
        effect: "transfer",
        from,
        to,
        asset: { standard: "erc20", address: contract, id: null, amount: value },
        until: validBefore,
      }],
      effectsComplete: isToken,
    };
  },
});

/** The revocation of an unused authorization. */
export const AUTHORIZATION_CANCELLATION = typedDataKind<Cancellation>({
  kind: "authorization_cancellation",
  recognisedBy: "ERC-3009",
  encodeTypes: ["CancelAuthorization(address authorizer,bytes32 nonce)"],
  read: ({ authorizer, nonce }, { contract, chain, partyOf, isToken }) => ({
    sentence: localizable("authorizationCancellation", {
      nonce,
      authorizer: partyOf(authorizer),
      token: partyOf(contract),
      chain,
    }),
    members: [["token", contract], ["authorizer", authorizer], bytesField("nonce", nonce)],
    effects: [],
    effectsComplete: isToken,
  }),
});
