import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Hex, parseTransaction } from "viem";
import { type ClearSigningFacts, readClearSigning } from "../../src/commands/files/clear-signing.ts";
import type { Directory } from "../../src/clear-signing/directory.ts";
import { type LocalizedIntent, localizeIntent } from "../../src/clear-signing/intent.ts";
import { intentMessagesIn } from "../../src/clear-signing/messages.ts";
import type { Token } from "../../src/clear-signing/registry/tokens.ts";
import { readAddress, toChecksumAddress } from "../../src/ethereum/address.ts";
import { CONTEXT, SIGNER, type TypedDataJson } from "./documents.ts";
import { intentOf } from "./explain-sample.ts";

// Runs the test cases of a copy of the ERC-7730 registry (specs/erc7730-tests-v2.schema.json), and counts its formats.

interface ExpectedField {
  readonly label: string;
  /** A list of fields for an inner call. */
  readonly value: string | { readonly intent: string; readonly fields: readonly ExpectedField[] };
}

interface RegistryTest {
  readonly description: string;
  readonly rawTx?: Hex;
  readonly from?: string;
  readonly data?: TypedDataJson;
  readonly expected: { readonly intent: string; readonly fields: readonly ExpectedField[] };
}

interface TestFile {
  readonly descriptor: string;
  readonly dataProvider?: {
    readonly tokens?: Readonly<Record<string, { readonly symbol: string; readonly decimals: number }>>;
    readonly addressNames?: Readonly<Record<string, string>>;
    readonly ensNames?: Readonly<Record<string, string>>;
    readonly nftCollectionNames?: Readonly<Record<string, string>>;
  };
  readonly tests: readonly RegistryTest[];
}

/** `other`: an expected value is missing, or the order differs. `wrong`: a field of the same label says something else. */
export type Verdict = "right" | "other" | "wrong";

interface CaseResult {
  readonly name: string;
  /** The kind of the intent, or `refused` for a document that the service does not sign. */
  readonly kind: string;
  readonly verdict: Verdict;
  readonly differences: readonly string[];
  /** Null if the case has no amount of a token. */
  readonly hasDecimals: boolean | null;
}

export interface RegistryResult extends ClearSigningFacts {
  readonly cases: readonly CaseResult[];
}

export function runRegistryTests(folder: string): RegistryResult {
  const { directory, files, formats, leftOut } = readClearSigning(folder);
  const cases = testFiles(folder).flatMap((path) => {
    const file = JSON.parse(readFileSync(path, "utf8")) as TestFile;
    const name = relative(folder, join(dirname(path), file.descriptor));
    return file.tests.map((one): CaseResult => {
      try {
        return runCase(`${name}: ${one.description}`, one, file, directory);
      } catch (error) {
        return {
          name: `${name}: ${one.description}`,
          verdict: "other",
          kind: "refused",
          differences: [String(error)],
          hasDecimals: null,
        };
      }
    });
  });
  return { files, formats, leftOut, cases };
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:^|\/)testsv2\/[^/]+\.json$/.test(path)).sort().map((path) => join(folder, path));
}

function runCase(
  name: string,
  { rawTx, from, data, expected }: RegistryTest,
  { dataProvider = {} }: TestFile,
  directory: Directory,
): CaseResult {
  const sample = data === undefined ? callOf(rawTx!) : { typedData: withoutChecksums(data) };
  const chainId = "call" in sample ? sample.call.chainId : sample.typedData.domain.chainId;
  const given = Object.entries(dataProvider.tokens ?? {}).map(
    ([address, { symbol, decimals }]): [string, Token] => {
      const token = { chainId: String(chainId), address: checksummed(address), symbol, decimals };
      return [`${token.chainId}:${token.address}`, token];
    },
  );
  const explain = (changes: Partial<Directory>): LocalizedIntent =>
    localizeIntent(
      intentOf({ name, ...sample }, {
        ...CONTEXT,
        ...(from === undefined ? {} : { signer: checksummed(from) }),
        labels: new Map(),
        directory: { ...directory, ...changes },
      }),
      "en",
    );
  const intent = explain({ tokens: new Map([...directory.tokens, ...given]) });
  const differences = compare(intent, expected.fields, {
    from,
    ofAddresses: byAddress({ ...dataProvider.addressNames, ...dataProvider.ensNames }, (name) => name),
    ofTokens: byAddress(dataProvider.tokens ?? {}, ({ symbol }) => symbol),
    ofCollections: byAddress(dataProvider.nftCollectionNames ?? {}, (name) => name),
  });
  return {
    name,
    kind: intent.kind,
    verdict: differences.some((one) => one.startsWith("wrong"))
      ? "wrong"
      : differences.length > 0
      ? "other"
      : "right",
    differences,
    hasDecimals: hasUnits(explain({ tokens: new Map(), findListedToken: () => undefined }))
      ? !hasUnits(explain({}))
      : null,
  };
}

