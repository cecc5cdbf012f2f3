/** The mail that tells of a token that was made for a program. */
export const tokenMailWords = {
  subject: "A token for a program was made",
  news: (name: string, place: string) => `The token "${name}" was made: ${place}.`,
  allKeys: "all your keys",
  keys: (count: number) => count === 1 ? "one key" : `${count} keys`,
  actions: { read: "read", sign: "sign", create: "create" } as Readonly<Record<string, string>>,
  rights: (keys: string, actions: string, end: string) =>
    `With it a program may use ${keys} (${actions}) until ${end}.`,
  next: "If this was not you, revoke it and look at your passkeys and sessions:",
};
