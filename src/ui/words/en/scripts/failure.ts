/** What went wrong, for whoever is at the browser. */
export const failureWords = {
  /** By the code of a problem whose own sentence is not written for people. */
  problems: {
    invalid_code: "That code is not right, or no longer works. Check it, or ask for a new one.",
    invalid_passkey:
      "The passkey was not accepted. It may belong to another account or have been removed; try again.",
    invalid_passkey_registration: "The new passkey was not accepted. Try again.",
    authentication_required: "That took too long, so it has to start again. Load the page again.",
    account_disabled: "This account is disabled. Ask whoever runs this service.",
    invitation_required:
      "An account here takes an invitation, and yours is for another address or over. Open the link you were sent once more, or ask for another.",
    sign_up_closed: "This service takes no new accounts.",
    account_exists: "There is an account already, made in the meantime. Sign in instead.",
    cross_site_request:
      "The browser says that this came from another site, so it was refused. Load the page again.",
    recovery_refused:
      "No account can be recovered with these codes. Check the recovery code; without one it works only where the account allows it.",
    recovery_waiting: "A recovery of this account waits already. The mails about it can cancel it.",
    recovery_in_browser:
      "Another account’s recovery waits in this browser, which can finish one alone. Begin this one in another browser.",
    recovery_not_ready: "The recovery still waits. Come back when its time has come.",
    recently_recovered: "The account was recovered lately: for some days nothing of it can be loosened.",
    /** No problem document came: something between here and the service answered. */
    unknown: "The service answered with an error. Try again in a moment.",
    internal_error: "Something went wrong on the server. Nothing was signed. Try again in a moment.",
  } as Readonly<Record<string, string>>,
  /** What is wrong with a field, by the service's own sentence, where that is written in another language. */
  faults: {} as Readonly<Record<string, string>>,
  /** Stands before the service's own sentence where that is in another language. */
  said: "",
  tooOftenSeconds: {
    one: "That was too often. Try again in {count} second.",
    other: "That was too often. Try again in {count} seconds.",
  },
  tooOftenMinutes: {
    one: "That was too often. Try again in {count} minute.",
    other: "That was too often. Try again in {count} minutes.",
  },
  noAnswer: "The service did not answer in time. Try again.",
  notReached: "The service cannot be reached. Check your connection and try again.",
  ours: "Something went wrong in this page. Load it again.",
  at: "At",
  request: "Request",
  details: "Details",
};
