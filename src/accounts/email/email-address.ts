import { ProtocolError } from "../../lib/error.ts";

const MAX_LENGTH = 254; // RFC 5321 section 4.5.3.1.3, less the angle brackets
const MAX_LOCAL_LENGTH = 64; // RFC 5321 section 4.5.3.1.1

// RFC 5322 section 3.2.3 dot-atom without `%` and `!`: old mail relays read those as a route to somebody else.
const LOCAL_PART = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/; // RFC 1035 section 2.3.1
const DIGITS = /^\d+$/;

/**
 * The address in the one form it is stored, compared and written to in: lower case, the local part too. Only plain
 * ASCII addresses on a host name pass: no quotes, comments, lists, routes, literals, white space or control
 * characters, so that an address can stand in a mail header and names one mailbox only. Nothing is folded (no dots,
 * no `+tag`). Throws `invalid_request`. Does not check that the mailbox exists.
 */
export function normaliseEmail(text: string): string {
  if (text.length > MAX_LENGTH) throw notAnAddress();
  // Only ASCII letters: `toLowerCase` of U+212A (the Kelvin sign) is a plain k.
  const email = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const at = email.indexOf("@");
  const local = email.slice(0, at);
  const labels = email.slice(at + 1).split(".");
  const isAddress = at >= 1 && at <= MAX_LOCAL_LENGTH && LOCAL_PART.test(local) && isHostName(labels);
  if (!isAddress) throw notAnAddress();
  return email;
}

/** At least two labels, the last not a number: a bare host or an IP address is nobody's mailbox. */
function isHostName(labels: readonly string[]): boolean {
  return labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !DIGITS.test(labels.at(-1)!);
}

function notAnAddress(): ProtocolError {
  return new ProtocolError("invalid_request", "Cannot use e-mail address: not a plain address", {
    errors: [{ path: "/email", message: "Expected one plain e-mail address, such as name@example.com" }],
  });
}
