import { localizable } from "../format-message.ts";
import { describeCall } from "../known-calls.ts";
import { domainContract, typedDataKind } from "../typed-document.ts";
import { type Refund, refundOf } from "./safe-refund.ts";
import { numberField } from "../parties.ts";

interface SafeTx extends Refund {
  readonly to: string;
  readonly value: string;
  readonly data: string;
  readonly operation: string;
  readonly nonce: string;
}

/** A transaction of a Safe since 1.3.0. Its domain has only the chain and the Safe. */
export const SAFE_TRANSACTION = typedDataKind<SafeTx>({
  kind: "safe_transaction",
  recognisedBy: "Safe",
  encodeTypes: [
    "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas," +
    "uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)",
  ],
  domainContract: (domain) =>
    domain.name === undefined && domain.version === undefined ? domainContract(domain) : undefined,
  read(transaction, { context, chainId, contract, chain }) {
    const { to, data, operation, nonce } = transaction;
    if (operation !== "0" && operation !== "1") return undefined;
    const call = operation === "0" ? "call" : "delegate_call";
    const value = BigInt(transaction.value);
    const what = describeCall({ chainId, caller: contract, to, value, data, operation: call }, context);
    const refund = refundOf(context, chainId, transaction);
    return {
      sentence: localizable("safeTransaction", {
        safe: contract,
        chain,
        nonce,
        what: what.text,
        refund: refund?.text,
      }),
      members: [
        ["safe", contract],
        numberField("transactionLabel", nonce),
        ...what.fields,
        ...what.warnings,
        ...refund?.members ?? [],
      ],
      effects: what.effects,
      effectsComplete: what.effectsComplete && refund === undefined,
    };
  },
});
