import { parseIpAddress } from "./ip-address.ts";

/** The TLS modes, by libpq's names: encrypted with a verified server, encrypted only, or unencrypted. */
const TLS_MODES = ["verify-full", "require", "disable"] as const;

export type TlsMode = typeof TLS_MODES[number];

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly tls: TlsMode;
  /** A PEM file of certificate authorities that replaces the usual ones. */
  readonly authoritiesFile: string | undefined;
  /** The name of this process in the server's lists of connections. */
  readonly applicationName: string;
  /** The number of connections for concurrent reads, in addition to the writer. */
  readonly readers: number;
  /** Undefined if the server requires none or a password file has it. */
  readonly password: HiddenText | undefined;
  /** A file in the format of libpq's `.pgpass`. */
  readonly passwordFile: string | undefined;
}

const READERS = 8;

const MOST_READERS = 100;

const PARAMETERS = ["sslmode", "sslrootcert", "application_name", "host", "user", "pool_size"];

/** Returns true if TLS is not needed. Excludes names below `localhost`, because programs ask a name server for them. */
export function isOnThisMachine({ host }: Pick<PostgresAddress, "host">): boolean {
  if (host.startsWith("/") || host === "localhost" || host === "::1") return true;
  const address = host.includes(":") ? undefined : parseIpAddress(host);
  return address?.[0] === 127;
}

/** Formats an address without anything that allows a login. */
export function showAddress({ host, port, database }: PostgresAddress): string {
  const shown = host.includes(":") ? `[${host}]` : host.startsWith("/") ? "" : host;
  return `postgres://${shown}:${port}/${database}`;
}

/** A message about an invalid address. Never contains parts of it. */
export class PostgresAddressError extends Error {}

/**
 * Reads `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?sslmode=…&sslrootcert=…&application_name=…&pool_size=…]`; for
 * a Unix socket `postgres:///DATABASE?host=/FOLDER&user=USER`. The password may come from elsewhere. Throws
 * `PostgresAddressError`.
 */
export function readPostgresAddress(
  text: string,
  { password, passwordFile }: {
    readonly password: string | undefined;
    readonly passwordFile: string | undefined;
  },
): PostgresAddress {
  const url = URL.parse(text);
  if (url === null || url.hash !== "") throw new PostgresAddressError("is no URL");
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name) || url.searchParams.getAll(name).length > 1) {
      throw new PostgresAddressError(
        `has a parameter that is not one of ${PARAMETERS.join(", ")}, or has one twice`,
      );
    }
  }
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const host = parameter("host") ?? url.hostname.replace(/^\[|\]$/g, "");
  const [named, inUrl, database] = [url.username, url.password, url.pathname.slice(1)].map(decode);
  const user = named || parameter("user");
  if (host === "" || user === undefined || user === "" || database === "" || database!.includes("/")) {
    throw new PostgresAddressError("must name a user, a host and a database");
  }
  if (parameter("host") !== undefined && (!host.startsWith("/") || url.hostname !== "")) {
    throw new PostgresAddressError("may name a host by its parameter only if that is a socket's folder");
  }
  if (url.port === "0") throw new PostgresAddressError("must have a port from 1 to 65535");
  const secret = inUrl || password || undefined;
  return {
    host,
    port: Number(url.port || 5432),
    user,
    database: database!,
    tls: readTls(parameter("sslmode"), host),
    authoritiesFile: parameter("sslrootcert"),
    applicationName: parameter("application_name") ?? "holdfast",
    readers: readReaders(parameter("pool_size")),
    password: secret === undefined ? undefined : hideText(secret),
    passwordFile,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresAddressError("is not encoded as a URL is: % stands for itself as %25");
  }
}

function readTls(text: string | undefined, host: string): TlsMode {
  if (text === undefined) return isOnThisMachine({ host }) ? "disable" : "verify-full";
  const mode = TLS_MODES.find((one) => one === text);
  if (mode === undefined) throw new PostgresAddressError(`must have an sslmode of ${TLS_MODES.join(", ")}`);
  return mode;
}

function readReaders(text: string | undefined): number {
  if (text === undefined) return READERS;
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= MOST_READERS) return Number(text);
  throw new PostgresAddressError(`must have a pool_size from 1 to ${MOST_READERS}`);
}

/** A text that a log, JSON or a stack trace cannot print by mistake. */
export interface HiddenText {
  reveal(): string;
}

export function hideText(text: string): HiddenText {
  return Object.freeze({ reveal: () => text });
}
