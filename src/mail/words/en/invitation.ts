/** The mail that invites somebody to make an account. */
export const invitationMailWords = {
  subject: (service: string) => `An invitation to ${service}`,
  invited: (host: string) =>
    `You are invited to make an account at ${host}, with this address and a passkey. Open this link:`,
  until: (time: string) => `It works once, until ${time}.`,
  unknown: "If you know nothing of it, ignore this mail: nothing happens without you.",
};
