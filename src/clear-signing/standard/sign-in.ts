import { parseInstant } from "../../lib/time.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { localizable } from "../format-message.ts";
import type { Intent, IntentWarning } from "../intent.ts";
import { recapOf } from "./recap.ts";
import { readMembers } from "../roles.ts";
import {
  dateField,
  dateText,
  type IntentContext,
  partyAt,
  quotable,
  quoted,
  textField,
  warning,
} from "../parties.ts";

/** A message of Sign-In with Ethereum (EIP-4361). */
export interface SignInMessage {
  readonly scheme: string | undefined;
  /** The authority of a URI (RFC 3986) without user: a host with an optional port. */
  readonly domain: string;
  readonly address: string;
  readonly statement: string | undefined;
  readonly uri: string;
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: number;
  readonly expirationTime: number | undefined;
  readonly notBefore: number | undefined;
  readonly requestId: string | undefined;
  readonly resources: readonly string[] | undefined;
}

const SCHEME = "[A-Za-z][A-Za-z0-9+.-]*";
const PERCENT = "%[0-9A-Fa-f]{2}";
/** The `unreserved` and `sub-delims` of a URI (RFC 3986). */
const PLAIN = "-A-Za-z0-9._~!$&'()*+,;=";
const PCHAR = `(?:[${PLAIN}:@]|${PERCENT})`;
const QUERY = `(?:[/?]|${PCHAR})*`;
const NAME = `(?:[${PLAIN}]|${PERCENT})`;
const IP_LITERAL = `\\[(?:[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\\.[${PLAIN}:]+)\\]`;
const USER = `(?:(?:[${PLAIN}:]|${PERCENT})*@)?`;
const PATH =
  `(?://${USER}(?:${IP_LITERAL}|${NAME}*)(?::\\d*)?(?:/${PCHAR}*)*|/?(?:${PCHAR}+(?:/${PCHAR}*)*)?)`;

const HEAD = new RegExp(
  `^(?:(${SCHEME})://)?((?:${IP_LITERAL}|${NAME}+)(?::\\d*)?) wants you to sign in with your Ethereum account:$`,
);
const URI = new RegExp(`^${SCHEME}:${PATH}(?:\\?${QUERY})?(?:#${QUERY})?$`);
const STATEMENT = /^[!#$&-;=?-Z\[\]_a-z~ ]*$/;
const REQUEST_ID = new RegExp(`^${PCHAR}*$`);
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads exactly the grammar of EIP-4361. Stricter than it in four ways: the domain has a host and no user, the address
 * has its checksum, the chain has no leading zeros and up to 20 digits, and times exist, with upper-case letters.
 */
export function readSignIn(text: string): SignInMessage | undefined {
  if (text.length > 16_384) return undefined;
  const lines = text.split("\n");
  const [, scheme, domain] = HEAD.exec(lines[0]!) ?? [];
  const address = lines[1] === undefined ? undefined : readAddress(lines[1]);
  if (domain === undefined || address === undefined || lines[1] !== toChecksumAddress(address)) {
    return undefined;
  }
  if (lines[2] !== "" || !hasRealAddress(domain)) return undefined;
  // An empty statement is one too, and has a line of its own.
  const hasStatement = lines[4] === "";
  if (!(hasStatement ? STATEMENT.test(lines[3]!) : lines[3] === "")) return undefined;
  const statement = lines[3] === "" ? undefined : lines[3];
  const rest = readTags(lines.slice(hasStatement ? 5 : 4));
  return rest && { scheme, domain, address: lines[1]!, statement, ...rest };
}

type Tags = Omit<SignInMessage, "scheme" | "domain" | "address" | "statement">;

/** Reads the lines after the statement: five required ones, then the optional ones in order. */
function readTags(lines: readonly string[]): Tags | undefined {
  let next = 0;
  const take = (tag: string): string | undefined => {
    const line = lines[next];
    if (line === undefined || !line.startsWith(tag)) return undefined;
    next++;
    return line.slice(tag.length);
  };
  const [uri, version, chainId, nonce] = [
    take("URI: "),
    take("Version: "),
    take("Chain ID: "),
    take("Nonce: "),
  ];
  const issuedAt = readTime(take("Issued At: "));
  const [expiration, notBefore, requestId] = [
    take("Expiration Time: "),
    take("Not Before: "),
    take("Request ID: "),
  ];
  const list = take("Resources:");
  const resources = list === undefined ? undefined : lines.slice(next);
  if (list !== undefined && list !== "") return undefined;
  if (uri === undefined || !isUri(uri) || version !== "1" || issuedAt === undefined) return undefined;
  if (chainId === undefined || !/^(?:0|[1-9]\d{0,19})$/.test(chainId)) return undefined;
  if (nonce === undefined || !/^[A-Za-z0-9]{8,}$/.test(nonce)) return undefined;
  if (requestId !== undefined && !REQUEST_ID.test(requestId)) return undefined;
  const [expirationTime, begins] = [readTime(expiration), readTime(notBefore)];
  if (
    (expiration !== undefined && expirationTime === undefined) ||
    (notBefore !== undefined && begins === undefined)
  ) {
    return undefined;
  }
  if (resources?.every((line) => line.startsWith("- ") && isUri(line.slice(2))) === false) {
    return undefined;
  }
  if (resources === undefined && next !== lines.length) return undefined;
  return {
    uri,
    chainId,
    nonce,
    issuedAt,
    expirationTime,
    notBefore: begins,
    requestId,
    resources: resources?.map((line) => line.slice(2)),
  };
}

function isUri(text: string): boolean {
  return URI.test(text) && hasRealAddress(text);
}

/** Returns false for a text with an address of IPv6 that is none. The grammar has nine forms of it. */
function hasRealAddress(text: string): boolean {
  const [, literal] = /\[([0-9A-Fa-f:.]*)\]/.exec(text) ?? [];
  if (literal === undefined) return true;
  const halves = literal.replace(IPV4, "0:0").split("::");
  const groups = halves.flatMap((half) => half === "" ? [] : half.split(":"));
  const isCounted = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
  return isCounted && groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group));
}

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`(?<=^|:)${OCTET}(?:\\.${OCTET}){3}$`);

