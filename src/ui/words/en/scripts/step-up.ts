export const stepUpWords = {
  confirm: "You signed in more than ten minutes ago: confirm with a passkey that you have.",
};
