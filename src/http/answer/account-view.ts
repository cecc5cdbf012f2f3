import { nameOf } from "../../accounts/account.ts";
import type { Account } from "../../accounts/account.ts";
import type { Tee } from "../../tee/tee.ts";
import type { AccountView, FrameView } from "../../ui/view.ts";
import type { Services } from "../services.ts";

/** Who is signed in, as pages show it: an account without an address by its name, else by its id. */
export function toAccountView(account: Account, { tee }: Pick<Services, "tee">): AccountView {
  return { email: nameOf(account), ...toFrame(tee) };
}

/** What every page says of the service. */
export function toFrame({ inTee }: Pick<Tee, "inTee">): FrameView {
  return { tee: inTee ? "hardware" : "simulated" };
}
