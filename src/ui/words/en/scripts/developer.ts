export const developerScriptWords = {
  loadAgain: "Load the page again to see it.",
  made: "“{name}” was made.",
  revoked: "“{name}” was revoked.",
};
