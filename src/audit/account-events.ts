import { formatDateTime } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { defineEvent, type Translations } from "./event-row.ts";

/** The new version of the account's row. A row with a lower version was restored. */
interface NewVersion {
  readonly version: number;
}

/**
 * The administrator's authentication: the admin key, or an account that entered the administration pages. `entrance`
 * is the subject of that `administration_entered`, which names the account to the operator only. It is absent if the
 * key was sent with the request.
 */
export interface DoneByAdministrator {
  readonly by: "account" | "admin_key";
  readonly entrance?: string;
}

const ADMINISTRATOR_ACCESS: Readonly<Record<DoneByAdministrator["by"], Translations>> = {
  account: { en: ", with their own account", de: " mit einem eigenen Konto" },
  admin_key: { en: ", with the admin key", de: " mit dem Admin-Schlüssel" },
};

/** Returns the administrator's means of access; empty if the entry does not contain it. */
function accessOf({ by }: Partial<DoneByAdministrator>, language: Language): string {
  return by === undefined ? "" : ADMINISTRATOR_ACCESS[by][language];
}

const DELETION_STOPS = {
  sign_in: {
    en: "You signed in, so your account is not deleted",
    de: "Sie haben sich angemeldet; deshalb wird Ihr Konto nicht gelöscht",
  },
  recovery: {
    en: "Your account was recovered, so it is not deleted",
    de: "Ihr Konto wurde wiederhergestellt; deshalb wird es nicht gelöscht",
  },
  old_address: {
    en: "The change of your e-mail address was undone, so your account is not deleted",
    de: "Die Änderung Ihrer E-Mail-Adresse wurde rückgängig gemacht; deshalb wird Ihr Konto nicht gelöscht",
  },
};

/** The number of sessions; in German with the verb. */
const ENDED_SESSIONS: Translations<(count: number) => string> = {
  en: (count) => count === 1 ? "1 session" : `${count} sessions`,
  de: (count) => count === 1 ? "1 Sitzung endete" : `${count} Sitzungen endeten`,
};

export const ACCOUNT_EVENTS = {
  account_created: defineEvent({ en: "Your account was created", de: "Ihr Konto wurde erstellt" }),
  /** The account was created with the invitation that is the subject. */
  invitation_used: defineEvent({
    en: "You signed up with an invitation",
    de: "Sie haben Ihr Konto mit einer Einladung erstellt",
  }),
  /** `kind`: for one address, or for any person with the link. */
  invitation_made: defineEvent<{ readonly kind: "address" | "link"; readonly uses: number }>({
    en: "An invitation was created",
    de: "Eine Einladung wurde erstellt",
  }),
  invitation_withdrawn: defineEvent<{ readonly used: number }>({
    en: "An invitation was withdrawn",
    de: "Eine Einladung wurde zurückgezogen",
  }),
  /** `sessions` is the number of sessions that ended with it. */
  account_disabled: defineEvent<NewVersion & DoneByAdministrator & { readonly sessions: number }>({
    en: ({ sessions, ...done }) =>
      `The administrator disabled your account${accessOf(done, "en")}; ${
        ENDED_SESSIONS.en(sessions)
      } ended with it`,
    de: ({ sessions, ...done }) =>
      `Der Administrator hat Ihr Konto${accessOf(done, "de")} gesperrt; ${ENDED_SESSIONS.de(sessions)} damit`,
  }),
  account_enabled: defineEvent<NewVersion & DoneByAdministrator>({
    en: (done) => `The administrator enabled your account again${accessOf(done, "en")}`,
    de: (done) => `Der Administrator hat Ihr Konto${accessOf(done, "de")} wieder freigegeben`,
  }),
  /** An administrator ended every session of the account. */
  sessions_ended_for: defineEvent<DoneByAdministrator & { readonly sessions: number }>({
    en: ({ sessions, ...done }) =>
      `The administrator ended your sessions${accessOf(done, "en")} (${sessions})`,
    de: ({ sessions, ...done }) =>
      `Der Administrator hat Ihre Sitzungen${accessOf(done, "de")} beendet (${sessions})`,
  }),
  /** An administrator removed a passkey. The subject is the passkey. */
  passkey_removed_for: defineEvent<DoneByAdministrator & { readonly sessions: number }>({
    en: ({ sessions, ...done }) =>
      `The administrator removed a passkey of yours${accessOf(done, "en")}; ${
        ENDED_SESSIONS.en(sessions)
      } ended with it`,
    de: ({ sessions, ...done }) =>
      `Der Administrator hat einen Ihrer Passkeys${accessOf(done, "de")} entfernt; ${
        ENDED_SESSIONS.de(sessions)
      } damit`,
  }),
  /** An administrator ended the access of an application. The subject is the application. */
  access_ended_for: defineEvent<DoneByAdministrator>({
    en: (done) => `The administrator ended an application’s access to your account${accessOf(done, "en")}`,
    de: (done) =>
      `Der Administrator hat den Zugang einer Anwendung zu Ihrem Konto${accessOf(done, "de")} beendet`,
  }),
  /** A sign-in to the administration pages, by passkey or admin key. The subject is the session there. */
  administration_entered: defineEvent<{ readonly by: "account" | "admin_key" }>({
    en: "You entered the administrator’s pages",
    de: "Sie haben die Seiten des Administrators betreten",
  }),
  /** An identity at this provider was linked to the account. The subject is the link. */
  identity_linked: defineEvent<{ readonly issuer: string }>({
    en: ({ issuer }) => `Your sign-in at ${issuer} was linked to your account`,
    de: ({ issuer }) => `Ihre Anmeldung bei ${issuer} wurde mit Ihrem Konto verbunden`,
  }),
  /** The subject is the link. */
  identity_unlinked: defineEvent<{ readonly issuer: string }>({
    en: ({ issuer }) => `Your sign-in at ${issuer} was unlinked from your account`,
    de: ({ issuer }) => `Ihre Anmeldung bei ${issuer} wurde von Ihrem Konto gelöst`,
  }),
  account_renamed: defineEvent<NewVersion>({
    en: "Your account was renamed",
    de: "Ihr Konto wurde umbenannt",
  }),
  /** The owner downloaded all data as a file. The subject is the session. */
  account_exported: defineEvent({
    en: "You downloaded your data",
    de: "Sie haben alle Ihre Daten heruntergeladen",
  }),
  /** The subject is the change. The link of the first one in seven days reverts it and all later ones. */
  email_changed: defineEvent<NewVersion>({
    en: "Your e-mail address was changed",
    de: "Ihre E-Mail-Adresse wurde geändert",
  }),
  /** The old address reverted the change that is the subject, and `later` further ones; `sessions` ended. */
  email_change_taken_back: defineEvent<
    NewVersion & { readonly later: number; readonly sessions: number }
  >({
    en: ({ sessions }) =>
      `A change of your e-mail address was undone from the old address, and ${
        ENDED_SESSIONS.en(sessions)
      } ended`,
    de: ({ sessions }) =>
      `Eine Änderung Ihrer E-Mail-Adresse wurde von der alten Adresse aus rückgängig gemacht; ${
        ENDED_SESSIONS.de(sessions)
      }`,
  }),
  /** The account will be deleted at `dueAt`, unless the owner signs in. The subject is the pending deletion. */
  deletion_asked: defineEvent<{ readonly dueAt: Instant; readonly sessions: number }>({
    en: ({ dueAt, sessions }) =>
      `You asked for your account to be deleted on ${toIso(dueAt)}, and ${ENDED_SESSIONS.en(sessions)} ended`,
    de: ({ dueAt, sessions }) =>
      `Sie haben um die Löschung Ihres Kontos am ${formatDateTime("de", dueAt)} gebeten; ${
        ENDED_SESSIONS.de(sessions)
      }`,
  }),
  /** A sign-in, a recovery or a reverted address change cancelled the deletion that is the subject. */
  deletion_stopped: defineEvent<{ readonly by: keyof typeof DELETION_STOPS }>({
    en: ({ by }) => DELETION_STOPS[by].en,
    de: ({ by }) => DELETION_STOPS[by].de,
  }),
  /** All rows of the account were deleted. The subject is the deletion. */
  account_deleted: defineEvent<{ readonly keys: number }>({
    en: "Your account was deleted",
    de: "Ihr Konto wurde gelöscht",
  }),
};

