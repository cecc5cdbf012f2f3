/** What the scripts of the account page say. */
export const accountPasskeysWords = {
  loadAgain: "Load the page again to see it.",
  added: "“{name}” was added.",
  renamed: "The passkey is now called “{name}”.",
  deleted: "“{name}” was deleted.",
  cannotMake:
    "This browser cannot make passkeys. To add one, bring it up to date, or use another browser or device.",
};

export const accountSessionsWords = {
  loadAgain: "Load the page again to see it.",
  ended: "The session of {device} has ended.",
  endedOthers: { one: "{count} session has ended.", other: "{count} sessions have ended." },
};
