import { formatAcceptedBreak } from "../audit/accepted-break.ts";
import { findUnacknowledgedFault } from "../audit/rollback.ts";
import type { Examination, Soundness } from "../audit/examine-database.ts";
import { formatLogFault } from "../audit/log-head.ts";
import { MEASUREMENTS, type Measurements } from "../broker/allow-list.ts";
import type { Config } from "../config/config.ts";
import { closeDatabase, connectDatabase } from "../db/database.ts";
import type { SchemaState } from "../db/migrate.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { countStuckMails } from "../mail/delivery.ts";
import { primitives } from "../runtime/crypto.ts";
import { chooseServer, type ServerName } from "../runtime/serve.ts";
import { isUnderDebug, parseQuote } from "../tee/quote/parse.ts";
import type { OwnKeyProvider, Tee, TeeProvider } from "../tee/tee.ts";
import { sealKeyIdOf } from "../vault/sealing-key.ts";
import type { Vault } from "../vault/vault.ts";
import { type ClearSigningFacts, readClearSigning } from "./files/clear-signing.ts";
import { isPushOn } from "./files/push-keys.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { openEngineToRead } from "./open/database.ts";
import { type DiagnosedSlot, diagnoseSlots } from "./diagnose-slots.ts";
import { openTee, type PlacedKeySource } from "./open/tee.ts";
import { type OpeningKey, openingKeyOf } from "./open/vault.ts";
import { examineDatabase } from "./open/examine-database.ts";
import { refusalsOf } from "./process/refusal.ts";
import { isBehindProxy } from "./process/running.ts";

/** Unverified. */
export interface QuoteFacts {
  readonly version: number;
  readonly isUnderDebug: boolean;
  /** 8 bytes in the quote's order, hex. */
  readonly tdAttributes: string;
  /** Names of the attributes that are set. */
  readonly attributes: readonly string[];
  /** The measurements in hex, in the form of a broker's allow-list. */
  readonly measurements: Readonly<Record<keyof Measurements, string>>;
}

export interface AuditFacts {
  readonly entries: number;
  /** The last sound entry, in the form of `verify-audit --head`. */
  readonly head: string;
  readonly fault: string | null;
  /** Acknowledged faults, each a sentence. */
  readonly acceptedBreaks: readonly string[];
}

/** The state of an installation. A null value could not be determined; a fault says why. */
export interface Diagnosis {
  readonly provider: TeeProvider | null;
  readonly inTee: boolean | null;
  readonly quote: QuoteFacts | null;
  readonly keySource: PlacedKeySource | null;
  readonly keyProvider: OwnKeyProvider | null;
  readonly sealKeyId: string | null;
  readonly databasePath: string;
  readonly databaseSealKeyId: string | null;
  readonly sealMatches: boolean | null;
  /** Every slot, oldest first. The holder of the key of any can open the seed. */
  readonly slots: readonly DiagnosedSlot[] | null;
  readonly schema: SchemaState | null;
  readonly audit: AuditFacts | null;
  /** Descriptors of the configured folder. */
  readonly clearSigning: ClearSigningFacts | null;
  /** Null also if the keys do not belong together. */
  readonly push: "on" | "off" | null;
  /** The server that `serve` uses on this runtime. */
  readonly server: { readonly name: ServerName; readonly reason: string };
  /** Faults to be fixed before the service starts, or as soon as possible. */
  readonly faults: readonly string[];
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly onProgress?: Examination["onProgress"];
  /** `PUSH_PRIVATE_KEY` */
  readonly pushPrivateKey?: string | undefined;
}

/** Bits of a trust domain's ATTRIBUTES (Intel TDX Module Base Architecture Specification, TD attributes). */
const ATTRIBUTES: Readonly<Record<number, string>> = {
  0: "DEBUG",
  28: "SEPT_VE_DISABLE",
  29: "MIGRATABLE",
  30: "PKS",
  31: "KL",
  63: "PERFMON",
};

/** Adds a failure's reason to `faults` and returns null. */
async function collectFaults<T>(faults: string[], job: () => Promise<T>): Promise<T | null> {
  try {
    return await job();
  } catch (error) {
    faults.push(...(refusalsOf(error) ?? [error instanceof Error ? error.message : String(error)]));
    return null;
  }
}

async function readQuote(tee: Tee, random: RandomBytes, faults: string[]): Promise<QuoteFacts> {
  const reportData = random(64);
  const { report, version } = parseQuote((await tee.quote(reportData)).quote);
  if (!constantTimeEqual(report.reportData, reportData)) faults.push("The quote is for other report data");
  if (isUnderDebug(report)) faults.push("The trust domain runs under debug: its memory can be read");
  const bits = new DataView(report.tdAttributes.slice().buffer).getBigUint64(0, true);
  const names = Object.entries(ATTRIBUTES).filter(([bit]) => (bits >> BigInt(bit)) % 2n === 1n);
  return {
    version,
    isUnderDebug: isUnderDebug(report),
    tdAttributes: report.tdAttributes.toHex(),
    attributes: names.map(([, name]) => name),
    measurements: Object.fromEntries(
      MEASUREMENTS.map((name) => [name, report[name].toHex()]),
    ) as QuoteFacts["measurements"],
  };
}

function auditFacts({ chain, faults }: Soundness): AuditFacts | null {
  if (chain === undefined) return null;
  const broken = faults.find(({ part }) => part === "chain");
  const head = `${chain.entries}:${chain.head.toHex()}`;
  const acceptedBreaks = chain.acceptedBreaks.map(formatAcceptedBreak);
  return { entries: chain.entries, head, fault: broken?.text ?? null, acceptedBreaks };
}

