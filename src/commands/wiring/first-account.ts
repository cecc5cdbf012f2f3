import { listAccounts } from "../../accounts/manage-account.ts";
import type { Config } from "../../config.ts";
import type { Log } from "../../lib/log.ts";
import { createRowAuthority } from "../../vault/row-authority.ts";
import type { Unsealed } from "./unseal.ts";

/** Says how the first account is made, where there is none and nobody can make one unasked. */
export async function logFirstAccount(
  { signUp }: Pick<Config, "signUp">,
  { db, vault }: Pick<Unsealed, "db" | "vault">,
  log: Log,
): Promise<void> {
  if (signUp !== "invite") return;
  const authority = createRowAuthority(vault, () => {});
  const { accounts } = await listAccounts(db, authority, { after: undefined, limit: 1 });
  if (accounts.length > 0) return;
  log("info", "no_accounts", { note: "the first one takes an invitation: POST /api/admin/invitations" });
}
