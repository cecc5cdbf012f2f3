import { existsSync } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import process from "node:process";
import type { Db } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import { visible } from "../lib/text.ts";
import { type Clock, toIso } from "../lib/time.ts";
import { primitives } from "../runtime/crypto.ts";
import { decryptWith, type FreshIdentity, makeIdentity, RecoveryFault } from "../sealing/age.ts";
import { type Answer, readAnswer, type RequestClaims, writeClaims } from "../sealing/recovery.ts";
import { addSlot } from "../sealing/slots.ts";
import { recoveryReportData } from "../tee/report-data.ts";
import { type Tee, TeeUnavailableError } from "../tee/tee.ts";
import { prepareSlot } from "../vault/add-slot.ts";
import { combineShares, MOST_HOLDERS } from "../vault/recovery-key.ts";
import { listStoredSlots, type StoredSlot } from "../vault/seal-slot.ts";
import { sealKeyIdOf } from "../vault/sealing-key.ts";
import { replaceFile } from "./files/durable-file.ts";
import { readInputFile } from "./files/input-file.ts";
import type { StorageConfig } from "./open/data-folder.ts";
import { type PlacedSource, readNamedSource } from "./open/key-source.ts";
import {
  type ChangeContext,
  changeSlots,
  refuseOlderSet,
  sourceContextOf,
  withDatabaseToRead,
} from "./open/slot-changes.ts";
import { StartRefusal } from "./process/refusal.ts";

export interface RecoveryCeremony {
  /** `drill` does the same and changes nothing. */
  readonly act: RequestClaims["act"];
  /** The file to write, which must not exist. */
  readonly request: string;
  /** The folder that the answers come to. */
  readonly answers: string;
  readonly to: string;
  /** The recovery slot; undefined if there is one. */
  readonly slot: string | undefined;
  /** Milliseconds to wait for answers; undefined = without an end. */
  readonly wait: number | undefined;
}

export interface CeremonyContext extends ChangeContext {
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Waits until the answers are looked for again. */
  readonly pause?: () => Promise<unknown>;
}

/** Milliseconds between two looks into the folder of answers. */
const INTERVAL = 500;
/** Above any answer. */
const MOST_BYTES = 64 * 1024;

/**
 * Recovers the seed by the holders of shares. Writes a request whose quote binds a fresh key, waits for answers, and
 * adds a slot for the key of `to`. The key is in this process's memory only: a new start needs new answers. Throws
 * `StartRefusal` and changes nothing if too few answers come in time, or the shares do not open the slot.
 */
export async function recoverSeed(
  config: StorageConfig,
  ceremony: RecoveryCeremony,
  context: CeremonyContext,
): Promise<void> {
  const { print } = context;
  if (existsSync(ceremony.request)) {
    throw new StartRefusal(`${ceremony.request} already exists: name a new file`);
  }
  const sources = sourceContextOf(config, context.random, "make");
  const { tee } = await sources.openTee();
  const slot = await withDatabaseToRead(config, (db) => findRecoverySlot(db, ceremony.slot), "any");
  const target = await readNamedSource(ceremony.to, sources);
  await mkdir(ceremony.answers, { recursive: true, mode: 0o700 });
  const fresh = await makeIdentity();
  const claims = writeClaims(await claimsOf(slot, target, { ceremony, context, recipient: fresh.recipient }));
  await writeRequest(tee, claims, ceremony, context);
  print(`request  ${ceremony.request}\nslot     ${slot.id}\n`);
  const answers = await collectAnswers(slot, { claims, fresh, ceremony, context });
  const key = await combineShares(answers.map(({ share }) => share));
  try {
    await openWith(config, key.source, target, { ceremony, context });
  } finally {
    key.forget();
  }
}

/** Returns the recovery slot of this id, or the only one. Nothing authenticates it before the shares open it. */
async function findRecoverySlot(db: Db, id: string | undefined): Promise<StoredSlot> {
  const slots = (await listStoredSlots(db)).filter(({ source, threshold }) =>
    source === "recovery" && threshold !== null
  );
  const named = id === undefined ? slots : slots.filter((slot) => slot.id === id);
  const [slot] = named;
  if (slot !== undefined && named.length === 1) {
    const { threshold, shares } = slot;
    if (threshold! >= 2 && shares! >= threshold! && shares! <= MOST_HOLDERS) return slot;
    throw new StartRefusal(`The recovery slot ${slot.id} was edited: it has no valid numbers of shares`);
  }
  const ids = slots.map((slot) => slot.id).join(", ");
  if (slots.length === 0) throw new StartRefusal("The database has no recovery slot");
  throw new StartRefusal(
    id === undefined
      ? `The database has ${slots.length} recovery slots: name one of ${ids} by --slot`
      : `There is no recovery slot ${id}: there is ${ids}`,
  );
}

