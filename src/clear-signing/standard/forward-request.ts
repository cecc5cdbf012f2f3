import { describeCall } from "../known-calls.ts";
import { localizable } from "../format-message.ts";
import { typedDataKind } from "../typed-document.ts";
import { dateText, numberField } from "../parties.ts";

interface ForwardRequest {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly nonce: string;
  readonly deadline?: string;
  readonly data: string;
}

const HEAD = "ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,";

/** A call that a forwarder makes in the name of its signer (ERC-2771), in OpenZeppelin's two forms. */
export const FORWARD_REQUEST = typedDataKind<ForwardRequest>({
  kind: "forward_request",
  recognisedBy: "ERC-2771",
  encodeTypes: [`${HEAD}bytes data)`, `${HEAD}uint48 deadline,bytes data)`],
  read({ from, to, value, nonce, deadline, data }, { context, chainId, contract, chain, partyOf }) {
    const what = describeCall({
      chainId,
      caller: from,
      to,
      value: BigInt(value),
      data,
      operation: "call",
    }, context);
    const end = deadline === undefined ? undefined : BigInt(deadline);
    return {
      sentence: localizable("forwardRequest", {
        forwarder: partyOf(contract),
        from: partyOf(from),
        chain,
        what: what.text,
        until: end === undefined ? undefined : dateText(end),
      }),
      members: [
        ["contract", contract],
        ["sender", from],
        numberField("nonce", nonce),
        ...what.fields,
        ...what.warnings,
        ["request_end", end],
      ],
      effects: what.effects,
      effectsComplete: what.effectsComplete,
    };
  },
});
