import { ProtocolError } from "../../lib/error.ts";
import { shownName } from "../../lib/json.ts";
import { hasNul } from "../../lib/text.ts";

function decode(text: string): string {
  // Most texts have neither. Searching for both costs a tenth of decoding.
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ProtocolError("invalid_request", "Cannot read parameters: malformed percent-encoding");
  }
}

function refused(name: string, message: string): ProtocolError {
  return new ProtocolError("invalid_request", `Cannot read parameters: ${message.toLowerCase()}`, {
    errors: [{ parameter: shownName(name), message }],
  });
}

export function* readPairs(text: string): Generator<readonly [name: string, value: string]> {
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    yield [name, equals < 0 ? "" : decode(pair.slice(equals + 1))];
  }
}

/**
 * Parses a query or form (application/x-www-form-urlencoded). Throws `invalid_request` for a repeated name (RFC 6749
 * section 3.1), `__proto__` or a NUL, which no SQL statement accepts. Also throws it for malformed percent-encoding or
 * UTF-8, which URLSearchParams would silently replace.
 */
export function parseParameters(text: string): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of readPairs(text)) {
    if (name === "__proto__") throw refused(name, "Forbidden parameter");
    if (Object.hasOwn(parameters, name)) throw refused(name, "Duplicate parameter");
    if (hasNul(name) || hasNul(value)) throw refused(name, "NUL character");
    parameters[name] = value;
  }
  return parameters;
}
