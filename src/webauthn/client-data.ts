import { check, WebAuthnError } from "./error.ts";

/** The members of CollectedClientData (section 5.8.1) that a relying party checks, with whatever types they came. */
export interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: unknown;
}

/**
 * Steps 5 and 6 of section 7.1, 8 and 9 of 7.2: UTF-8 decode, which drops a leading byte order mark, then JSON.
 * Not @oslojs/webauthn's reader: it decodes the challenge, which is to be compared as text, drops `topOrigin`, and
 * fails on a legal `tokenBinding` of Level 2, which Level 3 ignores.
 */
export function readClientData(clientDataJSON: Uint8Array): ClientData {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(clientDataJSON));
  } catch (cause) {
    throw new WebAuthnError("client_data", cause);
  }
  check(typeof value === "object" && value !== null && !Array.isArray(value), "client_data");
  return value;
}

/**
 * Steps 7 to 11 of section 7.1, 10 to 14 of 7.2. Challenge and origin are compared as exact texts: a URL parser
 * would make equal what is not. The service is never framed, so `topOrigin` must be absent, and `crossOrigin` absent
 * or false.
 */
export function verifyClientData(
  data: ClientData,
  expected: {
    readonly type: "webauthn.create" | "webauthn.get";
    readonly challenge: string;
    readonly origin: string;
  },
): void {
  check(data.type === expected.type, "type"); // 7.1 step 7, 7.2 step 10
  check(data.challenge === expected.challenge, "challenge"); // 7.1 step 8, 7.2 step 11
  check(data.origin === expected.origin, "origin"); // 7.1 step 9, 7.2 step 12
  check(data.crossOrigin === undefined || data.crossOrigin === false, "cross_origin"); // 7.1 step 10, 7.2 step 13
  check(data.topOrigin === undefined, "top_origin"); // 7.1 step 11, 7.2 step 14
}
