import { sha256 } from "@noble/hashes/sha2.js";
import { readdirSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { builtInDescriptors, readInterfaces } from "../../clear-signing/descriptor/built-in.ts";
import { type LeftOut, readDescriptorFiles } from "../../clear-signing/descriptor/files.ts";
import { createDirectory, type Directory } from "../../clear-signing/directory.ts";
import { findListedToken } from "../../clear-signing/registry/listed-tokens.ts";
import { readTokenFile, TokenFileError } from "../../clear-signing/registry/token-file.ts";
import type { Token } from "../../clear-signing/registry/tokens.ts";
import { ConfigError } from "../../config/config.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { PlainFileError, readPlainFile } from "../../runtime/plain-file.ts";

/** The content of the folder of `CLEAR_SIGNING_DIR`. Empty without one. */
export interface ClearSigningFacts {
  /** Descriptors in use. */
  readonly files: number;
  /** The functions and types that they describe. */
  readonly formats: number;
  /** Files, and single functions and types of files, that are not used. */
  readonly leftOut: readonly LeftOut[];
}

export interface ClearSigning extends ClearSigningFacts {
  readonly directory: Directory;
  /** Base64url SHA-256 of the files; undefined if no folder is configured. */
  readonly digest: string | undefined;
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
  const builtIn = (): Directory => read ??= createDirectory([], builtInDescriptors(), readInterfaces());
  const directory = {
    findListedToken,
    get tokens() {
      return builtIn().tokens;
    },
    get contracts() {
      return builtIn().contracts;
    },
    get descriptors() {
      return builtIn().descriptors;
    },
    get interfaces() {
      return builtIn().interfaces;
    },
  };
  return { directory, digest: undefined, files: 0, formats: 0, leftOut: [] };
}

/**
 * Reads a folder of ERC-7730 descriptors and tokens (`tokens.json`), with its subfolders, and adds the built-in ones.
 * Leaves out what cannot be used. Throws `ConfigError` only if the folder cannot be listed.
 */
export function readClearSigning(folder: string | undefined): ClearSigning {
  if (folder === undefined) return builtInClearSigning();
  const leftOut: LeftOut[] = [];
  const files = new Map<string, unknown>();
  const texts: (readonly [path: string, text: string])[] = [];
  for (const path of jsonFiles(folder)) {
    collect(leftOut, path, () => {
      const { text } = readPlainFile(join(folder, path), MOST_BYTES);
      texts.push([path, text]);
      // The operator wrote it: the limits on untrusted input are too small for whole token lists.
      files.set(path, JSON.parse(text));
    });
  }
  const read = readDescriptorFiles(files, (path) => DESCRIPTOR.test(basename(path)));
  const tokens: Token[] = [];
  if (files.has(TOKENS)) collect(leftOut, TOKENS, () => tokens.push(...readTokenFile(files.get(TOKENS))));
  return {
    directory: createDirectory(tokens, [...read.descriptors, ...builtInDescriptors()], readInterfaces()),
    digest: toBase64url(sha256(utf8(JSON.stringify(texts)))),
    files: read.descriptors.length,
    formats: read.descriptors.reduce((sum, { formats }) => sum + formats.size, 0),
    leftOut: [...leftOut, ...read.leftOut],
  };
}

/** Lists the paths of all JSON files in the folder, sorted. */
function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".json"))
      .map((path) => path.split(sep).join("/")).filter((path) => !ASIDE.test(path)).sort();
  } catch (error) {
    throw new ConfigError([`CLEAR_SIGNING_DIR cannot be read: ${(error as NodeJS.ErrnoException).code}`]);
  }
}

/** Runs the job. If the file at the path cannot be used, adds it with the reason to `leftOut`. */
function collect(leftOut: LeftOut[], path: string, job: () => void): void {
  try {
    job();
  } catch (error) {
    if (error instanceof SyntaxError) leftOut.push({ path, reason: "It is not JSON" });
    else if (error instanceof PlainFileError || error instanceof TokenFileError) {
      leftOut.push({ path, reason: error.message });
    } else throw error;
  }
}