export const SIGN_IN_EVENTS = {
  passkey_added: defineEvent({ en: "A passkey was added", de: "Ein Passkey wurde hinzugefügt" }),
  passkey_renamed: defineEvent({ en: "A passkey was renamed", de: "Ein Passkey wurde umbenannt" }),
  /** `sessions` is the number of sessions that ended with it. */
  passkey_removed: defineEvent<{ readonly sessions: number }>({
    en: ({ sessions }) => `A passkey was removed, and ${ENDED_SESSIONS.en(sessions)} ended with it`,
    de: ({ sessions }) => `Ein Passkey wurde entfernt; ${ENDED_SESSIONS.de(sessions)} damit`,
  }),
  signed_in: defineEvent<{ readonly passkeyId: string }>({
    en: "You signed in with a passkey",
    de: "Sie haben sich mit einem Passkey angemeldet",
  }),
  /** `reason` is the code of the failed check, `removed_credential` or `account_disabled`. */
  sign_in_refused: defineEvent<{ readonly reason: string }>({
    en: ({ reason }) => `A sign-in with your passkey was refused (${reason})`,
    de: ({ reason }) => `Eine Anmeldung mit Ihrem Passkey wurde abgelehnt (${reason})`,
  }),
  signed_out: defineEvent({ en: "You signed out", de: "Sie haben sich abgemeldet" }),
  /** The passkey was used again, for this action. The subject is the session. */
  stepped_up: defineEvent<{ readonly action: string; readonly passkeyId: string }>({
    en: "You confirmed with a passkey",
    de: "Sie haben mit einem Passkey bestätigt",
  }),
  /** `reason` is the code of the failed check. */
  step_up_refused: defineEvent<{ readonly action: string; readonly reason: string }>({
    en: ({ reason }) => `A confirmation with a passkey was refused (${reason})`,
    de: ({ reason }) => `Eine Bestätigung mit einem Passkey wurde abgelehnt (${reason})`,
  }),
  /** The owner ended the session that is the subject, from this session or another. */
  session_ended: defineEvent({ en: "You ended a session", de: "Sie haben eine Sitzung beendet" }),
  /** The owner ended several sessions: all `others` than the subject, or `all`. */
  sessions_ended: defineEvent<{ readonly which: "others" | "all"; readonly sessions: number }>({
    en: ({ which, sessions }) =>
      `You ended ${which === "all" ? "every session" : "all other sessions"} (${sessions})`,
    de: ({ which, sessions }) =>
      `Sie haben ${which === "all" ? "alle Sitzungen" : "alle anderen Sitzungen"} beendet (${sessions})`,
  }),
};
