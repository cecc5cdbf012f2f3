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
import { readBaseUrl } from "./base-url.ts";
import { readClientMetadata } from "./client-metadata.ts";
import type { DocumentHosts } from "../oauth/client/document-url.ts";
import { type NamedSource, readSealSources } from "./key-source.ts";
import { PRODUCT_NAME } from "../lib/product.ts";
import { readServiceName } from "./service-name.ts";
import { readDatabase } from "./database.ts";
import { type PublicProvider, readProviders, readPublicProviders } from "./identity.ts";
import { readIdleHours, readSessionHours, readSessionLifetimes } from "./session.ts";
import { readMetricsAddress, readPort, readProcesses, readTrustedProxies } from "./server.ts";
import type { MetricsAddress } from "./server.ts";
import { oneOf, readLogFormat, readOptional, readText } from "./values.ts";
import { unknownNames } from "./unknown-names.ts";
import { readAdminAccounts, readSignUp, usualSignUp } from "./sign-up.ts";
import { checkMail, readMailFrom, readPublicSmtpServer, readSmtpServer } from "./mail.ts";
import type { PublicSmtpServer } from "./mail.ts";
import { findProductionFaults } from "./mode.ts";
import { checkPush, readPush, readPushContact, readPushPrivateKey, readPushPublicKey } from "./push.ts";
import type { PublicPush } from "./push.ts";
import { checkRelyingParty, readRelatedOrigins, readRpId } from "./relying-party.ts";
import type { SessionLifetimes } from "../accounts/session/session-lifetimes.ts";
import type { SignUpRule } from "../accounts/sign-up-rule.ts";
import type { ProviderConfig } from "../identity/provider.ts";
import type { IpNetwork } from "../lib/ip-address.ts";
import type { LogFormat } from "../lib/log.ts";
import { LOG_LEVELS, type LogLevel } from "../lib/log-events.ts";
import type { PostgresAddress } from "../lib/postgres-address.ts";
import type { MailFrom, SmtpServer } from "../mail/smtp.ts";
import type { Broker } from "../tee/broker/broker-client.ts";
import type { KmsPin } from "../tee/dstack/key-chain.ts";
import type { DstackApi } from "../tee/tee.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The public configuration. Secrets are in `Secrets`. */
export interface Config {
  /** Public origin without a path; undefined = `http://localhost:<bound port>`. */
  readonly baseUrl: string | undefined;
  /** WebAuthn RP ID; undefined = the host of `baseUrl`. */
  readonly rpId: string | undefined;
  /** Other origins whose pages may use the passkeys. */
  readonly relatedOrigins: readonly string[];
  readonly host: string;
  readonly port: number;
  /** Number of serving processes, which share one port. */
  readonly processes: number;
  readonly dataDir: string;
  /** A file path or `:memory:`. For PostgreSQL, the address without its password. */
  readonly databasePath: string;
  /** undefined = SQLite. */
  readonly postgres: PostgresAddress | undefined;
  /** `auto` takes the first available of dstack, tdx and simulated. `none` is for a broker on a trusted machine. */
  readonly tee: "auto" | "dstack" | "tdx" | "simulated" | "none";
  readonly teeDstackSocket: string;
  /** The version of dstack's guest API that gives the sealing key. */
  readonly teeDstackApi: DstackApi;
  /** The pinned KMS and application. The guest agent's sealing key is accepted only from them. */
  readonly teeDstackKms: KmsPin | undefined;
  /** The configfs-tsm folder of reports. */
  readonly teeTsmPath: string;
  /** The sealing key of the providers `tdx` and `none`. */
  readonly teeSealingKeyFile: string | undefined;
  readonly teeBroker: Broker | undefined;
  /** The workload's name at every broker. */
  readonly teeBrokerWorkload: string;
  /** Sources of a sealing key that are tried after the TEE's own. */
  readonly sealSources: readonly NamedSource[];
  /** Input of the command `broker`: the allowed workloads, and the source of collateral. */
  readonly brokerAllowList: string | undefined;
  readonly brokerCollateral: string | undefined;
  readonly brokerPccsUrl: string | undefined;
  /** Without their client secrets. */
  readonly identityProviders: readonly PublicProvider[];
  /** Mail server and sender: both or neither. The login is in `Secrets`. */
  readonly smtp: PublicSmtpServer | undefined;
  readonly mailFrom: MailFrom | undefined;
  /** PEM file of certificate authorities trusted in addition to the public ones. */
  readonly authoritiesFile: string | undefined;
  /** Folder of ERC-7730 descriptors and tokens in addition to the built-in ones. */
  readonly clearSigningDir: string | undefined;
  /** The name on pages, in mails and in passkey prompts. */
  readonly serviceName: string;
  /** An SVG or PNG file; undefined = the product's icon. */
  readonly serviceLogo: string | undefined;
  readonly clientsFile: string | undefined;
  /** Networks that logout notifications may be sent to in production. */
  readonly logoutHosts: "public" | "private";
  /** Hosts whose client metadata documents are accepted; undefined = all in development, none in production. */
  readonly clientMetadata: DocumentHosts | undefined;
  readonly signUp: SignUpRule;
  readonly sessionLifetimes: SessionLifetimes;
  readonly push: PublicPush;
  /** Administrators: account ids, and addresses as they are stored. */
  readonly adminAccounts: readonly string[];
  readonly rateLimits: "on" | "off";
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly IpNetwork[];
  /** Scope of `Strict-Transport-Security`: this host only, or its subdomains too. */
  readonly strictTransport: "host" | "subdomains";
  readonly logLevel: LogLevel;
  /** undefined = readable text on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat | undefined;
  /** The address that serves `/metrics`; undefined = none. */
  readonly metricsAddress: MetricsAddress | undefined;
}

