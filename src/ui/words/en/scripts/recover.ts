export const recoverScriptWords = {
  sent: "We sent a code to {email}.",
  begun: "The recovery was begun.",
};
