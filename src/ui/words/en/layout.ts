import { html } from "../../../lib/html.ts";

/** What stands around every page. */
export const layoutWords = {
  development:
    html`<strong>Development:</strong> simulated TEE. Whoever runs this machine can read the keys.`,
  places: "Places",
  keys: "Keys",
  requests: "Requests",
  activity: "Activity",
  developer: "Developer",
  menu: "Menu",
  signedInAs: "Signed in as",
  account: "Account",
  signOut: "Sign out",
  skip: "Skip to content",
  footer:
    "Holdfast keeps Ethereum keys on its owner’s own server. This page loads nothing from anywhere else.",
};
