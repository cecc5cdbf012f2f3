/** The mail that tells of a sign-in from a browser that an account did not know. */
export const newDeviceMailWords = {
  subject: "New sign-in to your account",
  news: (place: string) => `Somebody signed in to your account from a device it did not know: ${place}.`,
  next: "If this was you, there is nothing to do. If not, end the session and look at your passkeys:",
};
