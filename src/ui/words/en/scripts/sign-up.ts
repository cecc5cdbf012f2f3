export const signUpScriptWords = {
  askedForCode: "Step 2 of 3: we sent a code to {address}.",
  askedAgain: "We sent a new code to {address}. The old one no longer works.",
  sixDigits: "The code has six digits.",
  atAddress: "Step 1 of 3: your e-mail address.",
  atPasskey: "Step 3 of 3: your address is confirmed.",
  accountExists: "This address already has an account.",
};

export const sentCodeWords = {
  tried: {
    one: "This code was tried {count} time and no longer works. Send a new one.",
    other: "This code was tried {count} times and no longer works. Send a new one.",
  },
  tooOld: "This code is too old and no longer works. Send a new one.",
};
