import type { Account } from "../accounts/account.ts";
import type { AccountView } from "../ui/view.ts";

/** Who is signed in, as pages show it: an account without an address is known by its id. */
export function toAccountView({ id, email }: Account): AccountView {
  return { email: email ?? id };
}
