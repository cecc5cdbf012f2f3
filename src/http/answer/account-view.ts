import { nameOf } from "../../accounts/account.ts";
import type { Account } from "../../accounts/account.ts";
import type { AccountView } from "../../ui/view.ts";

/** Who is signed in, as pages show it: an account without an address by its name, else by its id. */
export function toAccountView(account: Account): AccountView {
  return { email: nameOf(account) };
}
