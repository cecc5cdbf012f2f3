import {
  readAppId,
  readBroker,
  readBrokerKey,
  readBrokerUrl,
  readKmsPin,
  readKmsRoot,
  readPccsUrl,
  readWorkload,
} from "./tee.ts";
import { readDatabase } from "./database.ts";
import { readProviders, readPublicProviders } from "./identity.ts";
import type { PublicProvider } from "./identity.ts";
import { readPort, readProcesses, readTrustedProxies } from "./server.ts";
import { unknownNames } from "./unknown-names.ts";
import { readAdminAccounts, readSignUp, usualSignUp } from "./sign-up.ts";
import { checkMail, readMailFrom, readPublicSmtpServer, readSmtpServer } from "./mail.ts";
import type { PublicSmtpServer } from "./mail.ts";
import { findProductionFaults } from "./mode.ts";
import { checkRelyingParty, readRelatedOrigins, readRpId } from "./relying-party.ts";
import type { SignUpRule } from "../accounts/sign-up-rule.ts";
import type { ProviderConfig } from "../identity/provider.ts";
import type { IpNetwork } from "../lib/ip-address.ts";
import { isLoopbackName } from "../lib/ip-address.ts";
import { LOG_LEVELS } from "../lib/log.ts";
import type { LogLevel } from "../lib/log.ts";
import type { PostgresAddress } from "../lib/postgres-address.ts";
import type { MailFrom, SmtpServer } from "../mail/smtp.ts";
import type { Broker } from "../tee/broker/broker-client.ts";
import type { KmsPin } from "../tee/dstack/key-chain.ts";

/** The environment's variables, as the composition root reads them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that can be set, public values only: secrets are read by whoever needs them. */
export interface Config {
  /** Public origin without a path; undefined = `http://localhost:<the port that was bound>`. */
  readonly baseUrl: string | undefined;
  /** The domain that passkeys are made for; undefined = the host of `baseUrl`. */
  readonly rpId: string | undefined;
  /** Origins whose pages may use them too. */
  readonly relatedOrigins: readonly string[];
  readonly host: string;
  readonly port: number;
  /** How many processes serve, on one port. */
  readonly processes: number;
  readonly dataDir: string;
  /** A file path, or `:memory:`; of a PostgreSQL database what is shown of its address. */
  readonly databasePath: string;
  /** Where the database is, where it is no file. */
  readonly postgres: PostgresAddress | undefined;
  /** `auto` takes what there is: dstack, else tdx, else simulated. `none` is for a broker on a trusted machine. */
  readonly tee: "auto" | "dstack" | "tdx" | "simulated" | "none";
  /** The guest agent's socket. */
  readonly teeDstackSocket: string;
  /** The KMS and the application whose sealing key alone is taken of the guest agent. */
  readonly teeDstackKms: KmsPin | undefined;
  /** The folder of configfs-tsm reports. */
  readonly teeTsmPath: string;
  /** The sealing key of the providers `tdx` and `none`. */
  readonly teeSealingKeyFile: string | undefined;
  /** Who releases the sealing key of the provider `tdx` in place of a file. */
  readonly teeBroker: Broker | undefined;
  /** What the command `broker` reads: who may have a key, and by what quotes are verified. */
  readonly brokerAllowList: string | undefined;
  readonly brokerCollateral: string | undefined;
  readonly brokerPccsUrl: string | undefined;
  /** Whom people can sign in with besides: their secrets are in `Secrets`. */
  readonly identityProviders: readonly PublicProvider[];
  /** Who sends mails, and in whose name: both or none. The login is in `Secrets`. */
  readonly smtp: PublicSmtpServer | undefined;
  readonly mailFrom: MailFrom | undefined;
  /** Certificate authorities to trust besides the public ones: PEM. */
  readonly authoritiesFile: string | undefined;
  /** Descriptors (ERC-7730) and tokens to explain signatures by, besides those that are built in: a folder. */
  readonly clearSigningDir: string | undefined;
  /** Applications that a file declares: its path. */
  readonly clientsFile: string | undefined;
  /** Where applications may be told of logouts, in production. */
  readonly logoutHosts: "public" | "private";
  /** Who may make an account. */
  readonly signUp: SignUpRule;
  /** Whose accounts may open the administrator's pages: ids, and addresses as they are stored. */
  readonly adminAccounts: readonly string[];
  readonly rateLimits: "on" | "off";
  /** Whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly IpNetwork[];
  /** Whether browsers are to keep to https for every host below ours too. */
  readonly strictTransport: "host" | "subdomains";
  readonly logLevel: LogLevel;
}

