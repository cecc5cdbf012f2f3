/** The pages that are for everybody. */
export const visitorWords = {
  home: {
    title: "Ethereum keys you can hold on to",
    lead:
      "Holdfast makes Ethereum keys for you and keeps them on this server, inside its vault. You sign in with a passkey: there is no password and no seed phrase to lose. Before a key signs anything, you are shown what the signature will mean.",
    makeAccount: "Make an account",
    signIn: "Sign in",
  },
  signedOut: {
    title: "Signed out",
    heading: "You are signed out",
    gone: "The session is gone on the server too. Your keys stay where they are.",
    signInAgain: "Sign in again",
    home: "Home",
  },
  outbox: {
    title: "Development outbox",
    lead:
      "In development no mail is sent: what would have been is shown here, newest first. Load the page again to see what has come since.",
    to: "To",
    none: "No mail yet.",
  },
};
