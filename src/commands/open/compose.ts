import { bindFreeAddresses } from "../../accounts/administrator-address.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { createHoldfast } from "../../app.ts";
import { createLogReceiptService } from "../../audit/log-receipt.ts";
import type { Config } from "../../config/config.ts";
import { createClientDocuments } from "../../oauth/client/client-documents.ts";
import { clientMetadataAt, isDevelopment, logoutHostsAt } from "../../config/mode.ts";
import { createGroupCommit } from "../../db/group-commit.ts";
import { sweepExpired } from "../../db/sweep.ts";
import { finishDeletions } from "../../accounts/delete-due-accounts.ts";
import { reportRefusals } from "../../keys/signing-refusals.ts";
import { applyDuePolicyChanges } from "../../keys/change-policy.ts";
import type { App } from "../../http/boundary.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import type { DeliveryWorker } from "../../lib/delivery-worker.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Metrics } from "../../lib/metrics.ts";
import type { Clock } from "../../lib/time.ts";
import { sweepOwned } from "../../store/state/sweep-owned.ts";
import { countRateLimited } from "../../limits/count-rate-limited.ts";
import { createRateLimiter, UNLIMITED } from "../../limits/rate-limit.ts";
import { createIdentityProviders } from "../../identity/providers.ts";
import type { AllowedHosts, Outgoing } from "../../lib/outgoing.ts";
import type { ProviderConfig } from "../../identity/provider.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { startLogoutDelivery } from "../../oauth/deliver-logout-tokens.ts";
import { maintainSigningKeys } from "../../oauth/token/signing-key.ts";
import { startPush } from "../../push/deliver.ts";
import type { PushKeys } from "../../push/keys.ts";
import { startWebhooks } from "../../webhooks/deliver.ts";
import { processDueRecoveries } from "../../recovery/process-due.ts";
import { importVerifier } from "../../runtime/crypto.ts";
import type { ClearSigning } from "../files/clear-signing.ts";
import { runThrottled } from "../process/throttled.ts";
import { createAuditingRowAuthority } from "./auditing-row-authority.ts";
import { watchLog } from "./log-watch.ts";
import type { MaintenanceJobs } from "../process/running.ts";
import { PRODUCT_NAME } from "../../lib/product.ts";
import type { Logo } from "../../ui/brand.ts";
import type { OpenedVault } from "./vault.ts";

/** Dependencies outside of the service, replaced in tests. */
export interface ExternalDependencies {
  readonly now: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly stopwatch: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly adminApiKey: string;
  readonly identityProviders: readonly ProviderConfig[];
  readonly outgoing: Outgoing;
  readonly mailer: Mailer;
  /** undefined = no push messages. */
  readonly pushKeys: PushKeys | undefined;
  readonly clearSigning: ClearSigning;
  /** undefined = the product's icon. */
  readonly logo: Logo | undefined;
  readonly unreadyReasons: () => Promise<readonly string[]>;
}

/** Covers every public setting that affects the service's behaviour. */
function hashConfiguration(
  config: Config,
  baseUrl: string,
  provider: string,
  { clearSigning, logo }: { readonly clearSigning: string | undefined; readonly logo: Logo | undefined },
): string {
  const { rateLimits, signUp, identityProviders, smtp, mailFrom, authoritiesFile, teeBroker, teeDstackKms } =
    config;
  // Undefined for the default, so that the hash is that of versions without the setting.
  const logoutHosts = config.logoutHosts === "public" ? undefined : config.logoutHosts;
  const relatedOrigins = config.relatedOrigins.length === 0 ? undefined : config.relatedOrigins;
  const serviceName = config.serviceName === PRODUCT_NAME ? undefined : config.serviceName;
  // Excludes the broker's URL: only its key matters.
  const broker = teeBroker && { key: toBase64url(teeBroker.publicKey), workload: teeBroker.workload };
  const kms = teeDstackKms && { root: teeDstackKms.root.toHex(), appId: teeDstackKms.appId?.toHex() };
  const common = {
    baseUrl,
    provider,
    rateLimits,
    signUp,
    identityProviders,
    smtp,
    mailFrom,
    authoritiesFile,
  };
  const { rpId, clientMetadata, push: { publicKey: pushKey } } = config;
  return toBase64url(
    sha256(
      utf8(
        JSON.stringify({
          ...common,
          broker,
          kms,
          clearSigning,
          rpId,
          relatedOrigins,
          logoutHosts,
          clientMetadata,
          serviceName,
          logo: logo?.path,
          pushKey,
        }),
      ),
    ),
  );
}

