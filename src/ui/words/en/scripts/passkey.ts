const UNUSABLE = "This passkey cannot be used just now. Load the page again and try once more.";
const NOT_HERE = "The browser allows no passkey at this address. Open the site at its own name, over https.";
const CANNOT_USE = "This device cannot use passkeys. Try another device or a security key.";
const CANNOT_CHECK = "This device cannot check that it is you. Set up a screen lock, or use another device.";

/** What a browser's refusal means, by its name and the ceremony. */
export const passkeyWords = {
  refusals: {
    NotAllowedError: {
      create:
        "No passkey was made: it was cancelled or took too long. Nothing has changed; try again when you are ready.",
      get:
        "You are not signed in: it was cancelled, took too long, or this device has no passkey for this site.",
      confirm:
        "Nothing was done: confirming was cancelled, took too long, or this device has no passkey of your account. All is as it was; try again when you are ready.",
    },
    InvalidStateError: {
      create:
        "You already have a passkey of this account here. To add another one, choose another device or a security key.",
      get: UNUSABLE,
      confirm: UNUSABLE,
    },
    SecurityError: { create: NOT_HERE, get: NOT_HERE, confirm: NOT_HERE },
    NotSupportedError: {
      create:
        "This device cannot make a passkey of a kind that is accepted here. Try another device or a security key.",
      get: CANNOT_USE,
      confirm: CANNOT_USE,
    },
    ConstraintError: { create: CANNOT_CHECK, get: CANNOT_CHECK, confirm: CANNOT_CHECK },
  },
  overtaken:
    "No passkey was made: in another tab another account was begun meanwhile. Load the page again to see which.",
  noSupport: "This browser cannot use passkeys. Bring it up to date, or use another browser or device.",
  unknown: "The passkey did not work. Try again, or use another browser or device.",
};
