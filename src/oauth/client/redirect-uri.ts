import type { ClientType } from "../../db/schema/oauth.ts";

const LONGEST = 2000;

/** RFC 8252 sections 7.3 and 8.3: the loopback interface, by address or by name. */
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"] as const;

/** RFC 8252 section 7.1: a reversed domain name, so at least one dot. `javascript:` has none. */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\//;

const LOOPBACK_URI = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9][0-9]{0,4}))?((?:[/?].*)?)$/;

/**
 * Returns why a client of this type may not register a URI, or undefined if it may. Permits `https`, `http` on
 * loopback, and private-use schemes for native clients. The URI must be in its normal form, so that exact string
 * comparison suffices (RFC 9700 section 2.1).
 */
export function findUriFault(uri: string, type: ClientType): string | undefined {
  if (!/^[\x21-\x7E]+$/.test(uri)) return "Expected a URI in ASCII without spaces";
  if (uri.length > LONGEST) return `Expected at most ${LONGEST} characters`;
  if (uri.includes("#")) return "Expected a URI without a fragment";
  if (uri.includes("*")) return "Expected a URI without a wildcard: it is compared character by character";
  const url = URL.parse(uri);
  if (url === null) return "Expected an absolute URI";
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?]*@/.test(uri)) {
    return "Expected a URI without a user name";
  }
  if (!isAllowedScheme(url, type)) {
    return type === "native"
      ? "Expected https, http on 127.0.0.1, [::1] or localhost, or a scheme with a dot such as com.example.app:/"
      : "Expected https, or http on 127.0.0.1, [::1] or localhost";
  }
  // `https://app.example` is equivalent to the form with a slash and common.
  if (url.href !== uri && url.href !== `${uri}/`) return "Expected the URI in its normal form";
  return undefined;
}

/** The parameters that a response adds to a query (RFC 6749 section 4.1.2, RFC 9207 section 2). */
const RESPONSE_PARAMETERS = ["code", "state", "iss", "error", "error_description", "error_uri"] as const;

/**
 * Like `findUriFault`, for a redirect URI. Its query must not contain response parameters, because a client that
 * finds one twice may use the wrong one (RFC 6749 section 3.1).
 */
export function findRedirectUriFault(uri: string, type: ClientType): string | undefined {
  const fault = findUriFault(uri, type);
  if (fault !== undefined) return fault;
  const { searchParams } = new URL(uri);
  return RESPONSE_PARAMETERS.some((name) => searchParams.has(name))
    ? `Expected a query without ${RESPONSE_PARAMETERS.join(", ")}: responses add them`
    : undefined;
}

function isAllowedScheme(url: URL, type: ClientType): boolean {
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return LOOPBACK.some((host) => host === url.hostname);
  return type === "native" && PRIVATE_USE.test(url.href);
}

/**
 * Returns true if the client has registered this redirect URI, compared exactly. Only the port of a native client's
 * loopback URI may differ (RFC 8252 section 7.3, OAuth 2.1 section 2.3), because the device chooses it.
 */
export function isRegisteredRedirectUri(
  client: { readonly type: ClientType; readonly redirectUris: readonly string[] },
  uri: string,
): boolean {
  if (client.redirectUris.includes(uri)) return true;
  if (client.type !== "native") return false;
  const sent = withoutPort(uri);
  return sent !== undefined && client.redirectUris.some((registered) => withoutPort(registered) === sent);
}

function withoutPort(uri: string): string | undefined {
  const match = LOOPBACK_URI.exec(uri);
  if (match === null) return undefined;
  const [, origin, port, rest] = match;
  return port !== undefined && Number(port) > 65_535 ? undefined : origin! + rest!;
}

/** The target of a redirect URI, as the consent page shows it. */
export interface RedirectTarget {
  readonly kind: "https" | "loopback" | "private-use";
  /** Scheme and host: `https://app.example`, `http://127.0.0.1` (the port varies), `com.example.app:`. */
  readonly text: string;
}

/** Requires a URI that `findUriFault` accepts. */
export function redirectTargetOf(uri: string): RedirectTarget {
  const loopback = LOOPBACK_URI.exec(uri);
  if (loopback !== null) return { kind: "loopback", text: loopback[1]! };
  const url = new URL(uri);
  if (url.protocol === "https:") return { kind: "https", text: url.origin };
  return { kind: "private-use", text: url.protocol };
}
