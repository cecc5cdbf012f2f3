import * as v from "valibot";
import { toChecksumAddress } from "../ethereum/address.ts";
import type { EthereumKey } from "../keys/key.ts";
import { LABEL_LIMIT, readLabel } from "../keys/label.ts";
import { toHex } from "../lib/bytes.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import { toIso } from "../lib/time.ts";
import { Address, KeyId, list, NextCursor, type Of, textOf, Time } from "./value.ts";

export const toKeyJson = memoizePerObject((key: EthereumKey): KeyView => ({
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

const BlindSigning = v.picklist(["allow", "guard", "deny"]);

export const Key = v.strictObject({
  id: KeyId,
  address: Address,
  publicKey: v.pipe(v.string(), v.regex(/^0x04[0-9a-f]{128}$/), v.description("Uncompressed, 65 bytes")),
  keyIndex: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.description("Unique in the account, and never used again"),
  ),
  label: v.string(),
  createdAt: Time,
  archived: v.boolean(),
  archivedAt: v.nullable(Time),
  blindSigning: BlindSigning,
});

export type KeyView = Of<typeof Key>;

export const KeyAnswer = v.strictObject({ key: Key });

export const KeyList = v.strictObject({ keys: list(Key), nextCursor: NextCursor });

/** A key's label in a request body. Names of tokens follow the same rules. */
export const Label = textOf(readLabel, `Expected 1 to ${LABEL_LIMIT} characters without control characters`);

/** The body that changes the settings of a key. */
export const KeySettings = v.strictObject({
  label: v.optional(Label),
  blindSigning: v.optional(BlindSigning),
});
