/** Longer texts are not parsed: no browser sends them. */
const USER_AGENT_LIMIT = 1024;

const UNKNOWN_DEVICE = "Unknown device";

type Names = readonly (readonly [sign: RegExp, name: string])[];

/** The order matters: each browser also claims to be most of those below it. */
const BROWSERS: Names = [
  [/\bEdg(?:e|A|iOS)?\/\d/, "Edge"],
  [/\bOPR\/\d|\bOPT\/\d/, "Opera"],
  [/\bVivaldi\/\d/, "Vivaldi"],
  [/\bSamsungBrowser\/\d/, "Samsung Internet"],
  [/\bYaBrowser\/\d/, "Yandex Browser"],
  [/\bDuckDuckGo\/\d|\bDdg\/\d/, "DuckDuckGo"],
  [/\bFirefox\/\d|\bFxiOS\/\d/, "Firefox"],
  [/\bChrome\/\d|\bCriOS\/\d|\bHeadlessChrome\/\d/, "Chrome"],
  [/\bVersion\/\d\S* (?:Mobile\/\S+ )?Safari\//, "Safari"],
  [/^curl\/\d/, "curl"],
];

const SYSTEMS: Names = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

function find(names: Names, text: string): string | undefined {
  return names.find(([sign]) => sign.test(text))?.[1];
}

/**
 * Returns the browser and system of a `User-Agent`, such as "Firefox on Linux", or "Unknown device". Composes it from
 * the names above only, so that a client cannot put text of its own into a list or mail. The claim itself is not
 * verified.
 */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent.length > USER_AGENT_LIMIT) return UNKNOWN_DEVICE;
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (browser === undefined) return system === undefined ? UNKNOWN_DEVICE : `Unknown browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
