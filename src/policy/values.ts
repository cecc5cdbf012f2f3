import type { AbiType, Plain, PlainStruct } from "../clear-signing/abi.ts";
import { showAtom } from "../ethereum/typed-data/typed-data-explain.ts";
import type { AtomicType, ValueType } from "../ethereum/typed-data/typed-data-types.ts";
import type { CheckedValue } from "../ethereum/typed-data/typed-data-values.ts";
import { stepsOf } from "./value-path.ts";

/** A single signed value: integers in decimal, addresses and bytes as 0x-hex, texts unchanged. */
export interface Leaf {
  readonly kind: AtomicType["kind"];
  readonly value: string | boolean;
}

/** A signed value, independent of its encoding. */
export type Node =
  | { readonly kind: "leaf"; readonly leaf: Leaf }
  | { readonly kind: "list"; readonly length: number; readonly item: (index: number) => Node }
  /** Undefined if there is no such member. */
  | { readonly kind: "struct"; readonly member: (name: string) => Node | undefined }
  /** An absent struct. */
  | { readonly kind: "nothing" };

export function typedNode(type: ValueType, value: CheckedValue): Node {
  if (value === null) return { kind: "nothing" };
  if (value instanceof Uint8Array) {
    const atomic = type as AtomicType;
    return { kind: "leaf", leaf: { kind: atomic.kind, value: showAtom(value, atomic) } };
  }
  if (type.kind === "struct") {
    const member = (name: string): Node | undefined => {
      const index = type.fieldNames.indexOf(name);
      return index < 0 ? undefined : typedNode(type.fields[index]!.type, value[index]!);
    };
    return { kind: "struct", member };
  }
  const { item } = type as { readonly item: ValueType };
  return { kind: "list", length: value.length, item: (index) => typedNode(item, value[index]!) };
}

export function abiNode(type: AbiType, value: Plain): Node {
  if (type.kind === "array") {
    const items = value as readonly Plain[];
    return { kind: "list", length: items.length, item: (index) => abiNode(type.item, items[index]!) };
  }
  if (type.kind === "tuple") return argumentsNode(type.components, value as PlainStruct);
  return { kind: "leaf", leaf: { kind: type.kind, value: value as string | boolean } };
}

export function argumentsNode(
  parameters: readonly { readonly name: string; readonly type: AbiType }[],
  values: PlainStruct,
): Node {
  const member = (name: string): Node | undefined => {
    const parameter = parameters.find((one) => one.name === name);
    return parameter && abiNode(parameter.type, values[name]!);
  };
  return { kind: "struct", member };
}

export interface Found {
  readonly at: string;
  readonly leaf: Leaf;
}

/**
 * Returns all values on a path. Returns undefined if one is missing: an unknown member, an index beyond the list, `*`
 * on an empty list, or a value that is not single. A limit that checks no value must not hold.
 */
export function valuesAt(root: Node, path: string, at: string): readonly Found[] | undefined {
  let found: readonly { readonly at: string; readonly node: Node }[] = [{ at, node: root }];
  for (const step of stepsOf(path)) {
    const next: { readonly at: string; readonly node: Node }[] = [];
    for (const one of found) {
      const inside = stepInto(one.node, step);
      if (inside === undefined || inside.length === 0) return undefined;
      for (const [name, node] of inside) next.push({ at: `${one.at}/${name}`, node });
    }
    found = next;
  }
  const leaves: Found[] = [];
  for (const { at, node } of found) {
    if (node.kind !== "leaf") return undefined;
    leaves.push({ at, leaf: node.leaf });
  }
  return leaves;
}

function stepInto(node: Node, step: string): readonly (readonly [name: string, node: Node])[] | undefined {
  if (node.kind === "struct") {
    const member = node.member(step);
    return member && [[step, member]];
  }
  if (node.kind !== "list") return undefined;
  if (step === "*") {
    return Array.from({ length: node.length }, (_, index) => [String(index), node.item(index)]);
  }
  const index = /^\d+$/.test(step) ? Number(step) : node.length;
  return index < node.length ? [[step, node.item(index)]] : undefined;
}
