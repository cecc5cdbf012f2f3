import type { BlindSigning } from "../db/schema.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import type { EthereumKey } from "../keys/key.ts";
import { toHex } from "../lib/bytes.ts";
import { toIso } from "../lib/time.ts";

/** A key as answers and pages show it. */
export interface KeyJson {
  readonly id: string;
  readonly address: string;
  readonly publicKey: string;
  readonly keyIndex: number;
  readonly label: string;
  readonly createdAt: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
  readonly blindSigning: BlindSigning;
}

/** The public shape of a key. */
export function toKeyJson(key: EthereumKey): KeyJson {
  return {
    id: key.id,
    address: toChecksumAddress(key.address),
    publicKey: toHex(key.publicKey),
    keyIndex: key.keyIndex,
    label: key.label,
    createdAt: toIso(key.createdAt),
    archived: key.archivedAt !== null,
    archivedAt: key.archivedAt === null ? null : toIso(key.archivedAt),
    blindSigning: key.blindSigning,
  };
}
