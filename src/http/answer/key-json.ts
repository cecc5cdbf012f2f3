import { toChecksumAddress } from "../../ethereum/address.ts";
import type { EthereumKey } from "../../keys/key.ts";
import { toHex } from "../../lib/bytes.ts";
import { perObject } from "../../lib/memoize.ts";
import { toIso } from "../../lib/time.ts";
import type { KeyView } from "../../ui/view.ts";

/** A key as answers and pages show it. */
export const toKeyJson = perObject((key: EthereumKey): KeyView => ({
  id: key.id,
  address: toChecksumAddress(key.address),
  publicKey: toHex(key.publicKey),
  keyIndex: key.keyIndex,
  label: key.label,
  createdAt: toIso(key.createdAt),
  archived: key.archivedAt !== null,
  archivedAt: key.archivedAt === null ? null : toIso(key.archivedAt),
  blindSigning: key.blindSigning,
}));
