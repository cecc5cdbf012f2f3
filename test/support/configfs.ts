import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import type { TsmFiles } from "../../src/tee/tdx/configfs-files.ts";
import { makeSimulatedPki } from "../../src/tee/simulated/simulated-pki.ts";
import { makeSimulatedQuote } from "../../src/tee/simulated/simulated-quote.ts";

// The kernel's configfs-tsm in two forms. In memory, it has the kernel's semantics: a write is committed on close
// without a result, the first read makes the quote, errors have codes. As a plain watched folder, it is for another
// process: it cannot fail a read with EBUSY or notice one.

const PKI = makeSimulatedPki(new Uint8Array(32).fill(3));

/** Makes the quote of a host over 64 bytes of report data. */
export type Quoter = (reportData: Uint8Array) => Uint8Array;

const simulated: Quoter = (reportData) => makeSimulatedQuote(PKI, reportData);

/** The replacements of the quote. Offsets are those of a version 4 quote. */
const QUOTE_FAULTS = {
  empty: () => new Uint8Array(),
  one_byte: (quote: Uint8Array) => quote.slice(0, 1),
  short: (quote: Uint8Array) => quote.slice(0, 1019),
  cut: (quote: Uint8Array) => quote.slice(0, -1),
  padded: (quote: Uint8Array) => concat(quote, new Uint8Array(70)),
  wrong_report_data: (quote: Uint8Array) => quote.with(631, quote[631]! ^ 1),
  debug: (quote: Uint8Array) => quote.with(168, 1),
  no_quote: () => utf8("x".repeat(4000)),
} as const satisfies Record<string, (quote: Uint8Array) => Uint8Array>;

export type QuoteFault = keyof typeof QUOTE_FAULTS;