/** What only its guard may know: handed to it by the composition root, never part of `Config`. */
export interface Secrets {
  /** Undefined = made and kept in the data folder. */
  readonly adminApiKey: string | undefined;
  readonly identityProviders: readonly ProviderConfig[];
  readonly smtp: SmtpServer | undefined;
}

/** The configuration cannot be served: one sentence for each fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.name = "ConfigError";
    this.faults = faults;
  }
}

type Faults = string[];

/** Each variable with its default and its reader, which answers undefined after naming the fault. */
const VARIABLES = {
  BASE_URL: { fallback: "", read: readBaseUrl },
  RP_ID: { fallback: "", read: readRpId },
  RELATED_ORIGINS: { fallback: "", read: readRelatedOrigins },
  HOST: { fallback: "127.0.0.1", read: readText },
  PORT: { fallback: "3000", read: readPort },
  PROCESSES: { fallback: "1", read: readProcesses },
  DATA_DIR: { fallback: "./data", read: readText },
  DATABASE_URL: { fallback: "", read: readText },
  TEE: { fallback: "auto", read: oneOf("TEE", ["auto", "dstack", "tdx", "simulated", "none"]) },
  TEE_DSTACK_SOCKET: { fallback: "/var/run/dstack.sock", read: readText },
  TEE_DSTACK_KMS_ROOT: { fallback: "", read: readKmsRoot },
  TEE_DSTACK_APP_ID: { fallback: "", read: readAppId },
  TEE_TSM_PATH: { fallback: "/sys/kernel/config/tsm/report", read: readText },
  TEE_SEALING_KEY_FILE: { fallback: "", read: readOptional },
  TEE_BROKER_URL: { fallback: "", read: readBrokerUrl },
  TEE_BROKER_KEY: { fallback: "", read: readBrokerKey },
  TEE_BROKER_WORKLOAD: { fallback: "holdfast", read: readWorkload },
  BROKER_ALLOW_LIST: { fallback: "", read: readOptional },
  BROKER_COLLATERAL: { fallback: "", read: readOptional },
  BROKER_PCCS_URL: { fallback: "", read: readPccsUrl },
  IDENTITY_PROVIDERS: { fallback: "", read: readPublicProviders },
  SMTP_URL: { fallback: "", read: readPublicSmtpServer },
  MAIL_FROM: { fallback: "", read: readMailFrom },
  SIGN_UP: { fallback: "", read: readSignUp },
  ADMIN_ACCOUNTS: { fallback: "", read: readAdminAccounts },
  NODE_EXTRA_CA_CERTS: { fallback: "", read: readOptional },
  CLEAR_SIGNING_DIR: { fallback: "", read: readOptional },
  CLIENTS_FILE: { fallback: "", read: readOptional },
  LOGOUT_HOSTS: { fallback: "public", read: oneOf("LOGOUT_HOSTS", ["public", "private"]) },
  TRUSTED_PROXIES: { fallback: "", read: readTrustedProxies },
  RATE_LIMITS: { fallback: "on", read: oneOf("RATE_LIMITS", ["on", "off"]) },
  HSTS_SUBDOMAINS: { fallback: "off", read: oneOf("HSTS_SUBDOMAINS", ["on", "off"]) },
  LOG_LEVEL: { fallback: "info", read: oneOf("LOG_LEVEL", LOG_LEVELS) },
} as const;

function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
): (text: string, faults: Faults) => T | undefined {
  return (text, faults) => {
    const value = values.find((value) => value === text);
    if (value === undefined) faults.push(`${name} must be one of ${values.join(", ")}`);
    return value;
  };
}

function readText(text: string): string {
  return text;
}

function readOptional(text: string): string | undefined {
  return text || undefined;
}

/** Why an address is no public origin for this service; undefined when it is one. */
function baseUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return "BASE_URL must be an http or https URL, for example http://localhost:3000";
  }
  if (url.origin !== text) {
    return "BASE_URL must be an origin in its plain form: scheme, lower-case host and port, no path, no final slash";
  }
  if (/^[\d.]+$|^\[/.test(url.hostname)) {
    return "BASE_URL must have a host name: passkeys do not work on a bare address; use localhost";
  }
  if (url.protocol === "http:" && !isLoopbackName(url.hostname)) {
    return "BASE_URL must be https, except on localhost: browsers have no passkeys elsewhere";
  }
  return undefined;
}

function readBaseUrl(text: string, faults: Faults): string | undefined {
  if (text === "") return undefined;
  const fault = baseUrlFault(text);
  if (fault !== undefined) faults.push(fault);
  return text;
}

/**
 * Reads the configuration whole. Throws `ConfigError` with every fault there is: nothing unknown or unsafe is passed
 * over. Does not touch the file system.
 */
