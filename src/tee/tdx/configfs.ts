import { join } from "node:path";
import process from "node:process";
import type { RandomBytes } from "../../lib/id.ts";
import type { TsmFiles } from "./configfs-files.ts";
import { OwnQuoteError, readOwnQuote } from "../trim-quote.ts";
import { QuoteFormatError } from "../quote/parse.ts";

export type TsmFault =
  /** No interface: no kernel module, not a trust domain, or configfs is not mounted. */
  | "no_tsm"
  | "not_permitted"
  /** The interface belongs to other hardware than TDX. */
  | "wrong_provider"
  /** The host still processes an earlier request. */
  | "busy"
  /** Another process wrote to the entry. */
  | "interfered"
  /** Any other fault, above all a host without a working quoting service. */
  | "failed";

export class TsmError extends Error {
  readonly code: TsmFault;

  constructor(code: TsmFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TsmError";
    this.code = code;
  }
}

export interface Tsm {
  /** `/sys/kernel/config/tsm/report`, or another mount point. */
  readonly reportPath: string;
  readonly files: TsmFiles;
  readonly random: RandomBytes;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const PROVIDER = "tdx_guest";

/** Milliseconds. */
const LOOK_INTERVAL = 20;
/** Emulations create the attributes after the entry; the kernel creates them with it. */
const LOOKS_FOR_ATTRIBUTE = 50;
const LOOKS_FOR_GENERATION = 250;
const ENTRIES = 3;

/** Permanent errors of creating and opening an entry. */
const FATAL: Readonly<Record<string, readonly [code: TsmFault, reason: string]>> = {
  ENOENT: ["no_tsm", "there is no such folder; TDX needs Linux 6.7 or later with configfs mounted"],
  ENOTDIR: ["no_tsm", "it is not a folder"],
  ENXIO: ["no_tsm", "no provider: the tdx_guest module is not loaded, or this is no trust domain"],
  EACCES: ["not_permitted", "not permitted; run as root, or mount it so that the service may write"],
  EPERM: ["not_permitted", "not permitted; run as root, or mount it so that the service may write"],
  EROFS: ["not_permitted", "mounted read-only; mount it so that the service may write"],
};

/** Retries of reading a quote, and the first pause in milliseconds, which doubles each time. */
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

/** Returns true for Deno's permission error, which has no code. */
function isRefusedByRuntime(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

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

/** Reads the provider. The kernel fills a new entry at once, so an empty one belongs to a plain folder. */
async function readProvider(tsm: Tsm, entry: string): Promise<string> {
  try {
    return await readText(tsm, join(entry, "provider"));
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw new TsmError("no_tsm", "the kernel does not serve it: a new entry stays empty", { cause });
  }
}

async function readGeneration(tsm: Tsm, entry: string): Promise<bigint> {
  return BigInt(await readText(tsm, join(entry, "generation")));
}

/** Waits until the generation shows that a write took effect: the kernel does not report a failed commit. */
async function awaitGeneration(tsm: Tsm, entry: string, before: bigint): Promise<void> {
  for (let look = 1; look <= LOOKS_FOR_GENERATION; look++) {
    const now = await readGeneration(tsm, entry);
    if (now === before + 1n) return;
    if (now !== before) throw new TsmError("interfered", "another process wrote to our entry");
    await tsm.wait(LOOK_INTERVAL);
  }
  throw new TsmError("failed", "the report data were not taken");
}

/** Reads the quote, which the first read creates. Retries temporary failures. */
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
        throw new TsmError("busy", "the host is still busy with an earlier request", { cause });
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
    throw new TsmError("interfered", "another process wrote to our entry");
  }
  // Older kernels return no bytes when the host's quoting service fails.
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

/** Returns true for a temporary fault: the entry's name is taken, or another process wrote to it. */
function isCollision(error: unknown): boolean {
  return (error instanceof TsmError && error.code === "interfered") || codeOf(error) === "EEXIST";
}

/**
 * Returns a quote over 64 bytes of report data by configfs-tsm (Linux ABI `configfs-tsm-report`). Always removes its
 * entry. Throws if the quote is over other bytes or under debug: `TsmError`, or the errors of `readOwnQuote`. The
 * caller must not run two at a time. Cannot be cancelled, and lasts as long as the kernel waits for the host.
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
