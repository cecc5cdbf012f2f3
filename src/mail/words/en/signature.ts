/** The mail that tells of a signature that waits. */
export const signatureMailWords = {
  subject: "A signature waits for you",
  news: (asker: string, key: string, place: string) =>
    `"${asker}" asks for a signature with your key "${key}": ${place}.`,
  approve: "Nothing is signed unless you approve it with a passkey within the hour:",
  all: "Everything that waits for you, further requests of the next minutes included:",
};
