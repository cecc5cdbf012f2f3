import { isEndpoint } from "../identity/provider-metadata.ts";
import type { OpenIdProviderConfig, ProviderConfig } from "../identity/provider.ts";
import { asObject } from "../lib/object.ts";
import { readName } from "../lib/text.ts";

type Faults = string[];
type ProviderEntry = Readonly<Record<string, unknown>>;

export type PublicProvider = Omit<OpenIdProviderConfig, "clientSecret"> | {
  readonly kind: "github";
  readonly id: "github";
  readonly name: string;
  readonly clientId: string;
};

const MOST_PROVIDERS = 20;
const DEFAULT_SCOPES = "openid email profile";
const ID = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/; // RFC 6749 section 3.3
const PRINTABLE = /^[!-~](?:[ -~]{0,510}[!-~])?$/;
const GITHUB_MEMBERS = ["id", "clientId", "clientSecret"];
const OPENID_MEMBERS = ["id", "name", "issuer", "clientId", "clientSecret", "scopes", "network"];

type MemberRule = readonly [name: string, isFine: (value: unknown) => boolean, must: string];

const isPrintable = (value: unknown): boolean => typeof value === "string" && PRINTABLE.test(value);

const CLIENT_RULES: readonly MemberRule[] = [
  ["clientId", isPrintable, "must be the client id that the provider gave, printable ASCII"],
  ["clientSecret", isPrintable, "must be the client secret that the provider gave, printable ASCII"],
];

const OPENID_RULES: readonly MemberRule[] = [
  [
    "id",
    (value) => typeof value === "string" && ID.test(value),
    "must be 1 to 32 lower-case letters, digits and hyphens",
  ],
  [
    "name",
    (value) => typeof value === "string" && readName(value, 40) === value,
    "must be 1 to 40 characters, as users know it",
  ],
  [
    "issuer",
    (value) => typeof value === "string" && isIssuer(value),
    "must be the provider's issuer exactly as its metadata spells it: https (http on loopback only), no query, no fragment",
  ],
  ...CLIENT_RULES,
  [
    "scopes",
    (value) =>
      value === undefined ||
      (typeof value === "string" && SCOPES.test(value) && value.split(" ").includes("openid")),
    "must be scopes separated by single spaces, including openid",
  ],
  [
    "network",
    (value) => value === undefined || value === "private",
    "must be private, if the provider's endpoints may be in private networks, or left out",
  ],
];

/** Accepts https without query and fragment, or http on loopback (OpenID Connect Discovery section 2). */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes("?") || /[^!-~]/.test(text)) return false;
  // Rejects a URL that the parser normalises, because an issuer is compared as text.
  if (url.href !== text && url.href !== `${text}/`) return false;
  return isEndpoint(text, text);
}

/** Reads the providers of `IDENTITY_PROVIDERS`, including client secrets. A fault never echoes a value. */
export function readProviders(text: string, faults: Faults): readonly ProviderConfig[] {
  if (text === "") return [];
  const entries = readEntries(text);
  if (entries === undefined || entries.length > MOST_PROVIDERS) {
    faults.push(`IDENTITY_PROVIDERS must be a JSON array of at most ${MOST_PROVIDERS} objects`);
    return [];
  }
  const found = entries.map((entry, index) => readProvider(entry, `IDENTITY_PROVIDERS[${index}]`, faults));
  const providers = found.filter((provider) => provider !== undefined);
  for (const member of ["id", "issuer"] as const) {
    const values = providers.map((provider) => member in provider ? provider[member as "id"] : undefined)
      .filter((value) => value !== undefined);
    if (new Set(values).size < values.length) {
      faults.push(`IDENTITY_PROVIDERS must not have two entries with the same ${member}`);
    }
  }
  return providers;
}

export function readPublicProviders(text: string, faults: Faults): readonly PublicProvider[] {
  return readProviders(text, faults).map(({ clientSecret: _, ...provider }) => provider);
}

function readEntries(text: string): readonly ProviderEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((entry) => asObject(entry) !== undefined) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readProvider(entry: ProviderEntry, place: string, faults: Faults): ProviderConfig | undefined {
  // An entry with an issuer is an OpenID Connect provider, even with the id `github`.
  const isGitHub = entry["id"] === "github" && !("issuer" in entry);
  const [known, rules] = isGitHub ? [GITHUB_MEMBERS, CLIENT_RULES] : [OPENID_MEMBERS, OPENID_RULES];
  const unknown = Object.keys(entry).filter((name) => !known.includes(name));
  const found = [
    ...(unknown.length > 0 ? [`${place} must have no members but ${known.join(", ")}`] : []),
    ...rules.filter(([name, isFine]) => !isFine(entry[name])).map(([name, , must]) =>
      `${place}.${name} ${must}`
    ),
  ];
  faults.push(...found);
  if (found.length > 0) return undefined;
  // Safe: the rules checked that each member used here is a string.
  const { id, name, issuer, clientId, clientSecret, scopes, network } = entry as Readonly<
    Record<string, string>
  >;
  const client = { clientId: clientId!, clientSecret: clientSecret! };
  if (isGitHub) return { kind: "github", id: "github", name: "GitHub", ...client };
  return {
    kind: "openid",
    id: id!,
    name: name!,
    issuer: issuer!,
    ...client,
    scopes: scopes ?? DEFAULT_SCOPES,
    ...(network === "private" ? { network } : {}),
  };
}
