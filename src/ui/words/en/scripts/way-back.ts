export const wayBackScriptWords = {
  added: "“{name}” was added.",
  made: "The codes were made.",
  saved: "Saved.",
};
