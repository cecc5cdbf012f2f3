import { createHash } from "node:crypto";

// A software bill of materials as CycloneDX 1.6 has it (ECMA-424): what is inside the executables of a release.

/** A package of `package-lock.json`. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** Subresource Integrity: `sha512-` and base64. */
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** `package-lock.json`, of version 3: packages by their folders, the project itself by the empty text. */
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

/** The name of the package in a folder of the lock. */
function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Package URL: a scope's @ is percent-encoded. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The bytes of an integrity, in hex. Throws where the lock has no SHA-512. */
export function sha512Of(folder: string, { integrity }: LockedPackage): string {
  const base64 = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(integrity ?? "")?.[1];
  if (base64 === undefined) throw new Error(`Cannot name ${folder}: the lock has no SHA-512 of it`);
  return Uint8Array.fromBase64(base64).toHex();
}

/** A package of the lock. Throws where it has none in that folder. */
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

/** Where a package finds another, as Node.js resolves it: beside its own packages first, then further up. */
function resolveFrom(lock: Lock, folder: string, name: string): string | undefined {
  for (let from = folder;; from = from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0))) {
    const candidate = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (lock.packages[candidate] !== undefined) return candidate;
    if (from === "") return undefined;
  }
}

/** A UUID of version 8 (RFC 9562) out of a text: the same for the same bill. */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The bill of materials of a release: the packages whose code is bundled, and the runtimes it is bundled with, by their
 * folders in the lock. The same text for the same input: it has no time and no drawn number.
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
