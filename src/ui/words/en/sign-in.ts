/** The page on which people sign in. */
export const signInWords = {
  title: "Sign in",
  introduction: "Use the passkey that you made with your account.",
  confirmed: (provider: string) =>
    `${provider} has confirmed who you are. Now use the passkey of your account.`,
  addressTaken: (provider: string) =>
    `Your e-mail address at ${provider} belongs to an account here already. The two are not joined: sign in with the passkey of that account.`,
  notYours: "Not your account?",
  anotherWay: "Sign in in another way",
  lostPasskey: "Lost your passkey?",
  noAccount: "No account yet?",
  makeAccount: "Make an account",
  button: "Sign in with a passkey",
  suggestions: "Or pick a passkey that your browser suggests",
  emailAddress: "E-mail address",
};
