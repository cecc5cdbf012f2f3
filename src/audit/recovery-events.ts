import { formatDateTime } from "../lib/date-time.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { defineEvent } from "./event-row.ts";

/** The sentences of changes. `until` is the time from which the pending recovery lets the user create a passkey. */
const ACTS = {
  codes_made: {
    en: () => "Recovery codes were created; the previous codes no longer work",
    de: () => "Wiederherstellungscodes wurden erstellt; die früheren gelten nicht mehr",
  },
  choices_changed: {
    en: () => "The requirements for a recovery of your account were changed",
    de: () => "Was eine Wiederherstellung Ihres Kontos verlangt, wurde geändert",
  },
  begun: {
    en: (until: string) =>
      `A recovery of your account was begun: a new passkey can be created from ${until} on`,
    de: (until: string) =>
      `Eine Wiederherstellung Ihres Kontos wurde begonnen: Ab ${until} lässt sich ein neuer Passkey erstellen`,
  },
  cancelled_by_link: {
    en: () => "A recovery of your account was cancelled by the link of a mail",
    de: () => "Eine Wiederherstellung Ihres Kontos wurde über den Link einer Mail abgebrochen",
  },
  cancelled_by_sign_in: {
    en: () => "A recovery of your account was cancelled by a sign-in with a passkey",
    de: () => "Eine Wiederherstellung Ihres Kontos wurde durch eine Anmeldung mit einem Passkey abgebrochen",
  },
  cancelled_by_passkey: {
    en: () => "A recovery of your account was cancelled because a passkey was used",
    de: () => "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil ein Passkey verwendet wurde",
  },
  cancelled_by_owner: {
    en: () => "You cancelled a recovery of your account",
    de: () => "Sie haben eine Wiederherstellung Ihres Kontos abgebrochen",
  },
  cancelled_by_new_address: {
    en: () => "A recovery of your account was cancelled because its e-mail address was changed",
    de: () =>
      "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil seine E-Mail-Adresse geändert wurde",
  },
  /** A former address reverted its change. */
  cancelled_by_old_address: {
    en: () => "A recovery of your account was cancelled because a change of its e-mail address was undone",
    de: () =>
      "Eine Wiederherstellung Ihres Kontos wurde abgebrochen, weil eine Änderung seiner E-Mail-Adresse rückgängig gemacht wurde",
  },
  /** Restarted, because the account was enabled again. */
  waits_anew: {
    en: (until: string) =>
      `The delay of a recovery began again because your account was enabled again: a new passkey can be created from ${until} on`,
    de: (until: string) =>
      `Die Wartezeit einer Wiederherstellung begann noch einmal, weil Ihr Konto wieder freigegeben wurde: Ab ${until} lässt sich ein neuer Passkey erstellen`,
  },
  lapsed: {
    en: () => "A recovery of your account expired",
    de: () => "Eine Wiederherstellung Ihres Kontos ist abgelaufen",
  },
  finished: {
    en: () => "Your account was recovered: it has a new passkey, and everything else was signed out",
    de: () =>
      "Ihr Konto wurde wiederhergestellt: Es hat einen neuen Passkey, und alles andere wurde abgemeldet",
  },
};

/** A change of an account's recovery. */
export type RecoveryAct = keyof typeof ACTS;

export const RECOVERY_EVENTS = {
  /**
   * The full recovery state after the event, except what proves who started the recovery. The subject is
   * the recovery, if any.
   */
  recovery_changed: defineEvent<{
    readonly act: RecoveryAct;
    readonly revision: number;
    readonly delayHours: number;
    readonly emailAlone: boolean;
    readonly generation: number | null;
    /** Bit mask of the unused recovery codes. */
    readonly codesLeft: number;
    readonly codesMadeAt: Instant | null;
    /** The period in which the pending recovery lets the user create a passkey. Both null without one. */
    readonly readyAt: Instant | null;
    readonly endsAt: Instant | null;
    /** The end of the cooldown after a recovery; null without one. */
    readonly settledAt: Instant | null;
  }>({
    en: ({ act, readyAt }) => ACTS[act].en(readyAt === null ? "now" : toIso(readyAt)),
    de: ({ act, readyAt }) => ACTS[act].de(readyAt === null ? "jetzt" : formatDateTime("de", readyAt)),
  }),
  /** A user proved the account's address but could not start a recovery. */
  recovery_refused: defineEvent<{ readonly reason: "no_code" | "wrong_code" }>({
    en: ({ reason }) =>
      reason === "no_code"
        ? "A recovery with a code from your mailbox was refused because there was no recovery code"
        : "A recovery with a code from your mailbox was refused because the recovery code was wrong",
    de: ({ reason }) =>
      reason === "no_code"
        ? "Eine Wiederherstellung mit einem Code aus Ihrem Postfach wurde abgelehnt, weil der Wiederherstellungscode fehlte"
        : "Eine Wiederherstellung mit einem Code aus Ihrem Postfach wurde abgelehnt, weil der Wiederherstellungscode falsch war",
  }),
};