/** Reads an RFC 3339 date-time, to the second. */
function readTime(text: string | undefined): number | undefined {
  const [, local, , zone] = (text === undefined ? null : DATE_TIME.exec(text)) ?? [];
  if (local === undefined || zone === undefined) return undefined;
  const instant = parseInstant(`${local}Z`);
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (instant === undefined || hours === undefined) return instant;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "+" ? instant - offset : instant + offset;
}

/** Describes a sign-in. Returns undefined for a text that is not exactly such a message. */
export function readSignInIntent(text: string, context: IntentContext): Intent | undefined {
  const message = readSignIn(text);
  if (message === undefined) return undefined;
  const { domain, address, uri, chainId, statement } = message;
  const { fields, warnings } = readMembers(context, null, [
    textField("site", message.scheme === undefined ? domain : `${message.scheme}://${domain}`),
    ["account", address],
    textField("uri", uri),
    ...(statement === undefined ? [] : [textField("statement", statement)]),
    ["chain", chainId],
    dateField("issuedAt", seconds(message.issuedAt)),
    ["sign_in_end", message.expirationTime === undefined ? undefined : seconds(message.expirationTime)],
    ["sign_in_start", message.notBefore === undefined ? undefined : seconds(message.notBefore)],
    textField("nonce", message.nonce),
    ...(message.requestId === undefined ? [] : [textField("request", message.requestId)]),
    ...(message.resources ?? []).map((resource) => textField("resource", resource)),
    ...siteWarnings(message, context),
    ...recapOf(message.resources ?? []),
  ]);
  return {
    kind: "sign_in",
    recognisedBy: "EIP-4361",
    sentence: localizable("signIn", {
      domain,
      account: address === context.signer ? undefined : partyAt(context, null, address),
      until: message.expirationTime === undefined ? undefined : dateText(seconds(message.expirationTime)),
    }),
    chainId,
    contract: null,
    fields,
    effects: [{ effect: "sign_in", domain, uri }],
    effectsComplete: !warnings.some(({ code }) => code === "capabilities"),
    warnings,
  };
}

function seconds(instant: number): bigint {
  return BigInt(Math.floor(instant / 1000));
}

/** Returns true if the URI has the domain's host and port, the scheme that the message names, and no user. */
export function isUriOfDomain(
  { scheme, domain, uri }: Pick<SignInMessage, "scheme" | "domain" | "uri">,
): boolean {
  const url = URL.parse(uri);
  const claimed = URL.parse(`${scheme ?? url?.protocol.slice(0, -1) ?? "https"}://${domain}`);
  return url !== null && claimed !== null && url.host !== "" && url.host === claimed.host &&
    url.protocol === claimed.protocol && url.username === "" && url.password === "";
}

/** Warns unless the domain is that of the URI and of the site that requested the signature. */
function siteWarnings(
  message: Pick<SignInMessage, "scheme" | "domain" | "uri">,
  { askedBy }: IntentContext,
): IntentWarning[] {
  const { domain, uri } = message;
  const isSite = askedBy === null || askedBy === domain.toLowerCase();
  return [
    ...(isUriOfDomain(message)
      ? []
      : [warning("sign_in_host", localizable("siteIsNotHost", { domain, uri }))]),
    ...(isSite ? [] : [warning("sign_in_site", localizable("siteIsNotAsking", { domain, asking: askedBy }))]),
  ];
}

const CLAIM =
  /wants\s{1,9}you\s{1,9}to\s{1,9}sign\s{1,9}in\s{1,9}with\s{1,9}your\s{1,9}ethereum\s{1,9}account/iu;

/**
 * Returns the warnings about a text that claims to be a sign-in and is none by its grammar. Reads the site, the
 * account, the URI and the resources leniently, so that the warnings of a sign-in are not lost. Empty for other texts.
 */
export function malformedSignInWarnings(text: string, context: IntentContext): readonly IntentWarning[] {
  const plain = text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  const at = CLAIM.exec(plain)?.index;
  if (at === undefined) return [];
  const [site = ""] = /\S*(?=\s*$)/.exec(plain.slice(Math.max(0, at - 256), at)) ?? [];
  const [, scheme, domain = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/i.exec(site) ?? [];
  const bytes = readAddress(/0x[0-9a-f]{40}/i.exec(plain)?.[0].toLowerCase() ?? "");
  const account = bytes && toChecksumAddress(bytes);
  // The indentation of one line: `\s` would cross lines, which takes quadratic time.
  const uri = /^[^\S\n\r\u2028\u2029]*URI:[ \t]*(\S+)/im.exec(plain)?.[1];
  const resources = [...plain.matchAll(/^[^\S\n\r\u2028\u2029]*-[ \t]*(\S+)/gm)].map(([, resource]) =>
    resource!
  );
  return readMembers(context, null, [
    warning(
      "malformed_sign_in",
      localizable("malformedSignIn", {
        site: quoted(domain),
        account: account === undefined ? undefined : partyAt(context, null, account),
      }),
    ),
    ...(account === undefined ? [] : [["account", account] as const]),
    ...siteWarnings(
      { scheme, domain: quotable(domain), uri: uri === undefined ? domain : quotable(uri) },
      context,
    ),
    ...recapOf(resources),
  ]).warnings;
}
