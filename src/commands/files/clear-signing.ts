import { sha256 } from "@noble/hashes/sha2.js";
import { readdirSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { builtInDescriptors } from "../../clear-signing/descriptor/built-in.ts";
import { readDescriptorFiles } from "../../clear-signing/descriptor/files.ts";
import { createDirectory, type Directory } from "../../clear-signing/directory.ts";
import { readTokenFile, TokenFileError } from "../../clear-signing/registry/token-file.ts";
import type { Token } from "../../clear-signing/registry/tokens.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { PlainFileError, readPlainFile } from "../../runtime/plain-file.ts";

export interface ClearSigning {
  readonly directory: Directory;
  /** Base64url SHA-256 of the files; undefined if no folder is configured. */
  readonly digest: string | undefined;
  /** A sentence for each unsupported format of a file. */
  readonly leftOut: readonly string[];
}

const TOKENS = "tokens.json";

/** Above any list of tokens. */
const MOST_BYTES = 32 * 1024 * 1024;

/** File names of descriptors in the ERC-7730 registry. Other JSON is read only if one of these includes it. */
const DESCRIPTOR = /^(?:calldata|eip712)-.*\.json$/;

/** Folders of the registry without descriptors: tests and signatures. */
const ASIDE = /(?:^|\/)(?:tests|testsv2|sigs)\//;

/** Returns the built-in lists. Reads them on first access, so that a start does not wait for them. */
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
 * Reads a folder of ERC-7730 descriptors and tokens (`tokens.json`), with its subfolders, and adds the built-in ones.
 * Throws `ConfigError` with a sentence for each invalid file.
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

/** Reads all JSON files, sorted by their paths in the folder. */
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
    // The operator wrote it: the limits on untrusted input are too small for whole token lists.
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
