import { toChecksumAddress } from "../ethereum/address.ts";
import { explainTypedData } from "../ethereum/typed-data/typed-data-explain.ts";
import type { TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import { toHex } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import type { ProblemCode } from "../lib/error.ts";
import type { CheckedSignRequest, MessageFormat } from "./digest.ts";
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
    | { readonly kind: "message"; readonly format: MessageFormat }
    | ({ readonly kind: "typed_data" } & TypedDataExplanation)
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
  const common = { address: toChecksumAddress(key.address), refusal: refusalOf(key, request) };
  return request.kind === "typed_data"
    ? { kind: "typed_data", ...common, ...explainTypedData(request.typedData) }
    : { kind: "message", format: request.format, ...common, digest: toHex(request.digest) };
}
