import { join } from "node:path";
import process from "node:process";
import type { RandomBytes } from "../../lib/id.ts";
import type { TsmFiles } from "./configfs-files.ts";
import { OwnQuoteError, readOwnQuote } from "../trim-quote.ts";
import { QuoteFormatError } from "../quote/parse.ts";

/** Why configfs gave no quote. */
export type TsmFault =
  /** No such interface: no kernel module, not a trust domain, or configfs is not mounted here. */
  | "no_tsm"
  | "not_permitted"
  /** The interface belongs to other hardware than TDX. */
  | "wrong_provider"
  /** The host still holds an earlier request. */
  | "busy"
  /** Another writer used our entry. */
  | "interfered"
  /** Anything else, above all a host whose quoting service does not work. */
  | "failed";

/** configfs gave no quote. */
export class TsmError extends Error {
  readonly code: TsmFault;

  constructor(code: TsmFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TsmError";
    this.code = code;
  }
}

/** The kernel's report interface. */
export interface Tsm {
  /** `/sys/kernel/config/tsm/report`, or where it is mounted. */
  readonly reportPath: string;
  readonly files: TsmFiles;
  readonly random: RandomBytes;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const PROVIDER = "tdx_guest";

/** Between two looks at an attribute that is not there yet. */
const LOOK_INTERVAL = 20;
/** Emulations make the attributes after the entry; the kernel has them at once. */
const LOOKS_FOR_ATTRIBUTE = 50;
const LOOKS_FOR_GENERATION = 250;
/** Entries tried when somebody else uses ours. */
const ENTRIES = 3;

/** Errors of making and opening an entry that waiting does not mend. */
const FATAL: Readonly<Record<string, readonly [code: TsmFault, reason: string]>> = {
  ENOENT: ["no_tsm", "there is no such folder; it needs Linux 6.7 or later with configfs mounted"],
  ENOTDIR: ["no_tsm", "it is no folder"],
  ENXIO: ["no_tsm", "no provider: the tdx_guest module is not loaded, or this is no trust domain"],
  EACCES: ["not_permitted", "not permitted; run as root, or mount it so that the service may write"],
  EPERM: ["not_permitted", "not permitted; run as root, or mount it so that the service may write"],
  EROFS: ["not_permitted", "mounted read-only; mount it so that the service may write"],
};

/** How often reading a quote is tried again, and how long is waited before the first time: then twice as long each. */
const RETRIES: Readonly<Record<string, readonly [times: number, wait: number]>> = {
  EBUSY: [5, 250],
  EIO: [2, 250],
  EINTR: [10, 0],
  ETIMEDOUT: [1, 0],
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A runtime that was not given all rights refuses with an error of its own, which has no code. */
function isRefusedByRuntime(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/** Errors about the quote stay what they are. */
function toTsmError(cause: unknown): unknown {
  const isKnown = [TsmError, OwnQuoteError, QuoteFormatError].some((kind) => cause instanceof kind);
  if (isKnown) return cause;
  if (isRefusedByRuntime(cause)) return new TsmError("not_permitted", messageOf(cause), { cause });
  return new TsmError("failed", messageOf(cause), { cause });
}

async function makeEntry({ reportPath, files, random }: Tsm): Promise<string> {
  const entry = join(reportPath, `holdfast-${process.pid}-${random(8).toHex()}`);
  try {
    await files.makeEntry(entry);
  } catch (cause) {
    const [code, reason] = FATAL[codeOf(cause)] ?? [];
    if (code === undefined) throw cause;
    throw new TsmError(code, reason!, { cause });
  }
  return entry;
}

/** An attribute's text once it has one. */
async function readText({ files, wait }: Tsm, path: string): Promise<string> {
  for (let look = 1;; look++) {
    try {
      const text = new TextDecoder().decode(await files.read(path)).trim();
      if (text !== "" || look === LOOKS_FOR_ATTRIBUTE) return text;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || look === LOOKS_FOR_ATTRIBUTE) throw error;
    }
    await wait(LOOK_INTERVAL);
  }
}

/** The kernel fills an entry as it makes it: one that stays empty is a plain folder's. */
async function readProvider(tsm: Tsm, entry: string): Promise<string> {
  try {
    return await readText(tsm, join(entry, "provider"));
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw new TsmError("no_tsm", "no kernel stands behind it: a new entry stays empty", { cause });
  }
}

async function readGeneration(tsm: Tsm, entry: string): Promise<bigint> {
  return BigInt(await readText(tsm, join(entry, "generation")));
}

/** The one proof that a write took effect: the kernel swallows the error of a commit. */
async function awaitGeneration(tsm: Tsm, entry: string, before: bigint): Promise<void> {
  for (let look = 1; look <= LOOKS_FOR_GENERATION; look++) {
    const now = await readGeneration(tsm, entry);
    if (now === before + 1n) return;
    if (now !== before) throw new TsmError("interfered", "somebody else wrote to our entry");
    await tsm.wait(LOOK_INTERVAL);
  }
  throw new TsmError("failed", "the report data were not taken");
}

/** The quote, made by the first read of it. A read that fails with what may pass is tried again. */
async function readQuote({ files, wait }: Tsm, entry: string): Promise<Uint8Array> {
  const tried: Record<string, number> = {};
  for (;;) {
    try {
      return await files.read(join(entry, "outblob"));
    } catch (cause) {
      const code = codeOf(cause);
      const [times, first] = RETRIES[code] ?? [0, 0];
      const failures = tried[code] = (tried[code] ?? 0) + 1;
      if (failures > times) {
        if (code !== "EBUSY") throw cause;
        throw new TsmError("busy", "the host still holds an earlier request", { cause });
      }
      await wait(first * 2 ** (failures - 1));
    }
  }
}

async function quoteFromEntry(tsm: Tsm, entry: string, reportData: Uint8Array): Promise<Uint8Array> {
  const provider = await readProvider(tsm, entry);
  if (provider !== PROVIDER) {
    throw new TsmError("wrong_provider", `its provider is not ${PROVIDER}`);
  }
  const before = await readGeneration(tsm, entry);
  await tsm.files.write(join(entry, "inblob"), reportData);
  await awaitGeneration(tsm, entry, before);
  const quote = await readQuote(tsm, entry);
  if (await readGeneration(tsm, entry) !== before + 1n) {
    throw new TsmError("interfered", "somebody else wrote to our entry");
  }
  // Older kernels say so, and nothing more, when the host's quoting service fails.
  if (quote.length === 0) throw new TsmError("failed", "the host gave an empty quote");
  return readOwnQuote(quote, reportData);
}

async function quoteOnce(tsm: Tsm, reportData: Uint8Array): Promise<Uint8Array> {
  const entry = await makeEntry(tsm);
  try {
    return await quoteFromEntry(tsm, entry, reportData);
  } finally {
    await tsm.files.removeEntry(entry).catch(() => undefined);
  }
}

/** Passes by itself: an entry's name that is taken, or an entry that others wrote to. */
function isCollision(error: unknown): boolean {
  return (error instanceof TsmError && error.code === "interfered") || codeOf(error) === "EEXIST";
}

/**
 * A quote over 64 bytes of report data by way of configfs-tsm (Linux ABI `configfs-tsm-report`), from an entry of its
 * own, which is removed whatever happens. Guarantees that the quote is over these bytes and not under debug. Throws
 * `TsmError`, or what `readOwnQuote` throws for a wrong quote. One call at a time: the caller sees to it. A call cannot
 * be ended, and lasts as long as the kernel waits for the host.
 */
export async function getTsmQuote(tsm: Tsm, reportData: Uint8Array): Promise<Uint8Array> {
  for (let attempt = 1;; attempt++) {
    try {
      return await quoteOnce(tsm, reportData);
    } catch (error) {
      if (!isCollision(error) || attempt === ENTRIES) throw toTsmError(error);
    }
  }
}
