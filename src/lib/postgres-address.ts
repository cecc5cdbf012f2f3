import { parseIpAddress } from "./ip-address.ts";

/** How a connection is protected, by libpq's names: encrypted and the server proven, encrypted alone, or open. */
export const TLS_MODES = ["verify-full", "require", "disable"] as const;

export type TlsMode = typeof TLS_MODES[number];

/** Where a PostgreSQL database is, and as whom it is used. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly tls: TlsMode;
  /** A file of authorities to believe in place of the usual ones, PEM. */
  readonly authoritiesFile: string | undefined;
  /** What the server's own lists of connections call the process. */
  readonly applicationName: string;
  /** Connections that read at the same time, besides the one that writes. */
  readonly readers: number;
  /** Undefined where the server asks for none, or a password file has it. */
  readonly password: HiddenText | undefined;
  /** A file in the format of libpq's `.pgpass`. */
  readonly passwordFile: string | undefined;
}

const READERS = 8;

const MOST_READERS = 100;

const PARAMETERS = ["sslmode", "sslrootcert", "application_name", "host", "user", "pool_size"];

/**
 * Whether it is on this machine, where a connection needs no encryption. Names below `localhost` are not: browsers take
 * them for this machine, but a program is told by whoever answers for names.
 */
export function isOnThisMachine({ host }: Pick<PostgresAddress, "host">): boolean {
  if (host.startsWith("/") || host === "localhost" || host === "::1") return true;
  const address = host.includes(":") ? undefined : parseIpAddress(host);
  return address?.[0] === 127;
}

/** What is shown of an address: nothing that anybody could log in with. */
export function showAddress({ host, port, database }: PostgresAddress): string {
  const shown = host.includes(":") ? `[${host}]` : host.startsWith("/") ? "" : host;
  return `postgres://${shown}:${port}/${database}`;
}

/** A sentence on what is wrong with an address; it says nothing of what stands there. */
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
    throw new PostgresAddressError("may name a host by its parameter only where that is a socket's folder");
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

/** A text that nothing prints by mistake: neither a log, nor JSON, nor a stack trace. */
export interface HiddenText {
  /** The text itself, for whoever needs it, at the very place where it is used. */
  reveal(): string;
}

/** Hides a text. */
export function hideText(text: string): HiddenText {
  return Object.freeze({ reveal: () => text });
}
