import { type AbiParameter, type AbiType, type Plain, type PlainStruct, readAbiFunction } from "../abi.ts";

/** A step of a path: a member, an item by index (negative from the end), or all items. */
export type Step = string | number | "[]";

/** A path of ERC-7730 ("Path references"), without slices. */
export interface Path {
  /** `#` for the signed data, `@` for the transaction, `$` for the descriptor. */
  readonly root: "#" | "@" | "$";
  readonly steps: readonly Step[];
}

const STEP = /^(?:[A-Za-z_$][A-Za-z0-9_$]*|\[\]|\[-?\d{1,4}\])$/;

/** Reads a path. Returns undefined for an invalid one or a slice. */
export function readPath(text: string): Path | undefined {
  const [, root = "#", rest] = /^(?:([#@$])\.)?(.+)$/.exec(text) ?? [];
  if (rest === undefined) return undefined;
  const steps = rest.split(".");
  if (!steps.every((step) => STEP.test(step))) return undefined;
  return { root: root as Path["root"], steps: steps.map(readStep) };
}

function readStep(step: string): Step {
  return step === "[]" || !step.startsWith("[") ? step : Number(step.slice(1, -1));
}

export function pathText({ root, steps }: Path): string {
  return [root, ...steps.map((step) => typeof step === "number" ? `[${step}]` : step)].join(".");
}

export function typeAt(parameters: readonly AbiParameter[], steps: readonly Step[]): AbiType | undefined {
  let type: AbiType | undefined = { kind: "tuple", components: parameters, text: "" };
  for (const step of steps) {
    if (type?.kind === "tuple" && typeof step === "string") {
      type = type.components.find(({ name }) => name === step)?.type;
    } else if (type?.kind === "array" && (step === "[]" || typeof step === "number")) {
      type = type.item;
    } else {
      return undefined;
    }
  }
  return type;
}

/** A value, and the index taken at each `[]` of its path. */
export interface Found {
  readonly value: Plain;
  readonly indexes: readonly number[];
}

/** Returns all values at a path. If the path's type was found, the result is empty only if an array is too short. */
export function valuesAt(struct: PlainStruct, steps: readonly Step[]): readonly Found[] {
  let found: readonly Found[] = [{ value: struct, indexes: [] }];
  for (const step of steps) {
    found = found.flatMap(({ value, indexes }) => {
      if (step === "[]") {
        return (value as readonly Plain[]).map((item, index) => ({
          value: item,
          indexes: [...indexes, index],
        }));
      }
      const next = typeof step === "number"
        ? (value as readonly Plain[]).at(step)
        : (value as PlainStruct)[step];
      return next === undefined ? [] : [{ value: next, indexes }];
    });
  }
  return found;
}

/** Returns the value at a parameter's path, whose `[]` take the indexes of the field. */
export function valueBeside(
  struct: PlainStruct,
  steps: readonly Step[],
  indexes: readonly number[],
): Plain | undefined {
  let next = 0;
  const settled = steps.map((step) => step === "[]" ? indexes[next++] : step);
  if (settled.some((step) => step === undefined)) return undefined;
  return valuesAt(struct, settled as readonly Step[])[0]?.value;
}

/** Returns the members of the first struct, with nested structs in place. Undefined if invalid or recursive. */
export function readEncodeType(text: string): readonly AbiParameter[] | undefined {
  const structs = new Map<string, string>();
  let primary: string | undefined;
  for (const [, name, members] of text.matchAll(/([A-Za-z_$][A-Za-z0-9_$]*)\(([^()]*)\)/g)) {
    if (structs.has(name!)) return undefined;
    primary ??= name;
    structs.set(name!, members!);
  }
  if (primary === undefined || text.length > 8_192 || structs.size > 64) return undefined;
  const written = [...structs].map(([name, members]) => `${name}(${members})`).join("");
  if (written !== text) return undefined;
  const expanded = expand(structs, primary, 0);
  return expanded === undefined ? undefined : readAbiFunction(`f(${expanded})`)?.parameters;
}

/** Formats the members of a struct as the ABI does, with structs as tuples. */
function expand(structs: ReadonlyMap<string, string>, name: string, depth: number): string | undefined {
  const members = structs.get(name);
  if (members === undefined || depth > 8) return undefined;
  const written: string[] = [];
  for (const member of members === "" ? [] : members.split(",")) {
    const [, base, dimensions, field] =
      /^([A-Za-z_$][\w$]*)((?:\[\d*\])*) ([A-Za-z_$][\w$]*)$/.exec(member) ?? [];
    if (base === undefined) return undefined;
    const inner = structs.has(base) ? expand(structs, base, depth + 1) : undefined;
    if (structs.has(base) && inner === undefined) return undefined;
    written.push(`${inner === undefined ? base : `(${inner})`}${dimensions} ${field}`);
  }
  return written.join(",");
}

/** Thrown for a descriptor that cannot be used. */
export class DescriptorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DescriptorError";
  }
}
