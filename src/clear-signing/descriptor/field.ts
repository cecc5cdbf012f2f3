import { asObject } from "../../lib/object.ts";
import { DescriptorError, type Path } from "./path.ts";
import {
  dereference,
  joinPaths,
  type Json,
  leafOf,
  lookUp,
  type Reading,
  resolvePath,
  textOf,
} from "./source.ts";
import { asWritten, type DescriptorText, translateOwn } from "./text.ts";
import { constantOf, type Value } from "./value.ts";
import { plainFormat, readFormat, type ValueFormat } from "./value-format.ts";

/** A field to show, or a group of them ("Field format specification", "Group format specification"). */
export type DescribedField = DescribedValue | DescribedGroup;

export interface DescribedGroup {
  readonly label: DescriptorText | undefined;
  /** `bundled` shows the first items of all arrays, then the second ones. */
  readonly iteration: "sequential" | "bundled";
  readonly fields: readonly DescribedField[];
}

export interface DescribedValue {
  readonly label: DescriptorText;
  /** A path of the data, or a constant of the author, which is not signed. */
  readonly from: Path | Value;
  readonly as: ValueFormat;
  readonly visible: Visibility;
  /** The text before each item of an array, with `{index}`. */
  readonly separator: DescriptorText | undefined;
}

/** `mustMatch` is hidden, and nothing is described if the value is another. */
type Visibility =
  | "always"
  | { readonly ifNotIn: readonly unknown[] }
  | { readonly mustMatch: readonly unknown[] };

const FIELD_KEYS = [
  "path",
  "value",
  "label",
  "format",
  "params",
  "visible",
  "separator",
  "encryption",
  "$id",
];
const GROUP_KEYS = ["path", "label", "iteration", "fields", "$id"];

/** Returns the fields without their groups, in order. A template has their indexes. */
export function leavesOf(fields: readonly DescribedField[]): readonly DescribedValue[] {
  return fields.flatMap((field) => "fields" in field ? leavesOf(field.fields) : [field]);
}

/** Reads the fields of a format or a group. Throws DescriptorError for what is not in the standard. */
export function readFields(reading: Reading, list: unknown): readonly DescribedField[] {
  if (!Array.isArray(list)) throw new DescriptorError("fields is not a list");
  return list.flatMap((entry) => {
    const given = asObject(entry);
    if (given === undefined) throw new DescriptorError("A field is not an object");
    if (given.fields !== undefined) return readGroup(reading, given);
    const field = withDefinition(reading, given);
    checkKeys(field, FIELD_KEYS);
    // Some authors list members here that the type does not have.
    return field.visible === "never" ? [] : readField(reading, field);
  });
}

function checkKeys(field: Json, known: readonly string[]): void {
  const unknown = Object.keys(field).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new DescriptorError(`A field has ${unknown}, which the standard has not`);
}

function readGroup(reading: Reading, group: Json): DescribedGroup {
  checkKeys(group, GROUP_KEYS);
  const { path, label } = group;
  // A group for each item of an array shows the items one after the other.
  const { iteration = typeof path === "string" && path.endsWith("]") ? "bundled" : "sequential" } = group;
  if (iteration !== "sequential" && iteration !== "bundled") {
    throw new DescriptorError("iteration is invalid");
  }
  const prefix = path === undefined ? reading.prefix : joinPaths(reading.prefix, textOf(path, "path"));
  if (prefix !== "") resolvePath({ ...reading, prefix: "" }, prefix);
  return {
    label: label === undefined ? undefined : reading.translate(textOf(label, "label")),
    iteration,
    fields: readFields({ ...reading, prefix }, group.fields),
  };
}

function withDefinition(reading: Reading, field: Json): Json {
  const { $ref, ...own } = field;
  if ($ref === undefined) return field;
  const definition = asObject(lookUp(reading, textOf($ref, "$ref")));
  if (definition === undefined) throw new DescriptorError("A $ref leads to no definition");
  return { ...definition, ...own, params: { ...asObject(definition.params), ...asObject(own.params) } };
}

function readField(reading: Reading, field: Json): DescribedValue {
  if ((field.path === undefined) === (field.value === undefined)) {
    throw new DescriptorError("A field has no path and no value, or both");
  }
  const { translate } = reading;
  const visible = readVisible(reading, field.visible);
  const pathText = field.path === undefined ? undefined : textOf(field.path, "path");
  const found = pathText === undefined ? undefined : resolvePath(reading, pathText);
  const label = field.label ?? pathText;
  const isHidden = visible !== "always" && "mustMatch" in visible;
  const format = textOf(field.format ?? "raw", "format");
  const from = found?.path ?? readConstantField(reading, field.value);
  const type = leafOf(found?.type ?? (from as Value).type);
  const as = isHidden
    ? plainFormat("hidden")
    : field.encryption !== undefined
    ? readEncrypted(reading, field.encryption)
    : found === undefined && format === "raw"
    ? plainFormat("text", translate(String((from as Value).value)))
    : readFormat(reading, { format, type }, asObject(field.params ?? {}) ?? {});
  return {
    label: pathText !== undefined && label === pathText
      ? asWritten(pathText)
      : translate(textOf(label, "label")),
    from,
    as,
    visible,
    separator: field.separator === undefined ? undefined : translate(textOf(field.separator, "separator")),
  };
}

/** Reads a value that is the same in every document. It is not signed. */
function readConstantField(reading: Reading, value: unknown): Value {
  const constant = constantOf(dereference(reading, value));
  if (constant === undefined) throw new DescriptorError("A value is no constant");
  return constant;
}

function readEncrypted({ translate }: Reading, encryption: unknown): ValueFormat {
  const { scheme, fallbackLabel } = asObject(encryption) ?? {};
  textOf(scheme, "scheme");
  return plainFormat(
    "encrypted",
    fallbackLabel === undefined ? translateOwn("encrypted") : translate(textOf(fallbackLabel, "label")),
  );
}

function readVisible(reading: Reading, value: unknown): Visibility {
  if (value === undefined || value === "always" || value === "optional") return "always";
  const [[rule, list] = [], ...others] = Object.entries(asObject(value) ?? {});
  const isList = Array.isArray(list) && list.every((one) => one === null || typeof one !== "object");
  if (others.length > 0 || !isList || (rule !== "ifNotIn" && rule !== "mustMatch")) {
    throw new DescriptorError("A rule of visible is invalid");
  }
  const constants = list.map((one) => dereference(reading, one));
  return rule === "ifNotIn" ? { ifNotIn: constants } : { mustMatch: constants };
}
