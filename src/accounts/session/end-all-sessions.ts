import type { Db } from "../../db/schema.ts";
import { listRows } from "../../store/read.ts";
import { removeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { forgetDevices } from "./account-device.ts";

/** Ends every session of an account and forgets their browsers, in the transaction that records why; how many there were. */
export async function endAllSessions(tx: Db, authority: RowAuthority, accountId: string): Promise<number> {
  const all = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
  for (const row of all) await removeRow(tx, authority, "session", row);
  await forgetDevices(tx, authority, { accountId, ids: all.map((row) => row.device_id) });
  return all.length;
}