export function readConfig(environment: Environment): Config {
  const faults: Faults = unknownNames(environment, Object.keys(VARIABLES)).map((name) =>
    `${name} is not known to this version; unset it`
  );
  function read<N extends keyof typeof VARIABLES>(name: N): ReturnType<(typeof VARIABLES)[N]["read"]> {
    const { fallback, read } = VARIABLES[name];
    // An empty variable means unset, as in a shell script that passes an optional one through.
    return read(environment[name] || fallback, faults) as ReturnType<(typeof VARIABLES)[N]["read"]>;
  }
  const dataDir = read("DATA_DIR");
  const [tee, teeSealingKeyFile] = [read("TEE"), read("TEE_SEALING_KEY_FILE")];
  const keySettings = {
    tee,
    sealingKeyFile: teeSealingKeyFile,
    brokerUrl: read("TEE_BROKER_URL"),
    brokerKey: read("TEE_BROKER_KEY"),
    brokerWorkload: read("TEE_BROKER_WORKLOAD"),
  };
  const teeBroker = readBroker(keySettings, Boolean(environment["TEE_BROKER_KEY"]), faults);
  const kms = { tee, root: read("TEE_DSTACK_KMS_ROOT"), appId: read("TEE_DSTACK_APP_ID") };
  const config = {
    baseUrl: read("BASE_URL"),
    rpId: read("RP_ID"),
    relatedOrigins: read("RELATED_ORIGINS")!,
    host: read("HOST"),
    port: read("PORT"),
    processes: read("PROCESSES"),
    dataDir,
    ...readDatabase({ url: read("DATABASE_URL")!, dataDir: dataDir! }, environment, faults),
    tee,
    teeDstackSocket: read("TEE_DSTACK_SOCKET"),
    teeDstackKms: readKmsPin(kms, environment, faults),
    teeTsmPath: read("TEE_TSM_PATH"),
    teeSealingKeyFile,
    teeBroker,
    brokerAllowList: read("BROKER_ALLOW_LIST"),
    brokerCollateral: read("BROKER_COLLATERAL"),
    brokerPccsUrl: read("BROKER_PCCS_URL"),
    identityProviders: read("IDENTITY_PROVIDERS"),
    smtp: read("SMTP_URL"),
    mailFrom: read("MAIL_FROM"),
    authoritiesFile: read("NODE_EXTRA_CA_CERTS"),
    clearSigningDir: read("CLEAR_SIGNING_DIR"),
    clientsFile: read("CLIENTS_FILE"),
    logoutHosts: read("LOGOUT_HOSTS")!,
    adminAccounts: read("ADMIN_ACCOUNTS"),
    signUp: read("SIGN_UP") ?? usualSignUp(environment),
    rateLimits: read("RATE_LIMITS"),
    trustedProxies: read("TRUSTED_PROXIES"),
    strictTransport: read("HSTS_SUBDOMAINS") === "on" ? "subdomains" : "host",
    logLevel: read("LOG_LEVEL"),
  };
  checkRelyingParty(config, faults);
  checkMail(environment, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config as Config;
}

/** Reads the secrets. Throws `ConfigError` for one that could be guessed or could not be sent in a header. */
export function readSecrets(environment: Environment): Secrets {
  const adminApiKey = environment.ADMIN_API_KEY || undefined;
  if (adminApiKey !== undefined && !/^[!-~]{32,}$/.test(adminApiKey)) {
    throw new ConfigError(["ADMIN_API_KEY must be at least 32 characters of printable ASCII without spaces"]);
  }
  const faults: Faults = [];
  const identityProviders = readProviders(environment.IDENTITY_PROVIDERS || "", faults);
  const smtp = readSmtpServer(environment.SMTP_URL || "", faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { adminApiKey, identityProviders, smtp };
}

/**
 * Reads all that a service needs, and holds it against what production demands: an origin that is not on localhost is
 * production. Throws `ConfigError` with every fault.
 */
export function readServingConfig(environment: Environment): { config: Config; secrets: Secrets } {
  // Both readers look at some variables.
  const faults = new Set<string>();
  const config = collecting(() => readConfig(environment), faults);
  const secrets = collecting(() => readSecrets(environment), faults);
  const broken = config === undefined ? [] : findProductionFaults({
    ...config,
    hasAdminApiKey: Boolean(environment.ADMIN_API_KEY),
    hasMail: config.smtp !== undefined,
    hasIdentityProviders: config.identityProviders.length > 0,
  });
  for (const fault of broken) faults.add(fault);
  if (config === undefined || secrets === undefined || faults.size > 0) throw new ConfigError([...faults]);
  return { config, secrets };
}

/** What a reader answers; undefined where it found faults, which are added to the others. */
function collecting<T>(read: () => T, faults: Set<string>): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) faults.add(fault);
    return undefined;
  }
}
