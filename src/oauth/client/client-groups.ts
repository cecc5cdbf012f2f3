import type { Db } from "../../db/schema/schema.ts";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { hasNul } from "../../lib/text.ts";
import { findRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { checkGroups } from "./client-metadata.ts";

/** Returns the ids as JSON, each once; null for every account. Throws `invalid_request` for too many. */
export function groupColumn(groups: readonly string[] | null): string | null {
  const checked = checkGroups(groups);
  return checked === null ? null : JSON.stringify(checked);
}

/** Throws `invalid_request` that names each group that does not exist, except those of `before`. */
export async function requireGroups(
  tx: Db,
  authority: RowAuthority,
  groups: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const errors: InputFault[] = [];
  for (const [index, id] of groups.entries()) {
    const isKnown = before.includes(id) ||
      (!hasNul(id) && await findRow(tx, authority, "user_group", "byId", { id }) !== undefined);
    if (!isKnown) errors.push({ path: `/groups/${index}`, message: "Expected the id of a group" });
  }
  if (errors.length === 0) return;
  throw new ProtocolError("invalid_request", "Cannot save client: correct the members named in errors", {
    errors,
  });
}
