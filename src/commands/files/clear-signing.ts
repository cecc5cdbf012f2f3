import { sha256 } from "@noble/hashes/sha2.js";
import { readdirSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { builtInDescriptors } from "../../clear-signing/descriptor/built-in.ts";
import { readDescriptorFiles } from "../../clear-signing/descriptor/files.ts";
import { createDirectory } from "../../clear-signing/directory.ts";
import type { Directory } from "../../clear-signing/directory.ts";
import { readTokenFile, TokenFileError } from "../../clear-signing/registry/token-file.ts";
import type { Token } from "../../clear-signing/registry/tokens.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { PlainFileError, readPlainFile } from "../../runtime/plain-file.ts";

/** What signatures are explained by. */
export interface ClearSigning {
  readonly directory: Directory;
  /** Base64url SHA-256 of the files; undefined where no folder is configured. */
  readonly digest: string | undefined;
  /** A sentence for each format of a file that was left out. */
  readonly leftOut: readonly string[];
}

const TOKENS = "tokens.json";

/** More than any list of tokens has. */
const MOST_BYTES = 32 * 1024 * 1024;

/** What the registry of ERC-7730 calls its files: other JSON is read only where one of these includes it. */
const DESCRIPTOR = /^(?:calldata|eip712)-.*\.json$/;

/** Folders of the registry that hold something else: tests of descriptors, and signatures under them. */
const ASIDE = /(?:^|\/)(?:tests|testsv2|sigs)\//;

/** The lists that are built in alone. They are read at the first look at them: a start waits for none. */
export function builtInClearSigning(): ClearSigning {
  let read: Directory | undefined;
  const builtIn = (): Directory => read ??= createDirectory([], builtInDescriptors());
  const directory = {
    get tokens() {
      return builtIn().tokens;
    },
    get contracts() {
      return builtIn().contracts;
    },
    get descriptors() {
      return builtIn().descriptors;
    },
  };
  return { directory, digest: undefined, leftOut: [] };
}

/**
 * Reads a folder of descriptors (ERC-7730) and tokens (`tokens.json`) beside what is built in; folders in it too. Throws
 * `ConfigError` with a sentence for each file that is not what its name says.
 */
export function readClearSigning(folder: string | undefined): ClearSigning {
  if (folder === undefined) return builtInClearSigning();
  const faults: string[] = [];
  const texts = readTexts(folder, faults);
  const files = new Map([...texts].map(([path, text]) => [path, parseFile(path, text, faults)] as const));
  if (faults.length > 0) refuse(faults);
  const descriptors = readDescriptorFiles(files, (path) => DESCRIPTOR.test(basename(path)));
  const tokens = files.has(TOKENS) ? readTokens(files.get(TOKENS), faults) : [];
  faults.push(...descriptors.faults);
  if (faults.length > 0) refuse(faults);
  return {
    directory: createDirectory(tokens, [...descriptors.descriptors, ...builtInDescriptors()]),
    digest: toBase64url(sha256(utf8(JSON.stringify([...texts])))),
    leftOut: descriptors.leftOut,
  };
}

function refuse(faults: readonly string[]): never {
  throw new ConfigError(faults.map((fault) => `CLEAR_SIGNING_DIR: ${fault}`));
}

/** All JSON files by their paths in the folder, in the order of these. */
function readTexts(folder: string, faults: string[]): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".json")
  );
  const names = paths.map((path) => path.split(sep).join("/")).filter((path) => !ASIDE.test(path)).sort();
  return new Map(names.map((path) => [path, readText(join(folder, path), path, faults)]));
}

function readText(file: string, path: string, faults: string[]): string {
  try {
    return readPlainFile(file, MOST_BYTES).text;
  } catch (error) {
    if (!(error instanceof PlainFileError)) throw error;
    faults.push(`${path} cannot be used: ${error.message}`);
    return "null";
  }
}

function parseFile(path: string, text: string, faults: string[]): unknown {
  try {
    // Whoever runs the service wrote it: the limits of what strangers send do not fit whole lists of tokens.
    return JSON.parse(text);
  } catch {
    faults.push(`${path} is not JSON`);
    return undefined;
  }
}

function readTokens(json: unknown, faults: string[]): readonly Token[] {
  try {
    return readTokenFile(json);
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    faults.push(`${TOKENS}: ${error.message}`);
    return [];
  }
}
