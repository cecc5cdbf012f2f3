import { isDevelopment } from "./mode.ts";
import { optionalOneOf } from "./values.ts";

type Faults = string[];

/** The settings of push messages. The private half of the key pair is in `Secrets`. */
export interface PublicPush {
  /** undefined = on if there are keys. In development they are made. */
  readonly wanted: "on" | "off" | undefined;
  readonly publicKey: string | undefined;
  readonly contact: string | undefined;
}

const MAKE = "`holdfast push-keys` makes both keys";

export const readPush = optionalOneOf("PUSH", ["on", "off"]);

/** Creates the reader of a key. Does not check that it is on the curve, nor that the two belong together. */
function readPushKey(
  name: string,
  pattern: RegExp,
): (text: string, faults: Faults) => string | undefined {
  return (text, faults) => {
    if (text === "" || pattern.test(text)) return text || undefined;
    faults.push(`${name} must be a key of P-256 in base64url: ${MAKE}`);
    return undefined;
  };
}

export const readPushPublicKey = readPushKey("PUSH_PUBLIC_KEY", /^B[A-Za-z0-9_-]{86}$/);
export const readPushPrivateKey = readPushKey("PUSH_PRIVATE_KEY", /^[A-Za-z0-9_-]{43}$/);

/** Reads the contact that push services may write to (RFC 8292 section 2.1). */
export function readPushContact(text: string, faults: Faults): string | undefined {
  if (text === "") return undefined;
  const { protocol, pathname = "" } = URL.parse(text) ?? {};
  const isMail = protocol === "mailto:" && /^[^@\s]+@[^@\s]+$/.test(pathname);
  if (isMail || protocol === "https:") return text;
  faults.push("PUSH_CONTACT must be a URL, mailto: with an address or https:");
  return undefined;
}

const TOGETHER = ["PUSH_PUBLIC_KEY", "PUSH_PRIVATE_KEY", "PUSH_CONTACT"] as const;

/** Checks that keys and contact are set together, and in production with `PUSH=on`. */
export function checkPush(
  environment: Readonly<Record<string, string | undefined>>,
  { baseUrl }: { readonly baseUrl: string | undefined },
  faults: Faults,
): void {
  const missing = TOGETHER.filter((name) => !environment[name]);
  const isWanted = environment["PUSH"] === "on" && !isDevelopment(baseUrl);
  if (missing.length === 0 || (missing.length === TOGETHER.length && !isWanted)) return;
  for (const name of missing) {
    const means = name === "PUSH_CONTACT" ? "a mailto: or https: URL that push services may use" : MAKE;
    faults.push(`${name} must be set for push messages: ${means}`);
  }
}
