import { check, WebAuthnError } from "./error.ts";

/** The members of CollectedClientData (section 5.8.1) that a relying party checks, not yet type-checked. */
export interface ClientData {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
  readonly topOrigin?: unknown;
}

/**
 * Parses client data (section 7.1 steps 5 and 6, 7.2 steps 8 and 9). "UTF-8 decode" drops a leading byte order mark.
 * Throws WebAuthnError.
 *
 * Does not use the parser of @oslojs/webauthn: it decodes the challenge, which must be compared as text, and drops
 * `topOrigin`. It also fails on a valid Level 2 `tokenBinding`, which Level 3 ignores.
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
 * Verifies client data (section 7.1 steps 7 to 11, 7.2 steps 10 to 14). Compares challenge and origin as exact text,
 * because a URL parser would normalise different origins to the same value. The service is never framed, so `topOrigin`
 * must be absent and `crossOrigin` absent or false. Throws WebAuthnError.
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
