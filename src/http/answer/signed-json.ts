import { toChecksumAddress } from "../../ethereum/address.ts";
import { encodeSignature } from "../../ethereum/signature.ts";
import type { CheckedSignRequest } from "../../keys/digest.ts";
import type { SignedDigest } from "../../keys/sign.ts";
import { toHex } from "../../lib/bytes.ts";
import type { SignedTypedData } from "./schema/key.ts";
import type { Signed } from "./schema/signing-request.ts";
import type { Of } from "./schema/value.ts";
import { toAuthorizationJson, toTransactionJson } from "./transaction-json.ts";

/** What messages and typed data are answered with. */
function toMessageJson({ key, signature, digest }: SignedDigest): Of<typeof SignedTypedData> {
  const address = toChecksumAddress(key.address);
  return { signature: encodeSignature(signature), address, digest: toHex(digest) };
}

/** What signing a request is answered with, by its kind. */
export function toSignedJson(
  request: CheckedSignRequest,
  signed: SignedDigest,
): Of<typeof Signed> {
  switch (request.kind) {
    case "message":
      return { ...toMessageJson(signed), format: request.format };
    case "typed_data":
      return toMessageJson(signed);
    case "transaction":
      return toTransactionJson(request.transaction, signed);
    case "authorization":
      return toAuthorizationJson(request.authorization, signed);
  }
}
