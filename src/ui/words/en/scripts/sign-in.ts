export const signInScriptWords = {
  removed:
    "This passkey was removed from its account and no longer signs in. Use another one, and delete this one from your device or password manager.",
};
