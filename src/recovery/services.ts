import type { RelyingParty } from "../accounts/relying-party.ts";
import type { AccountServices } from "../accounts/services.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";

/** What the stories of recoveries need besides the database. */
export type RecoveryServices = AccountServices & { readonly mailer: Mailer };

/** When something happens, and what its mail is made with. */
export interface Moment {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** From where somebody does it: as mails say it, and as limits count it. */
export interface Place {
  readonly device: string;
  readonly network: string;
}
