import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The provenance of a release: an in-toto Statement v1 with the predicate SLSA provenance v1. It has no time and no
// name of a machine, so that two builds of the same sources have the same bytes.

/** https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md */
const STATEMENT = "https://in-toto.io/Statement/v1";
/** https://slsa.dev/spec/v1.0/provenance */
const PREDICATE = "https://slsa.dev/provenance/v1";
/** https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */
const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** This script, on a machine of its caller. It cannot prove more than that. */
const BUILDER = "urn:holdfast:builder:npm-run-release";
const BUILD_TYPE = "urn:holdfast:build-type:release:v1";

/** The files and folders from which a release is made. */
const SOURCES = [
  "src",
  "generated",
  "scripts",
  "deploy",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

interface Dependency {
  readonly uri: string;
  readonly digest: Readonly<Record<string, string>>;
}

export interface Build {
  readonly version: string;
  /** The lines of SHA256SUMS: the sum and the name of each file. */
  readonly sums: readonly (readonly [sum: string, name: string])[];
  readonly platforms: readonly string[];
  readonly dependencies: readonly Dependency[];
}

function filesIn(root: string, path: string): readonly string[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
      const inside = `${path}/${entry.name}`;
      return entry.isDirectory() ? filesIn(root, inside) : [inside];
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOTDIR") return [path];
    throw error;
  }
}

/**
 * Returns the SHA-256 over the names and contents of all sources, in the order of their names. In a clone the same
 * comes from `sha256sum` over the lines of `sha256sum` (docs/how-to/rebuild.md).
 */
export function digestSources(root: string): string {
  const lines = SOURCES.flatMap((path) => filesIn(root, path)).sort().map((path) =>
    `${createHash("sha256").update(readFileSync(join(root, path))).digest("hex")}  ${path}\n`
  );
  return createHash("sha256").update(lines.join("")).digest("hex");
}

/** Returns the statement as text. Its subjects are the files of SHA256SUMS. */
export function writeProvenance({ version, sums, platforms, dependencies }: Build): string {
  const statement = {
    _type: STATEMENT,
    subject: sums.map(([sha256, name]) => ({ name, digest: { sha256 } })),
    predicateType: PREDICATE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version, platforms },
        internalParameters: {},
        resolvedDependencies: dependencies,
      },
      runDetails: { builder: { id: BUILDER } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** Signs a statement with an Ed25519 key in PEM: a DSSE envelope. `keyid` is the SHA-256 of the public key. */
export function signProvenance(statement: string, pem: string): string {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("Cannot sign provenance: the key is not Ed25519");
  const payload = new TextEncoder().encode(statement);
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  const signature = sign(null, Uint8Array.of(...new TextEncoder().encode(head), ...payload), key);
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const envelope = {
    payload: payload.toBase64(),
    payloadType: PAYLOAD_TYPE,
    signatures: [{
      keyid: createHash("sha256").update(spki).digest("hex"),
      sig: signature.toString("base64"),
    }],
  };
  return `${JSON.stringify(envelope)}\n`;
}
