import { ProtocolError } from "../../lib/error.ts";

const MAX_LENGTH = 254; // RFC 5321 section 4.5.3.1.3, less the angle brackets
const MAX_LOCAL_LENGTH = 64; // RFC 5321 section 4.5.3.1.1

// RFC 5322 section 3.2.3 dot-atom without `%` and `!`: old mail relays read those as routes.
const LOCAL_PART = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/; // RFC 1035 section 2.3.1
const DIGITS = /^\d+$/;

/**
 * Returns the address in the form that is stored, compared and sent to: lower case, the local part included. Accepts
 * only plain ASCII addresses at a host name. Rejects quotes, comments, lists, routes, literals, white space and
 * control characters, so that an address is safe in a mail header. Does not remove dots or `+tag`. Does not check
 * that the mailbox exists. Throws `invalid_request`.
 */
export function normaliseEmail(text: string): string {
  if (text.length > MAX_LENGTH) throw notAnAddress();
  // Lowers ASCII letters only: `toLowerCase` turns U+212A (the Kelvin sign) into a plain k.
  const email = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const at = email.indexOf("@");
  const local = email.slice(0, at);
  const labels = email.slice(at + 1).split(".");
  const isAddress = at >= 1 && at <= MAX_LOCAL_LENGTH && LOCAL_PART.test(local) && isHostName(labels);
  if (!isAddress) throw notAnAddress();
  return email;
}

/** Rejects bare hosts and IP addresses. */
function isHostName(labels: readonly string[]): boolean {
  return labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !DIGITS.test(labels.at(-1)!);
}

function notAnAddress(): ProtocolError {
  return new ProtocolError("invalid_request", "Cannot use e-mail address: not a plain address", {
    errors: [{ path: "/email", message: "Expected one plain e-mail address, such as name@example.com" }],
  });
}