interface Ceremony {
  readonly ceremony: RecoveryCeremony;
  readonly context: CeremonyContext;
}

async function claimsOf(
  slot: StoredSlot,
  { keys: [to], provider }: PlacedSource,
  { ceremony: { act }, context: { now }, recipient }: Ceremony & { readonly recipient: string },
): Promise<RequestClaims> {
  const { name, id } = await provider();
  return {
    act,
    recipient,
    slot: slot.id,
    keyId: slot.seal_key_id,
    threshold: slot.threshold!,
    shares: slot.shares!,
    to: {
      source: to.source,
      keyId: await sealKeyIdOf(to, primitives),
      keyProvider: { name, id },
    },
    issuedAt: toIso(now),
  };
}

async function writeRequest(
  tee: Tee,
  claims: string,
  { request }: RecoveryCeremony,
  { random }: CeremonyContext,
): Promise<void> {
  try {
    const { quote, eventLog } = await tee.quote(recoveryReportData(utf8(claims)));
    const file = {
      claims,
      quote: quote.toBase64(),
      provider: tee.provider,
      inTee: tee.inTee,
      ...(eventLog === undefined ? {} : { eventLog }),
    };
    await replaceFile(request, JSON.stringify(file, null, 2) + "\n", random(8).toHex());
  } catch (cause) {
    if (!(cause instanceof TeeUnavailableError)) throw cause;
    throw new StartRefusal(`The request needs a quote: ${cause.message}`, { cause });
  }
}

/** Waits until the threshold of holders has answered. Prints each answer, and why one does not count. */
async function collectAnswers(
  slot: StoredSlot,
  { claims, fresh, ceremony, context }: Ceremony & {
    readonly claims: string;
    readonly fresh: FreshIdentity;
  },
): Promise<readonly Answer[]> {
  const { answers: folder, wait } = ceremony;
  const { clock, print, pause = () => sleep(INTERVAL) } = context;
  const [threshold, end] = [slot.threshold!, wait === undefined ? Infinity : clock() + wait];
  const found = new Map<number, Answer>();
  const seen = new Set<string>();
  const refused: string[] = [];
  const tell = (): void => print(`${found.size} of ${threshold} answers\n`);
  tell();
  for (;;) {
    for (const path of await unseenFiles(folder, seen)) {
      try {
        const sentence = "it is not encrypted for this request";
        const bytes = await readInputFile(path, MOST_BYTES);
        const answer = readAnswer(await decryptWith([fresh.identity], bytes, sentence), claims, slot);
        if (found.has(answer.number)) throw new RecoveryFault("its holder has answered already");
        found.set(answer.number, answer);
        tell();
      } catch (error) {
        if (!(error instanceof RecoveryFault)) throw error;
        refused.push(`${path}: ${error.message}`);
        process.stderr.write(`holdfast: ${visible(`${path} does not count: ${error.message}`)}\n`);
      }
      if (found.size >= threshold) return [...found.values()];
    }
    if (clock() >= end) {
      const reasons = refused.length === 0 ? "" : `; ${refused.join("; ")}`;
      throw new StartRefusal(
        `Too few answers came: ${found.size} of ${threshold}; nothing was changed${reasons}`,
      );
    }
    await pause();
  }
}

/** Lists the files of a folder that were not read as they are now. */
async function unseenFiles(folder: string, seen: Set<string>): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const name of (await readdir(folder)).filter((name) => !name.endsWith(".tmp")).toSorted()) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const version = `${path} ${found.mtimeMs} ${found.size}`;
    if (!seen.has(version)) paths.push(path);
    seen.add(version);
  }
  return paths;
}

/** Opens the slot with the combined key, and adds a slot for the target unless this is a drill. */
async function openWith(
  config: StorageConfig,
  recovered: PlacedSource["keys"][0],
  { keys: [to] }: PlacedSource,
  { ceremony: { act }, context }: Ceremony,
): Promise<void> {
  const { print, random } = context;
  const { opened, slot } = await withDatabaseToRead(config, async (db) => {
    const prepared = await prepareSlot(db, { from: [recovered], to, primitives, random });
    await refuseOlderSet(db, config, prepared.opened);
    return prepared;
  }, "any");
  context.onStep?.("verified");
  if (act === "drill") return print("drill: the shares open the seed, nothing was changed\n");
  if (slot === undefined) return print("nothing to do: the key has a slot, which opens\n");
  const whole = { ...slot, threshold: null, shares: null, share_hashes: null };
  let id: string | undefined;
  await changeSlots(config, opened, async (tx, services) => {
    // Without a limit: no slot opens, so that none could be removed first.
    id = await addSlot(tx, services, whole, { ...context, most: Infinity });
  }, context);
  print(`added the slot ${id}: the service can start with this key\n`);
}
