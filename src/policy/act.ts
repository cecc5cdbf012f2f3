import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import type { Outcome } from "./policy.ts";
import type { Reason } from "./reason.ts";

/** An act to sign, with its checked values. A checked sign request is one. */
export type Act =
  | { readonly kind: "message"; readonly format: "personal_sign" | "raw"; readonly payload: Uint8Array }
  | { readonly kind: "message"; readonly format: "digest" }
  | { readonly kind: "typed_data"; readonly typedData: CheckedTypedData }
  | { readonly kind: "transaction"; readonly transaction: Transaction }
  | { readonly kind: "authorization"; readonly authorization: Authorization };

/** A policy's decision on an act, with the reason as a code or in a language. */
export interface Decision<Text = Reason> {
  readonly outcome: Outcome;
  /** JSON pointer into the policy: the rule that decided, or the nearest that did not match. Null without a policy. */
  readonly rule: string | null;
  /** JSON pointer into the signed document: the value that broke the rule. */
  readonly value: string | null;
  readonly reason: Text;
}
