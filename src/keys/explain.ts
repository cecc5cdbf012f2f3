import { toChecksumAddress } from "../ethereum/address.ts";
import { showAuthorization } from "../ethereum/transaction/authorization-tuple.ts";
import { explainTransaction } from "../ethereum/transaction/explain.ts";
import type { TransactionExplanation } from "../ethereum/transaction/explain.ts";
import type { Json } from "../ethereum/transaction/member.ts";
import { explainTypedData } from "../ethereum/typed-data/typed-data-explain.ts";
import type { TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import { toHex } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { ProblemCode } from "../lib/error.ts";
import type { CheckedSignRequest, MessageEncoding, MessageFormat } from "./digest.ts";
import type { EthereumKey } from "./key.ts";
import { checkSignable } from "./sign.ts";

/** What signing would sign, and whether this key would do it. Plain JSON; hashes are 0x-hex. */
export type Explanation =
  & {
    readonly address: string;
    readonly digest: string;
    /** Why this key would refuse now; null when it would sign. */
    readonly refusal: { readonly code: ProblemCode; readonly detail: string } | null;
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

/** Explains a checked request without signing it. */
export function explainSignRequest(key: EthereumKey, request: CheckedSignRequest): Explanation {
  const address = toChecksumAddress(key.address);
  const common = { address, digest: toHex(request.digest), refusal: refusalOf(key, request) };
  switch (request.kind) {
    case "message":
      return request.format === "personal_sign"
        ? { kind: "message", format: request.format, encoding: request.encoding, ...common }
        : { kind: "message", format: request.format, ...common };
    case "typed_data":
      return { kind: "typed_data", ...common, ...explainTypedData(request.typedData) };
    case "transaction":
      return { kind: "transaction", ...common, ...explainTransaction(request.transaction) };
    case "authorization":
      return { kind: "authorization", ...common, authorization: showAuthorization(request.authorization) };
  }
}
