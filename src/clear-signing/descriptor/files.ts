import { asObject } from "../../lib/object.ts";
import type { Descriptor } from "./descriptor.ts";
import { DescriptorError } from "./path.ts";
import { isUnbound, readDescriptor } from "./read.ts";

type Json = Readonly<Record<string, unknown>>;

/** A file, or a function or type of a file, that is not used. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

export interface DescriptorFiles {
  readonly descriptors: readonly Descriptor[];
  readonly leftOut: readonly LeftOut[];
}

/** Reads the descriptors among files by path. Includes are relative to their file. Skips files without a contract. */
export function readDescriptorFiles(
  files: ReadonlyMap<string, unknown>,
  isDescriptor: (path: string) => boolean,
): DescriptorFiles {
  const descriptors: Descriptor[] = [];
  const leftOut: LeftOut[] = [];
  for (const path of [...files.keys()].filter(isDescriptor).sort()) {
    try {
      const merged = resolveIncludes(files, path, []);
      if (isUnbound(merged)) continue;
      const { descriptor, refused } = readDescriptor(path, merged);
      descriptors.push(descriptor);
      leftOut.push(...refused.map((reason) => ({ path, reason })));
    } catch (error) {
      if (!(error instanceof DescriptorError)) throw error;
      leftOut.push({ path, reason: error.message });
    }
  }
  return { descriptors, leftOut };
}

function resolveIncludes(files: ReadonlyMap<string, unknown>, path: string, from: readonly string[]): Json {
  const json = asObject(files.get(path));
  if (json === undefined) throw new DescriptorError(`${path} is missing, or is not a JSON object`);
  if (from.includes(path)) throw new DescriptorError(`${path} includes itself`);
  const { includes, ...own } = json;
  if (includes === undefined) return own;
  if (typeof includes !== "string") throw new DescriptorError("includes is not a path");
  return merge(resolveIncludes(files, pathFrom(path, includes), [...from, path]), own);
}

function pathFrom(file: string, path: string): string {
  const { pathname } = new URL(path, `file:///${file}`);
  return decodeURIComponent(pathname.slice(1));
}

/** Merges objects and fields of one path ("Organizing files"). For all else, the including file wins. */
function merge(base: Json, overlay: Json): Json {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overlay)) {
    const [below, above] = [asObject(merged[key]), asObject(value)];
    if (below !== undefined && above !== undefined) merged[key] = merge(below, above);
    else if (key === "fields" && Array.isArray(merged[key]) && Array.isArray(value)) {
      merged[key] = mergeFields(merged[key], value);
    } else merged[key] = value;
  }
  return merged;
}

function mergeFields(base: readonly unknown[], overlay: readonly unknown[]): readonly unknown[] {
  const pathOf = (field: unknown): unknown => asObject(field)?.path;
  const merged = base.map((field) => {
    const other = overlay.find((one) => pathOf(one) !== undefined && pathOf(one) === pathOf(field));
    return other === undefined ? field : merge(asObject(field)!, asObject(other)!);
  });
  const known = new Set(base.map(pathOf));
  return [...merged, ...overlay.filter((field) => !known.has(pathOf(field)))];
}
