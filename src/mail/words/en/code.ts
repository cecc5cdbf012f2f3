/** The mail with the code that proves an address. */
export const codeMailWords = {
  subject: (service: string) => `Your ${service} code`,
  code: (service: string, host: string) => `Your code for ${service} (${host}) is`,
  once: "It works once, within 5 minutes, in the browser that asked for it.",
  place: (host: string) => `Type it on ${host} only, and tell it nobody: we never ask for it.`,
  notYou: "If you did not ask for this code, ignore this mail: nothing has changed.",
};
