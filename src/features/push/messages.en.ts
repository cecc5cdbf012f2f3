export const en = {
  notifications: {
    back: "Back to your account",
    lead:
      "A browser can notify you when a program asks for a signature, when a policy refuses one, and when someone signs in to your account.",
    content:
      "A notification names the program and the kind of event, never what is signed. It reaches the browser encrypted, through the push service of its maker.",
    needsScript: "Notifications need JavaScript. Turn it on for them.",
    browsers: "Notified browsers",
    off: "This service sends no notifications to browsers.",
    none: "No browser is notified.",
    current: "This browser",
    since: "Since",
    stop: "Stop",
    inBrowser: (device: string) => ` notifications in ${device}`,
    notify: "Notify this browser",
  },
  scripts: {
    "notifications": {
      loadAgain: "Reload the page to see it.",
      started: "This browser is notified until you sign out here.",
      stopped: "{device} is not notified any more.",
      notSupported:
        "This browser cannot show notifications of this page. On an iPhone or iPad, add the page to the home screen first and open it there.",
      notAllowed:
        "This browser does not let this page notify you. Allow notifications in the settings of the browser.",
      noPushService: "This browser did not reach its push service. Try again later, or use another browser.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