/** Secret configuration. The composition root passes each secret only to the module that needs it. */
export interface Secrets {
  /** undefined = created and kept in the data folder. */
  readonly adminApiKey: string | undefined;
  readonly identityProviders: readonly ProviderConfig[];
  readonly smtp: SmtpServer | undefined;
  readonly pushPrivateKey: string | undefined;
}

/** An invalid configuration, one sentence for each fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.name = "ConfigError";
    this.faults = faults;
  }
}

type Faults = string[];

/** A reader returns undefined after adding a fault. */
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
  TEE_DSTACK_API: { fallback: "v0", read: oneOf("TEE_DSTACK_API", ["v0", "v1"]) },
  TEE_DSTACK_KMS_ROOT: { fallback: "", read: readKmsRoot },
  TEE_DSTACK_APP_ID: { fallback: "", read: readAppId },
  TEE_TSM_PATH: { fallback: "/sys/kernel/config/tsm/report", read: readText },
  TEE_SEALING_KEY_FILE: { fallback: "", read: readOptional },
  TEE_BROKER_URL: { fallback: "", read: readBrokerUrl },
  TEE_BROKER_KEY: { fallback: "", read: readBrokerKey },
  TEE_BROKER_WORKLOAD: { fallback: "holdfast", read: readWorkload },
  SEAL_SOURCES: { fallback: "", read: readSealSources },
  BROKER_ALLOW_LIST: { fallback: "", read: readOptional },
  BROKER_COLLATERAL: { fallback: "", read: readOptional },
  BROKER_PCCS_URL: { fallback: "", read: readPccsUrl },
  IDENTITY_PROVIDERS: { fallback: "", read: readPublicProviders },
  SMTP_URL: { fallback: "", read: readPublicSmtpServer },
  MAIL_FROM: { fallback: "", read: readMailFrom },
  PUSH: { fallback: "", read: readPush },
  PUSH_PUBLIC_KEY: { fallback: "", read: readPushPublicKey },
  PUSH_PRIVATE_KEY: { fallback: "", read: readOptional },
  PUSH_CONTACT: { fallback: "", read: readPushContact },
  SIGN_UP: { fallback: "", read: readSignUp },
  ADMIN_ACCOUNTS: { fallback: "", read: readAdminAccounts },
  NODE_EXTRA_CA_CERTS: { fallback: "", read: readOptional },
  CLEAR_SIGNING_DIR: { fallback: "", read: readOptional },
  SERVICE_NAME: { fallback: PRODUCT_NAME, read: readServiceName },
  SERVICE_LOGO: { fallback: "", read: readOptional },
  CLIENTS_FILE: { fallback: "", read: readOptional },
  CLIENT_METADATA: { fallback: "", read: readClientMetadata },
  SESSION_MAX_HOURS: { fallback: "720", read: readSessionHours("SESSION_MAX_HOURS") },
  SESSION_IDLE_HOURS: { fallback: "", read: readIdleHours },
  LOGOUT_HOSTS: { fallback: "public", read: oneOf("LOGOUT_HOSTS", ["public", "private"]) },
  TRUSTED_PROXIES: { fallback: "", read: readTrustedProxies },
  RATE_LIMITS: { fallback: "on", read: oneOf("RATE_LIMITS", ["on", "off"]) },
  HSTS_SUBDOMAINS: { fallback: "off", read: oneOf("HSTS_SUBDOMAINS", ["on", "off"]) },
  LOG_LEVEL: { fallback: "info", read: oneOf("LOG_LEVEL", LOG_LEVELS) },
  LOG_FORMAT: { fallback: "", read: readLogFormat },
  METRICS_ADDRESS: { fallback: "", read: readMetricsAddress },
} as const;