function byAddress<T>(
  names: Readonly<Record<string, T>>,
  nameOf: (name: T) => string,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([address, name]) => [address.toLowerCase(), nameOf(name)]));
}

function callOf(rawTx: Hex): { call: { chainId: bigint; to: string | null; value: bigint; data: string } } {
  const { chainId = 1, to = null, value = 0n, data = "0x" } = parseTransaction(rawTx);
  return { call: { chainId: BigInt(chainId), to: to === null ? null : checksummed(to), value, data } };
}

/** Returns the document with addresses in small letters: some of the registry have a wrong checksum, which is refused. */
function withoutChecksums(data: TypedDataJson): TypedDataJson {
  return JSON.parse(JSON.stringify(data).replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()));
}

function checksummed(address: string): string {
  return toChecksumAddress(readAddress(address.toLowerCase())!);
}

/** Returns true if the sentence has an amount without known decimals. */
function hasUnits({ sentence }: LocalizedIntent): boolean {
  return sentence.includes("decimals unknown");
}

/** The labels of fields that the service adds to those of a descriptor, or shows for a call inside. */
const OWN_LABELS: ReadonlySet<string> = new Set(
  Object.values(intentMessagesIn("en")).filter((message) => typeof message === "string"),
);

type Shown = LocalizedIntent["fields"][number];

/** The mock data of a test file, which a wallet would ask a chain or its owner for. */
interface Names {
  readonly from: string | undefined;
  readonly ofAddresses: ReadonlyMap<string, string>;
  readonly ofTokens: ReadonlyMap<string, string>;
  readonly ofCollections: ReadonlyMap<string, string>;
}

function compare(
  { kind, fields }: LocalizedIntent,
  expected: readonly ExpectedField[],
  names: Names,
): readonly string[] {
  if (kind !== "described") {
    return flattened(expected).filter(({ value }) => !isSaid(fields, value, names)).map(({ label, value }) =>
      `${kind} lacks ${label}: ${value}`
    );
  }
  const differences: string[] = [];
  let rest = fields;
  for (const { label, value } of flattened(expected)) {
    const at = rest.findIndex((field) => field.label === label);
    if (at < 0) differences.push(`lacks ${label}: ${value}`);
    else {
      const found = rest[at]!;
      differences.push(
        ...rest.slice(0, at).filter(isForeign).map((field) => `adds ${field.label}: ${field.value}`),
      );
      rest = rest.slice(at + 1);
      if (!isEqual(found, value, names)) {
        differences.push(`wrong ${label}: ${found.value} instead of ${value}`);
      }
    }
  }
  return [...differences, ...rest.filter(isForeign).map(({ label, value }) => `adds ${label}: ${value}`)];
}

function isForeign({ label }: Shown): boolean {
  return !OWN_LABELS.has(label);
}

/** Returns the fields with those of inner calls behind their own. The text of an inner call has no expected form. */
function flattened(
  fields: readonly ExpectedField[],
): readonly { readonly label: string; readonly value: string | undefined }[] {
  return fields.flatMap(({ label, value }) =>
    typeof value === "string" ? [{ label, value }] : [{ label, value: undefined }, ...flattened(value.fields)]
  );
}

/**
 * Values that are no address, amount or time, or have no effect. A standard of the service says them in words of its own,
 * such as a call instead of its bytes.
 */
const NOT_REQUIRED = /^(?:0x0*|0x[0-9a-f]{65,}|0(?: \S+)?|1970-01-01 00:00:00Z|[a-z ]+)$/i;

/** Returns true if a standard of the service says the value. */
function isSaid(fields: readonly Shown[], value: string | undefined, names: Names): boolean {
  return NOT_REQUIRED.test(value ?? "") || fields.some((field) => isEqual(field, value, names));
}

/** Compares values, whatever their spaces, quotation marks and capital letters are. */
function isEqual({ value, raw }: Shown, expected: string | undefined, names: Names): boolean {
  if (expected === undefined) return true;
  const plain = (text: string): string =>
    text.toLowerCase().replace(/^up to |[\s“”\u2068\u2069]|utc$|z$/g, "");
  const address = raw.toLowerCase();
  const item = / of .*(0x\w{40})\)?$/.exec(value)?.[1]?.toLowerCase();
  const equals = [
    value,
    raw,
    /\((0x\w{40})\)/.exec(value)?.[1],
    names.ofAddresses.get(address),
    names.ofTokens.get(address),
    value.includes(names.from ?? SIGNER) ? "Sender" : undefined,
    /^item (\d+)$/.exec(value)?.[1],
    item && `${names.ofCollections.get(item)} #${raw}`,
    ...[...names.ofCollections.values()].map((name) => `${name} #${raw}`),
  ];
  return equals.some((one) => one !== undefined && plain(one) === plain(expected));
}