export interface Composition {
  readonly app: App;
  /** Deletes expired rows, processes due ones, and rotates the token-signing keys. */
  readonly maintenanceJobs: MaintenanceJobs;
  readonly startLogoutDelivery: () => DeliveryWorker;
  readonly startWebhooks: () => DeliveryWorker;
  /** undefined without keys. */
  readonly startPush: (() => DeliveryWorker) | undefined;
}

export function compose(
  config: Config,
  baseUrl: string,
  { db, tee, vault }: Pick<OpenedVault, "db" | "tee" | "vault">,
  {
    now,
    stopwatch,
    random,
    log,
    metrics,
    adminApiKey,
    identityProviders,
    outgoing,
    mailer,
    pushKeys,
    clearSigning,
    logo,
    unreadyReasons,
  }: ExternalDependencies,
): Composition {
  const groupCommit = createGroupCommit(db, metrics);
  const authority = createAuditingRowAuthority({ vault, groupCommit, now, log });
  const { rpId = new URL(baseUrl).hostname, relatedOrigins } = config;
  const logoutHosts = logoutHostsAt(baseUrl, config);
  const webhookHosts: AllowedHosts = isDevelopment(baseUrl) ? "any" : "public";
  const webhooks: { worker?: DeliveryWorker } = {};
  const relyingParty = { id: rpId, name: config.serviceName, origin: baseUrl, importVerifier };
  const logReasons = watchLog(db, { vault, now, log });
  const limits = countRateLimited(
    metrics,
    config.rateLimits === "on" ? createRateLimiter(vault) : UNLIMITED,
  );
  const app = createHoldfast({
    db,
    groupCommit,
    vault,
    authority,
    logReceipt: createLogReceiptService(db, vault),
    tee,
    directory: clearSigning.directory,
    random,
    baseUrl,
    identityProviders: createIdentityProviders(identityProviders),
    outgoing,
    logoutHosts,
    clientDocuments: createClientDocuments(outgoing, clientMetadataAt(baseUrl, config)),
    webhookHosts,
    pushKey: pushKeys?.publicKey,
    webhookDelivery: { wake: () => webhooks.worker?.wake() },
    importVerifier,
    metrics,
    limits,
    mailer,
    mailDelivery: config.smtp !== undefined ? "sent" : isDevelopment(baseUrl) ? "outbox" : "none",
    signUp: config.signUp,
    sessionLifetimes: config.sessionLifetimes,
    relyingParty,
    brand: { name: config.serviceName, logo },
    relatedOrigins,
    configurationHash: hashConfiguration(config, baseUrl, tee.provider, {
      clearSigning: clearSigning.digest,
      logo,
    }),
    issuer: baseUrl,
    adminAccounts: config.adminAccounts,
    adminKeyHash: sha256(utf8(adminApiKey)),
    unreadyReasons: async () => [...await unreadyReasons(), ...logReasons()],
  }, { now, log, trustedProxies: config.trustedProxies, strictTransport: config.strictTransport });
  const operationContext = () => ({ relyingParty, now: now(), random });
  const mailing = { vault, authority, mailer };
  const maintenanceJobs: MaintenanceJobs = {
    sweep: async () => {
      await sweepExpired(db, now(), runThrottled);
      await sweepOwned(db, authority, now(), runThrottled);
    },
    policies: async () => void await applyDuePolicyChanges(db, mailing, operationContext(), runThrottled),
    refusals: () => reportRefusals(db, { ...mailing, limits }, operationContext(), runThrottled),
    recoveries: async () =>
      void await processDueRecoveries(db, mailing, { ...operationContext(), stopwatch }, runThrottled),
    deletions: async () => void await finishDeletions(db, mailing, operationContext(), runThrottled),
    administrators: () =>
      bindFreeAddresses(db, authority, { adminAccounts: config.adminAccounts, now: now() }),
    signing_keys: () => maintainSigningKeys(db, { vault, authority, groupCommit }, now()),
  };
  const signing = { vault, authority, groupCommit, issuer: baseUrl };
  const services = { ...signing, logoutHosts, outgoing, random, now, log, metrics };
  const webhookServices = { ...signing, webhookHosts, outgoing, random, now, log, metrics };
  return {
    app,
    maintenanceJobs,
    startLogoutDelivery: () => startLogoutDelivery(db, services),
    startPush: pushKeys && (() => startPush(db, { ...webhookServices, pushKeys, pushHosts: webhookHosts })),
    startWebhooks: () => webhooks.worker = startWebhooks(db, webhookServices),
  };
}
