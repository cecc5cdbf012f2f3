/** The texts of a push message. `program` is the readable name of a token or application. */
export const en = {
  aProgram: "A program",
  signature_asked: {
    title: "Signature requested",
    text: (program: string) => `${program} asks for a signature.`,
  },
  signed_in: {
    title: "New sign-in",
    text: () => "There was a sign-in to your account in another browser.",
  },
  signing_refused: {
    title: "Signature refused",
    text: (program: string) => `A policy refused a signature to ${program}.`,
  },
};
