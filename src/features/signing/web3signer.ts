import { addressOf, readAddress } from "../../ethereum/address.ts";
import { encodeSignature } from "../../ethereum/signature.ts";
import { token } from "../../http/guard/key-guards.ts";
import { readJson } from "../../http/request/body.ts";
import { text } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { fromHex } from "../../lib/bytes.ts";
import { Web3SignerBody } from "./schema.ts";
import { chargeAttempt, requireSigned, signBodyOf, signFor } from "./signer.ts";

/** Parses a public key of 64 bytes, with or without its leading 04, or an address. Returns the address. */
function readIdentifier(identifier: string): Uint8Array | undefined {
  const hex = identifier.startsWith("0x") ? identifier : `0x${identifier}`;
  if (hex.length === 42) return readAddress(hex);
  const bytes = fromHex(hex);
  if (bytes?.length === 64) return addressOf(Uint8Array.of(4, ...bytes));
  return bytes?.length === 65 && bytes[0] === 4 ? addressOf(bytes) : undefined;
}

/**
 * Signs like Web3Signer's `/api/v1/eth1/sign/{identifier}`, so that its clients only change a URL: keccak-256 of the
 * bytes, the signature as text. This is the format `raw`, whose purpose the service cannot tell. A key's
 * `blindSigning` and a token's policy may refuse it.
 */
export const signAsWeb3Signer = defineEndpoint(token, {}, async (context, user, _input, services) => {
  const choice = { address: readIdentifier(context.params.identifier!) };
  return await chargeAttempt(context, services, user, async (work) => {
    const read = async (): Promise<SignRequest> => {
      const { data } = await readJson(context, Web3SignerBody, signBodyOf(work));
      return { kind: "message", format: "raw", message: data };
    };
    const { outcome } = await signFor(context, services, user, { choice, work, read });
    return text(200, encodeSignature(requireSigned(outcome).signature));
  });
});
