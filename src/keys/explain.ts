import { readAddress, toChecksumAddress } from "../ethereum/address.ts";
import { bytesIntent, digestIntent, personalBytesIntent } from "../clear-signing/message.ts";
import { authorizationIntent } from "../clear-signing/standard/delegation.ts";
import type { Db } from "../db/schema/schema.ts";
import { type Intent, type LocalizedIntent, localizeIntent } from "../clear-signing/intent.ts";
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
import type { RowAuthority } from "../vault/authority.ts";
import { type EthereumKey, findKeyByAddress } from "./key.ts";
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

/** Returns why the key would not sign the request, whatever its policies allow; null if it would. */
export function refusalOf(key: EthereumKey, request: CheckedSignRequest): Explanation["refusal"] {
  try {
    checkSignable(key, request);
    return null;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { code: error.code, detail: error.message };
  }
}

/** Maximum number of addresses of an explanation whose labels are looked up. Further keys appear without a label. */
export const LABEL_LIMIT = 50;

export interface ExplainContext extends Pick<IntentContext, "now" | "directory"> {
  /** The host of the site that requested the signature. Null for the owner. */
  readonly askedBy: string | null;
  readonly decision: JointDecision;
  readonly language: Language;
  /** The ids of the keys whose labels the reader may see. */
  readonly keys: "all" | readonly string[];
}

/** Reads an intent with the labels of the addresses that it asks for. */
type IntentReader = (read: (context: IntentContext) => Intent) => Promise<LocalizedIntent>;

export async function explainSignRequest(
  db: Db,
  authority: RowAuthority,
  { key, request }: { readonly key: EthereumKey; readonly request: CheckedSignRequest },
  { decision, language, keys, ...facts }: ExplainContext,
): Promise<Explanation> {
  const address = toChecksumAddress(key.address);
  const readIntent: IntentReader = async (read) => {
    const named = new Set<string>();
    const context = { signer: address, ...facts };
    const unlabelled = read({ ...context, labels: { get: (one) => void named.add(one) } });
    const labels = new Map<string, string>();
    for (const one of [...named].slice(0, LABEL_LIMIT)) {
      const own = await findKeyByAddress(db, authority, {
        accountId: key.accountId,
        address: readAddress(one)!,
      });
      if (own !== undefined && (keys === "all" || keys.includes(own.id))) labels.set(one, own.label);
    }
    return localizeIntent(labels.size === 0 ? unlabelled : read({ ...context, labels }), language);
  };
  const common = {
    address,
    digest: toHex(request.digest),
    refusal: refusalOf(key, request),
    decision: localizeDecision(decision, language),
  };
  switch (request.kind) {
    case "message":
      return { kind: "message", ...common, ...await explainMessage(request, readIntent) };
    case "typed_data": {
      const explained = explainTypedData(request.typedData);
      const intent = await readIntent((context) => typedDataIntent(explained, context));
      return { kind: "typed_data", ...common, ...explained, intent };
    }
    case "transaction": {
      const intent = await readIntent((context) => transactionIntent(request.transaction, context));
      return { kind: "transaction", ...common, ...explainTransaction(request.transaction), intent };
    }
    case "authorization": {
      const { authorization } = request;
      const intent = await readIntent((context) => authorizationIntent(authorization, context));
      return { kind: "authorization", ...common, authorization: showAuthorization(authorization), intent };
    }
  }
}

type MessageRequest = Extract<CheckedSignRequest, { readonly kind: "message" }>;
type MessageExplanation = Extract<Explanation, { readonly kind: "message" }>;

async function explainMessage(
  request: MessageRequest,
  readIntent: IntentReader,
): Promise<
  | Pick<Extract<MessageExplanation, { encoding: MessageEncoding }>, "format" | "encoding" | "intent">
  | { readonly format: "raw" | "digest"; readonly intent: LocalizedIntent }
> {
  const { format } = request;
  if (format === "raw") {
    return {
      format,
      intent: await readIntent((context) => bytesIntent(request.payload, context)),
    };
  }
  if (format === "digest") {
    return {
      format,
      intent: await readIntent((context) => digestIntent(request.digest, context)),
    };
  }
  const { encoding, payload } = request;
  return { format, encoding, intent: await readIntent((context) => personalBytesIntent(payload, context)) };
}
