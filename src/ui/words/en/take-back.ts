/** The page to which the link of an old address leads. */
export const takeBackWords = {
  title: "Take the change back?",
  asks: "The account that had this e-mail address has another one now. Was that not you?",
  does:
    "Then take it back: the account has this address again, and every session of it ends. If it was to be deleted it stays, and a recovery that waits is cancelled. Keys, passkeys, tokens and applications stay as they are. You are not signed in by this.",
  button: "Take it back",
  leave: "If it was you, close this page: nothing is taken back then.",
  doneTitle: "The change is taken back",
  done:
    "The account has its old address again, and every session has ended. Sign in with your passkey and look at your passkeys, tokens and applications: whoever changed the address may have added one.",
  signIn: "Sign in",
};
