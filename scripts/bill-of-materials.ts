import { createHash } from "node:crypto";

// A software bill of materials in CycloneDX 1.6 (ECMA-424): the contents of the executables of a release.

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** Subresource Integrity: `sha512-` and base64. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** `package-lock.json` of version 3: packages by their folders. The project itself has the empty path. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Component {
  readonly "bom-ref": string;
  readonly type: "library" | "platform";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes: readonly object[];
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Returns the package URL. The @ of a scope is percent-encoded. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Returns the bytes of an integrity, in hex. Throws if the lock has no SHA-512. */
export function sha512Of(folder: string, { integrity }: LockedPackage): string {
  const base64 = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(integrity ?? "")?.[1];
  if (base64 === undefined) throw new Error(`Cannot name ${folder}: the lock has no SHA-512 of it`);
  return Uint8Array.fromBase64(base64).toHex();
}

/** Returns the package in a folder of the lock. Throws if there is none. */
export function getLocked(lock: Lock, folder: string): LockedPackage & { readonly version: string } {
  const found = lock.packages[folder];
  if (found?.version === undefined) throw new Error(`Cannot name ${folder}: the lock does not have it`);
  return { ...found, version: found.version };
}

function toComponent(lock: Lock, folder: string, type: Component["type"]): Component {
  const locked = getLocked(lock, folder);
  const { version, license } = locked;
  const [name, isId] = [nameOf(folder), /^[\w.-]+$/.test(license ?? "")];
  return {
    "bom-ref": purlOf(name, version),
    type,
    name,
    version,
    purl: purlOf(name, version),
    licenses: license === undefined ? [] : [isId ? { license: { id: license } } : { expression: license }],
    hashes: [{ alg: "SHA-512", content: sha512Of(folder, locked) }],
  };
}

/** Resolves a package as Node.js does: in the importer's own folder first, then further up. */
function resolveFrom(lock: Lock, folder: string, name: string): string | undefined {
  for (let from = folder;; from = from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0))) {
    const candidate = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (lock.packages[candidate] !== undefined) return candidate;
    if (from === "") return undefined;
  }
}

/** Derives a UUID of version 8 (RFC 9562) from a text. The same bill has the same UUID. */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * Returns the bill of materials of a release: the bundled packages and the runtimes, by their folders in the lock.
 * Returns the same text for the same input, because it has no time and no random number.
 */
export function writeBillOfMaterials(
  lock: Lock,
  { name, version, bundled, runtimes }: {
    readonly name: string;
    readonly version: string;
    readonly bundled: readonly string[];
    readonly runtimes: readonly string[];
  },
): string {
  const sorted = bundled.toSorted();
  const components = [
    ...sorted.map((folder) => toComponent(lock, folder, "library")),
    ...runtimes.map((folder) => toComponent(lock, folder, "platform")),
  ];
  const refOf = (folder: string): string => purlOf(nameOf(folder), getLocked(lock, folder).version);
  const application = `pkg:generic/${name}@${version}`;
  const dependencies = [
    { ref: application, dependsOn: components.map((component) => component["bom-ref"]) },
    ...sorted.map((folder) => ({
      ref: refOf(folder),
      dependsOn: Object.keys(getLocked(lock, folder).dependencies ?? {})
        .map((dependency) => resolveFrom(lock, folder, dependency))
        .filter((found) => found !== undefined && bundled.includes(found)).map((found) => refOf(found!)),
    })),
  ];
  const metadata = {
    component: { "bom-ref": application, type: "application", name, version, purl: application },
  };
  const content = { version: 1, metadata, components, dependencies };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(content))}`;
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber };
  return JSON.stringify({ ...head, ...content }, null, 2) + "\n";
}
