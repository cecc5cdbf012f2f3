import type { Db } from "../../db/schema.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { forgetDevices } from "./account-device.ts";
import { endEverySession } from "./logout-notice.ts";
import type { Ending } from "./logout-notice.ts";

/**
 * Ends every session of an account, tells its applications, and forgets their browsers, in the transaction that records
 * why; how many there were.
 */
export async function endAllSessions(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  ending: Ending,
): Promise<number> {
  const all = await endEverySession(tx, authority, accountId, ending);
  await forgetDevices(tx, authority, { accountId, ids: all.map((row) => row.device_id) });
  return all.length;
}
