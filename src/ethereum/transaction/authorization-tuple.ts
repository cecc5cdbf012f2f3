import { keccak256 } from "../keccak.ts";
import type { Authorization, SignedAuthorization } from "./transaction.ts";
import { ADDRESS, integer, type Json, type Member } from "./member.ts";
import { CHAIN_ID, LARGEST_CHAIN_ID, NONCE } from "./members.ts";
import { encodeRlp } from "./rlp.ts";
import { readMembers, showMembers, structOf, tableOf, writeItems } from "./struct.ts";

/** The first byte, which separates the digests of authorizations from those of transactions (EIP-7702, MAGIC). */
const MAGIC = Uint8Array.of(5);

/** Order of the secp256k1 base point (SEC 2 section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const AUTHORIZATION = tableOf<Authorization>({
  chainId: {
    ...CHAIN_ID,
    whenMissing: "without it the authorization would be valid on every chain (EIP-7702)",
  },
  address: ADDRESS,
  nonce: NONCE,
});

const BIT = integer(0n, 1n);

const Y_PARITY: Member<0 | 1> = {
  fromJson: (reading, value) => BIT.fromJson(reading, value) === 0n ? 0 : 1,
  fromRlp: (reading, item) => BIT.fromRlp(reading, item) === 0n ? 0 : 1,
  toRlp: (value) => BIT.toRlp(BigInt(value)),
  toJson: (value) => value,
};

/** Returns the member for r or s. JSON shows all 32 bytes. */
function scalar(most: bigint): Member<bigint> {
  return { ...integer(1n, most), toJson: (value) => "0x" + value.toString(16).padStart(64, "0") };
}

/** A signed authorization. The chain id may be 0 (every chain). Refuses r and s that no chain accepts. */
export const SIGNED_AUTHORIZATION: Member<SignedAuthorization> = structOf<SignedAuthorization>({
  chainId: integer(0n, LARGEST_CHAIN_ID),
  address: ADDRESS,
  nonce: NONCE,
  yParity: Y_PARITY,
  r: scalar(ORDER - 1n),
  s: scalar(ORDER / 2n),
});

const SIGNATURE = new Set(["r", "s", "v", "yParity", "signature"]);

function refusalReason(name: string): string | undefined {
  return SIGNATURE.has(name) ? "Already signed: send the authorization without its signature" : undefined;
}

/** Reads an authorization. Throws TransactionError, also for chain id 0 (every chain). Does not check the code. */
export function readAuthorization(input: unknown): Authorization {
  return readMembers({ form: "members", segments: [] }, input, AUTHORIZATION, refusalReason);
}

/** Returns the digest that the account signs: keccak256(0x05 ‖ rlp([chain id, address, nonce])) (EIP-7702). */
export function authorizationDigest(authorization: Authorization): Uint8Array<ArrayBuffer> {
  return keccak256(encodeRlp(writeItems(authorization, AUTHORIZATION), MAGIC));
}

export function showAuthorization(authorization: Authorization): Readonly<Record<string, Json>> {
  return showMembers(authorization, AUTHORIZATION);
}
