import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import type { Outcome } from "./policy.ts";
import type { Reason } from "./reason.ts";

/** What is to be signed: the checked values themselves. A checked sign request is one. */
export type Act =
  | { readonly kind: "message"; readonly format: "personal_sign" | "raw"; readonly payload: Uint8Array }
  | { readonly kind: "message"; readonly format: "digest" }
  | { readonly kind: "typed_data"; readonly typedData: CheckedTypedData }
  | { readonly kind: "transaction"; readonly transaction: Transaction }
  | { readonly kind: "authorization"; readonly authorization: Authorization };

/** What a policy says of an act: its reason in no language yet, or in one. */
export interface Decision<Words = Reason> {
  readonly outcome: Outcome;
  /** JSON pointer into the policy: the rule that decided, or that was missed by least; null where there is no policy. */
  readonly rule: string | null;
  /** JSON pointer into the signed document: the value that broke the rule. */
  readonly value: string | null;
  /** A sentence for people. */
  readonly reason: Words;
}
