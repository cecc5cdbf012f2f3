/** The mails that tell of a passkey that was added or removed. */
export const passkeyMailWords = {
  added: {
    subject: "A passkey was added",
    news: (name: string, place: string) => `The passkey "${name}" was added: ${place}.`,
  },
  removed: {
    subject: "A passkey was removed",
    news: (name: string, place: string) => `The passkey "${name}" was removed: ${place}.`,
  },
  next: "If this was not you, look at your passkeys and sessions:",
};