function makeQuote(
  reportData: Uint8Array,
  fault: QuoteFault | undefined,
  quoter: Quoter = simulated,
): Uint8Array {
  const quote = quoter(reportData);
  return fault === undefined ? quote : QUOTE_FAULTS[fault](quote);
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as the kernel says`), { code });
}

/** The behaviour of the kernel in memory. Tests may change it at any time. */
export interface KernelBehaviour {
  provider: string;
  quoteFault: QuoteFault | undefined;
  makeErrors: string[];
  readErrors: string[];
  writeErrors: string[];
  /** The increments of the generation by the next writes; 1 if empty. */
  steps: bigint[];
  /** The increments of the generation while each of the next quotes is read. */
  stepsWhileReading: bigint[];
  /** The number of times that an attribute is missing after its entry was created. */
  lateness: number;
  /** The text of `generation` instead of its number. */
  generationText: string | undefined;
  /** Delays the next read of a quote until it settles. */
  gate: Promise<void> | undefined;
}

export interface Kernel {
  readonly files: TsmFiles;
  readonly behaviour: KernelBehaviour;
  /** The names of all entries ever created. */
  readonly made: readonly string[];
  /** Returns the names of the present entries. */
  entries(): string[];
}

interface Entry {
  generation: bigint;
  reportData: Uint8Array;
  looks: number;
}

/** Creates a kernel whose interface is at the path `report`. */
export function memoryKernel(report: string, change: Partial<KernelBehaviour> = {}): Kernel {
  const behaviour: KernelBehaviour = {
    provider: "tdx_guest\n",
    quoteFault: undefined,
    makeErrors: [],
    readErrors: [],
    writeErrors: [],
    steps: [],
    stepsWhileReading: [],
    lateness: 0,
    generationText: undefined,
    gate: undefined,
    ...change,
  };
  const entries = new Map<string, Entry>();
  const made: string[] = [];

  function find(path: string): Entry {
    const entry = entries.get(basename(dirname(path)));
    if (entry === undefined || dirname(dirname(path)) !== report) throw failure("ENOENT");
    return entry;
  }

  async function readOutblob(entry: Entry): Promise<Uint8Array> {
    await behaviour.gate;
    const code = behaviour.readErrors.shift();
    if (code !== undefined) throw failure(code);
    if (entry.reportData.length !== 64) throw failure("EINVAL");
    entry.generation += behaviour.stepsWhileReading.shift() ?? 0n;
    return makeQuote(entry.reportData, behaviour.quoteFault);
  }

  async function read(path: string): Promise<Uint8Array> {
    const entry = find(path);
    if (entry.looks++ < behaviour.lateness) throw failure("ENOENT");
    switch (basename(path)) {
      case "provider":
        return utf8(behaviour.provider);
      case "generation":
        return utf8(behaviour.generationText ?? `${entry.generation}\n`);
      case "outblob":
        return await readOutblob(entry);
      default:
        throw failure("ENOENT");
    }
  }

  function write(path: string, bytes: Uint8Array): void {
    const entry = find(path);
    const code = behaviour.writeErrors.shift() ?? (bytes.length > 64 ? "EFBIG" : undefined);
    if (code !== undefined) throw failure(code);
    const step = behaviour.steps.shift() ?? 1n;
    // The commit on close may be refused without an error to the writer.
    if (step > 0n) entry.reportData = bytes.slice();
    entry.generation += step;
  }

  function makeEntry(path: string): void {
    const code = behaviour.makeErrors.shift() ?? (dirname(path) === report ? undefined : "ENOENT");
    if (code !== undefined) throw failure(code);
    made.push(basename(path));
    entries.set(basename(path), { generation: 0n, reportData: new Uint8Array(), looks: 0 });
  }

  return {
    behaviour,
    made,
    entries: () => [...entries.keys()],
    files: {
      makeEntry: async (path) => makeEntry(await Promise.resolve(path)),
      read,
      write: async (path, bytes) => write(await Promise.resolve(path), bytes),
      removeEntry: async (path) => void entries.delete(basename(await Promise.resolve(path))),
    },
  };
}

/** The behaviour of the watched folder. `hang`: reading the quote blocks; `unreadable`: it fails. */
export interface FolderBehaviour {
  readonly provider: string;
  /** Another host than the simulated one. */
  readonly quoter?: Quoter;
  readonly fault: QuoteFault | "hang" | "unreadable" | "generation_jumps" | "generation_stays" | undefined;
}

/** A folder that behaves like configfs-tsm for other processes, as far as a plain folder can. */
export interface WatchedFolder {
  behave(change: Partial<FolderBehaviour>): void;
  /** Stops watching and releases every blocked reader. */
  close(): void;
}

const LOOK_INTERVAL = 3;

/** Replaces a file atomically, as attributes are. */
function place(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** Creates a replacement of `outblob` that is not a file with a quote. */
function placeOutblob(
  path: string,
  reportData: Uint8Array,
  { fault, quoter }: FolderBehaviour,
): void {
  rmSync(path, { force: true });
  if (fault === "hang") return void execFileSync("mkfifo", [path]);
  if (fault === "unreadable") return mkdirSync(path);
  const isOfQuote = fault !== undefined && Object.hasOwn(QUOTE_FAULTS, fault);
  place(path, makeQuote(reportData, isOfQuote ? fault as QuoteFault : undefined, quoter));
}

/** Opens and closes the writing end of every pipe, so that its readers reach the end. */
function release(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // The pipe has no reader, or is no pipe.
  }
}

/**
 * Watches a folder: creates the attributes of each new entry, and a quote for each 64 bytes written to `inblob`. Reads
 * a write only when it is complete. Entries stay, because a plain folder that is not empty cannot be removed.
 */
export function watchFolder(report: string, change: Partial<FolderBehaviour> = {}): WatchedFolder {
  let behaviour: FolderBehaviour = { provider: "tdx_guest\n", fault: undefined, ...change };
  const known = new Map<string, "new" | "quoted">();

  function open(entry: string): void {
    writeFileSync(join(entry, "inblob"), "");
    writeFileSync(join(entry, "outblob"), "");
    place(join(entry, "generation"), "0\n");
    place(join(entry, "provider"), behaviour.provider);
    known.set(entry, "new");
  }

  function commit(entry: string): void {
    const reportData = new Uint8Array(readFileSync(join(entry, "inblob")));
    if (reportData.length !== 64) return;
    placeOutblob(join(entry, "outblob"), reportData, behaviour);
    const generation = { generation_jumps: "2\n", generation_stays: "0\n" }[String(behaviour.fault)] ?? "1\n";
    place(join(entry, "generation"), generation);
    known.set(entry, "quoted");
  }

  function look(): void {
    for (const name of readdirSync(report)) {
      const entry = join(report, name);
      if (!known.has(entry)) open(entry);
      else if (known.get(entry) === "new") commit(entry);
    }
  }

  const timer = setInterval(look, LOOK_INTERVAL);
  return {
    behave: (change) => behaviour = { ...behaviour, ...change },
    close() {
      clearInterval(timer);
      for (const entry of known.keys()) if (existsSync(entry)) release(join(entry, "outblob"));
    },
  };
}
