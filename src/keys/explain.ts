import { toChecksumAddress } from "../ethereum/address.ts";
import { bytesIntent, digestIntent, personalBytesIntent } from "../clear-signing/message.ts";
import { authorizationIntent } from "../clear-signing/standard/delegation.ts";
import { type LocalizedIntent, localizeIntent } from "../clear-signing/intent.ts";
import { typedDataIntent } from "../clear-signing/match-standard.ts";
import { transactionIntent } from "../clear-signing/transaction.ts";
import type { IntentContext } from "../clear-signing/parties.ts";
import { showAuthorization } from "../ethereum/transaction/authorization-tuple.ts";
import { explainTransaction, type TransactionExplanation } from "../ethereum/transaction/explain.ts";
import type { Json } from "../ethereum/transaction/member.ts";
import { explainTypedData, type TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import { toHex } from "../lib/bytes.ts";
import { type ProblemCode, ProtocolError } from "../lib/error.ts";
import type { Language } from "../lib/language.ts";
import type { CheckedSignRequest, MessageEncoding, MessageFormat } from "./digest.ts";
import { type JointDecision, type LocalizedDecision, localizeDecision } from "./enforce.ts";
import type { EthereumKey } from "./key.ts";
import { checkSignable } from "./sign.ts";

/** The effect of a sign request, and whether this key would sign it. Plain JSON with 0x-prefixed hashes. */
export type Explanation =
  & {
    readonly address: string;
    readonly digest: string;
    /** The reason why this key would refuse now. Null if it would sign. */
    readonly refusal: { readonly code: ProblemCode; readonly detail: string } | null;
    /** The decision of the policies that apply to the requester. */
    readonly decision: LocalizedDecision;
    /** A sentence on the effect of the signature, derived from the bytes alone. */
    readonly intent: LocalizedIntent;
  }
  & (
    | { readonly kind: "message"; readonly format: "personal_sign"; readonly encoding: MessageEncoding }
    | { readonly kind: "message"; readonly format: Exclude<MessageFormat, "personal_sign"> }
    | ({ readonly kind: "typed_data" } & TypedDataExplanation)
    | ({ readonly kind: "transaction" } & TransactionExplanation)
    | { readonly kind: "authorization"; readonly authorization: Readonly<Record<string, Json>> }
  );

function refusalOf(key: EthereumKey, request: CheckedSignRequest): Explanation["refusal"] {
  try {
    checkSignable(key, request);
    return null;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { code: error.code, detail: error.message };
  }
}

export interface ExplainContext extends Pick<IntentContext, "labels" | "now" | "directory"> {
  /** The host of the site that requested the signature. Null for the owner. */
  readonly askedBy: string | null;
  readonly decision: JointDecision;
  readonly language: Language;
}

export function explainSignRequest(
  key: EthereumKey,
  request: CheckedSignRequest,
  { decision, language, ...facts }: ExplainContext,
): Explanation {
  const address = toChecksumAddress(key.address);
  const context = { signer: address, ...facts };
  const common = {
    address,
    digest: toHex(request.digest),
    refusal: refusalOf(key, request),
    decision: localizeDecision(decision, language),
  };
  switch (request.kind) {
    case "message":
      return { kind: "message", ...common, ...explainMessage(request, context, language) };
    case "typed_data": {
      const explained = explainTypedData(request.typedData);
      const intent = localizeIntent(typedDataIntent(explained, context), language);
      return { kind: "typed_data", ...common, ...explained, intent };
    }
    case "transaction": {
      const intent = localizeIntent(transactionIntent(request.transaction, context), language);
      return { kind: "transaction", ...common, ...explainTransaction(request.transaction), intent };
    }
    case "authorization": {
      const { authorization } = request;
      const intent = localizeIntent(authorizationIntent(authorization, context), language);
      return { kind: "authorization", ...common, authorization: showAuthorization(authorization), intent };
    }
  }
}

type MessageRequest = Extract<CheckedSignRequest, { readonly kind: "message" }>;
type MessageExplanation = Extract<Explanation, { readonly kind: "message" }>;

function explainMessage(
  request: MessageRequest,
  context: IntentContext,
  language: Language,
):
  | Pick<Extract<MessageExplanation, { encoding: MessageEncoding }>, "format" | "encoding" | "intent">
  | { readonly format: "raw" | "digest"; readonly intent: LocalizedIntent } {
  const { format } = request;
  if (format === "raw") return { format, intent: localizeIntent(bytesIntent(request.payload), language) };
  if (format === "digest") return { format, intent: localizeIntent(digestIntent(request.digest), language) };
  const { encoding, payload } = request;
  return { format, encoding, intent: localizeIntent(personalBytesIntent(payload, context), language) };
}