/** Reads the configuration. Throws `ConfigError` with all faults, unknown variables too. Does not access files. */
export function readConfig(environment: Environment): Config {
  const faults: Faults = unknownNames(environment, Object.keys(VARIABLES)).map((name) =>
    `${name} is not known to this version; unset it`
  );
  function read<N extends keyof typeof VARIABLES>(name: N): ReturnType<(typeof VARIABLES)[N]["read"]> {
    const { fallback, read } = VARIABLES[name];
    // An empty variable counts as unset: shell scripts pass optional variables on this way.
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
    teeDstackApi: read("TEE_DSTACK_API"),
    teeDstackKms: readKmsPin(kms, environment, faults),
    teeTsmPath: read("TEE_TSM_PATH"),
    teeSealingKeyFile,
    teeBroker,
    teeBrokerWorkload: keySettings.brokerWorkload,
    sealSources: read("SEAL_SOURCES"),
    brokerAllowList: read("BROKER_ALLOW_LIST"),
    brokerCollateral: read("BROKER_COLLATERAL"),
    brokerPccsUrl: read("BROKER_PCCS_URL"),
    identityProviders: read("IDENTITY_PROVIDERS"),
    smtp: read("SMTP_URL"),
    mailFrom: read("MAIL_FROM"),
    push: { wanted: read("PUSH"), publicKey: read("PUSH_PUBLIC_KEY"), contact: read("PUSH_CONTACT") },
    authoritiesFile: read("NODE_EXTRA_CA_CERTS"),
    clearSigningDir: read("CLEAR_SIGNING_DIR"),
    serviceName: read("SERVICE_NAME"),
    serviceLogo: read("SERVICE_LOGO"),
    clientsFile: read("CLIENTS_FILE"),
    logoutHosts: read("LOGOUT_HOSTS")!,
    clientMetadata: read("CLIENT_METADATA"),
    adminAccounts: read("ADMIN_ACCOUNTS"),
    signUp: read("SIGN_UP") ?? usualSignUp(environment),
    sessionLifetimes: readSessionLifetimes(read("SESSION_MAX_HOURS"), read("SESSION_IDLE_HOURS"), faults),
    rateLimits: read("RATE_LIMITS"),
    trustedProxies: read("TRUSTED_PROXIES"),
    strictTransport: read("HSTS_SUBDOMAINS") === "on" ? "subdomains" : "host",
    logLevel: read("LOG_LEVEL"),
    logFormat: read("LOG_FORMAT"),
    metricsAddress: read("METRICS_ADDRESS"),
  };
  checkRelyingParty(config, faults);
  checkMail(environment, faults);
  checkPush(environment, config, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config as Config;
}

/** Reads the secrets. Throws `ConfigError` for an API key that is too short or cannot be sent in a header. */
export function readSecrets(environment: Environment): Secrets {
  const adminApiKey = environment.ADMIN_API_KEY || undefined;
  if (adminApiKey !== undefined && !/^[!-~]{32,}$/.test(adminApiKey)) {
    throw new ConfigError(["ADMIN_API_KEY must be at least 32 characters of printable ASCII without spaces"]);
  }
  const faults: Faults = [];
  const identityProviders = readProviders(environment.IDENTITY_PROVIDERS || "", faults);
  const smtp = readSmtpServer(environment.SMTP_URL || "", faults);
  const pushPrivateKey = readPushPrivateKey(environment.PUSH_PRIVATE_KEY || "", faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { adminApiKey, identityProviders, smtp, pushPrivateKey };
}

/** Reads the configuration of a service and checks the rules of production. Throws `ConfigError` with all faults. */
export function readServingConfig(environment: Environment): { config: Config; secrets: Secrets } {
  // A set, because both readers report some variables.
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

function collecting<T>(read: () => T, faults: Set<string>): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) faults.add(fault);
    return undefined;
  }
}
