import * as v from "valibot";
import { addressOf, readAddress } from "../../ethereum/address.ts";
import { encodeSignature } from "../../ethereum/signature.ts";
import { checkSignRequest } from "../../keys/digest.ts";
import { findKeyByAddress } from "../../keys/key.ts";
import { fromHex } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { text } from "../../http/response/respond.ts";
import { receiptHeader } from "../../http/cookie/log-receipt.ts";
import { requireAction } from "../../http/guard/key-requester.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createSigner, requireSigned, type SignerServices } from "./signer.ts";
import { SIGN_BODY } from "./sign.ts";

/** What Web3Signer takes: the bytes whose keccak-256 is signed. */
export const Web3SignerBody = v.strictObject({ data: v.string() });

/**
 * The address of what Web3Signer calls an identifier: a public key of 64 bytes, or with its 04 before it; or an
 * address.
 */
function readIdentifier(identifier: string): Uint8Array | undefined {
  const hex = identifier.startsWith("0x") ? identifier : `0x${identifier}`;
  if (hex.length === 42) return readAddress(hex);
  const bytes = fromHex(hex);
  if (bytes?.length === 64) return addressOf(Uint8Array.of(4, ...bytes));
  return bytes?.length === 65 && bytes[0] === 4 ? addressOf(bytes) : undefined;
}

/**
 * Signs as Web3Signer's `/api/v1/eth1/sign/{identifier}` does, so that whoever moves here changes a URL: keccak-256 of the
 * bytes, the signature as text. That is the format `raw`: nobody can tell what it is for, and a key's `blindSigning` and
 * a token's policy may refuse it.
 */
export function createWeb3SignerEndpoint(
  services: SignerServices & Pick<Services, "db" | "witness">,
): LegacyEndpoint<KeyUser> {
  const { db, authority, witness } = services;
  const signFor = createSigner(services);
  return async (context, user) => {
    // First of all: whoever may not sign is not told whose an address is.
    requireAction(user, "sign");
    const { data } = await readJson(context, Web3SignerBody, SIGN_BODY);
    const request = checkSignRequest({ kind: "message", format: "raw", message: data });
    const address = readIdentifier(context.params.identifier!);
    const key = address && await findKeyByAddress(db, authority, { accountId: user.account.id, address });
    if (key === undefined) throw new ProtocolError("not_found", "There is no such key");
    const { signature } = requireSigned(await signFor(context, user, key.id, request));
    return text(200, encodeSignature(signature), receiptHeader(context, witness));
  };
}