function clearSigningFacts({ clearSigningDir }: Partial<Pick<Config, "clearSigningDir">>): ClearSigningFacts {
  const { files, formats, leftOut } = readClearSigning(clearSigningDir);
  return { files, formats, leftOut };
}

async function pushFacts(
  { push, baseUrl }: Partial<Pick<Config, "push" | "baseUrl">>,
  { pushPrivateKey }: CommandContext,
): Promise<Diagnosis["push"]> {
  if (push === undefined) return null;
  return await isPushOn({ push, baseUrl }, { pushPrivateKey }) ? "on" : "off";
}

/** Why each server is used. */
const SERVER_REASONS = {
  "Bun.serve": "the one of Bun",
  "Deno.serve": "only trusted proxies on this machine connect",
  "node:http": "it ends slow clients itself, and shares its port",
} as const satisfies Record<ServerName, string>;

function serverFacts(
  config: Partial<Pick<Config, "host" | "trustedProxies" | "processes">>,
): Diagnosis["server"] {
  const { host = "", trustedProxies = [], processes = 1 } = config;
  const name = chooseServer({
    isBehindProxy: isBehindProxy({ host, trustedProxies }),
    isPortShared: processes > 1,
  });
  return { name, reason: SERVER_REASONS[name] };
}

function schemaFacts({ schema }: Soundness): SchemaState | null {
  return schema === undefined
    ? null
    : { applied: schema.applied, pending: schema.pending, unknown: schema.unknown };
}

/**
 * Checks everything that a start depends on. Changes nothing and may run beside a service. Checks rows and audit log
 * only if the sealing key opens the vault and the schema is this version's. Does not verify the quote's signature.
 */
export async function diagnose(
  config:
    & StorageConfig
    & Partial<Pick<Config, "clearSigningDir" | "push" | "baseUrl" | "host" | "trustedProxies" | "processes">>,
  context: CommandContext,
): Promise<Diagnosis> {
  const faults: string[] = [];
  const opened = await collectFaults(
    faults,
    () => openTee(config, { absentKey: "refuse", random: context.random }),
  );
  const sealKeyId = opened && await collectFaults(faults, () => sealKeyIdOf(opened.tee, primitives));
  const quote = opened && opened.tee.provider !== "none"
    ? await collectFaults(faults, () => readQuote(opened.tee, context.random, faults))
    : null;
  const databaseKeyIds = await collectFaults(faults, () => getSealKeyIds(config));
  const key = opened && await openingKeyOf(config, opened, context.random);
  const slots = databaseKeyIds && key &&
    await collectFaults(faults, () => diagnoseSlots(config, key, faults));
  const sealMatches = sealKeyId && databaseKeyIds && databaseKeyIds.includes(sealKeyId);
  const opens = slots?.some((slot) => slot.opens === true) === true;
  if (sealMatches === false && !opens) {
    faults.push("The current sealing key is not the one that sealed the database: restore the right key");
  }
  const found = databaseKeyIds === null
    ? null
    : await collectFaults(faults, () =>
      diagnoseDatabase(config, sealMatches === true || opens ? key : null, context, faults));
  return {
    provider: opened?.tee.provider ?? null,
    inTee: opened?.tee.inTee ?? null,
    quote,
    keySource: opened?.keySource ?? null,
    keyProvider: opened?.tee.keyProvider ?? null,
    sealKeyId,
    databasePath: config.databasePath,
    databaseSealKeyId: (sealMatches === true ? sealKeyId : databaseKeyIds?.[0]) ?? null,
    slots,
    sealMatches: sealMatches === true || sealMatches === false ? sealMatches : null,
    schema: found?.schema ?? null,
    audit: found?.audit ?? null,
    clearSigning: await collectFaults(faults, async () => await clearSigningFacts(config)),
    push: await collectFaults(faults, () => pushFacts(config, context)),
    server: serverFacts(config),
    faults,
  };
}

async function diagnoseDatabase(
  storage: StorageConfig,
  key: OpeningKey | null,
  { now, onProgress }: CommandContext,
  faults: string[],
): Promise<Pick<Diagnosis, "schema" | "audit">> {
  const found = await examineDatabase(storage, {
    parts: ["pages", "rows", "chain"],
    key: key ?? undefined,
    onProgress,
  });
  faults.push(...found.faults.map(({ text }) => text));
  const isReadable = found.faults.every(({ part }) => part !== "pages") && found.schema?.pending.length === 0;
  if (found.vault !== undefined && isReadable) {
    faults.push(...await readNotes(storage, found.vault, now));
  }
  return { schema: schemaFacts(found), audit: auditFacts(found) };
}

async function readNotes(storage: StorageConfig, vault: Vault, now: Instant): Promise<readonly string[]> {
  const db = connectDatabase(await openEngineToRead(storage));
  try {
    const openFault = await findUnacknowledgedFault(db, vault);
    const stuckMails = await countStuckMails(db, now);
    return [
      ...(openFault === undefined
        ? []
        : [`the service has stopped: in its audit log ${formatLogFault(openFault)}`]),
      ...(stuckMails === 0
        ? []
        : [`The mail server has not taken ${stuckMails} mails: see mail_deferred in the service's log`]),
    ];
  } finally {
    await closeDatabase(db);
  }
}
