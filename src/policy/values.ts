import type { AbiType, Plain, PlainStruct } from "../clear-signing/abi.ts";
import { showAtom } from "../ethereum/typed-data/typed-data-explain.ts";
import type { AtomicType, ValueType } from "../ethereum/typed-data/typed-data-types.ts";
import type { CheckedValue } from "../ethereum/typed-data/typed-data-values.ts";
import { toHex } from "../lib/bytes.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import { type StepBudget, stepsOfLength } from "./step-budget.ts";

/** A single signed value in canonical form. */
export interface Leaf {
  readonly kind: AtomicType["kind"];
  /** Integers in decimal, addresses and bytes as lower-case 0x-hex, texts unchanged. */
  readonly value: string | boolean;
  /** The value of a non-negative integer. */
  readonly amount: bigint | undefined;
}

/** A signed value, independent of its encoding. Inner nodes and leaves are created once. */
export type Node =
  | { readonly kind: "leaf"; readonly leaf: () => Leaf }
  | { readonly kind: "list"; readonly length: number; readonly item: (index: number) => Node }
  /** Undefined if there is no such member. */
  | { readonly kind: "struct"; readonly member: (name: string) => Node | undefined }
  /** An absent struct. */
  | { readonly kind: "nothing" };

function leafNode(kind: Leaf["kind"], read: () => string | boolean): Node {
  let known: Leaf | undefined;
  return { kind: "leaf", leaf: () => known ??= leafOf(kind, read()) };
}

function leafOf(kind: Leaf["kind"], value: string | boolean): Leaf {
  if (kind !== "uint" && kind !== "int") return { kind, value, amount: undefined };
  const integer = BigInt(value);
  return { kind, value: integer.toString(), amount: integer < 0n ? undefined : integer };
}

function listNode(length: number, create: (index: number) => Node): Node {
  const known: Node[] = [];
  return { kind: "list", length, item: (index) => known[index] ??= create(index) };
}

function structNode(create: (name: string) => Node | undefined): Node {
  const known = new Map<string, Node | undefined>();
  const member = (name: string): Node | undefined => {
    if (!known.has(name)) known.set(name, create(name));
    return known.get(name);
  };
  return { kind: "struct", member };
}

export function amountNode(amount: bigint): Node {
  return leafNode("uint", () => amount.toString());
}

export function addressNode(address: Uint8Array): Node {
  return leafNode("address", () => toHex(address));
}

export function typedNode(type: ValueType, value: CheckedValue): Node {
  if (value === null) return { kind: "nothing" };
  if (value instanceof Uint8Array) {
    const atomic = type as AtomicType;
    // The checksum of an address takes a hash, and limits do not compare it.
    const read = () => atomic.kind === "address" ? toHex(value.subarray(12)) : showAtom(value, atomic);
    return leafNode(atomic.kind, read);
  }
  if (type.kind === "struct") {
    return structNode((name) => {
      const index = type.fieldNames.indexOf(name);
      return index < 0 ? undefined : typedNode(type.fields[index]!.type, value[index]!);
    });
  }
  const { item } = type as { readonly item: ValueType };
  return listNode(value.length, (index) => typedNode(item, value[index]!));
}

function abiNode(type: AbiType, value: Plain): Node {
  if (type.kind === "array") {
    const items = value as readonly Plain[];
    return listNode(items.length, (index) => abiNode(type.item, items[index]!));
  }
  if (type.kind === "tuple") return argumentsNode(type.components, value as PlainStruct);
  const single = value as string | boolean;
  return leafNode(type.kind, () => type.kind === "address" ? String(single).toLowerCase() : single);
}

export function argumentsNode(
  parameters: readonly { readonly name: string; readonly type: AbiType }[],
  values: PlainStruct,
): Node {
  return structNode((name) => {
    const parameter = parameters.find((one) => one.name === name);
    return parameter && abiNode(parameter.type, values[name]!);
  });
}

interface LocatedNode {
  readonly at: string;
  readonly node: Node;
}

/** The values of a document during one decision. Each path is walked once for all rules. */
export interface Document {
  readonly root: LocatedNode;
  readonly nodes: Map<string, readonly LocatedNode[] | undefined>;
  readonly found: Map<string, readonly FoundValue[] | undefined>;
  readonly budget: StepBudget;
}

/** `at` is the JSON pointer of `node` in the signed document. */
export function createDocument(node: Node, at: string, budget: StepBudget): Document {
  return { root: { at, node }, nodes: new Map(), found: new Map(), budget };
}

export interface FoundValue {
  readonly at: string;
  readonly leaf: Leaf;
}

/**
 * Returns all values on a path. Returns undefined if one is missing: an unknown member, an index beyond the list, `*`
 * on an empty list, or a value that is not single. A limit that checks no value must not hold.
 */
export function* valuesAt(
  document: Document,
  path: string,
): CooperativeTask<readonly FoundValue[] | undefined> {
  if (!document.found.has(path)) document.found.set(path, yield* readValues(document, path));
  return document.found.get(path);
}

function* readValues(document: Document, path: string): CooperativeTask<readonly FoundValue[] | undefined> {
  const nodes = yield* nodesAt(document, path);
  if (nodes === undefined) return undefined;
  const found: FoundValue[] = [];
  for (const { at, node } of nodes) {
    if (node.kind !== "leaf") return undefined;
    const leaf = node.leaf();
    found.push({ at, leaf });
    if (document.budget.take(1 + stepsOfLength(String(leaf.value).length))) yield;
  }
  return found;
}

function* nodesAt(document: Document, path: string): CooperativeTask<readonly LocatedNode[] | undefined> {
  if (path === "") return [document.root];
  if (!document.nodes.has(path)) {
    const end = path.lastIndexOf("/");
    const outer = yield* nodesAt(document, path.slice(0, end));
    document.nodes.set(path, outer && (yield* nodesInside(document, outer, path.slice(end + 1))));
  }
  return document.nodes.get(path);
}

function* nodesInside(
  { budget }: Document,
  outer: readonly LocatedNode[],
  step: string,
): CooperativeTask<readonly LocatedNode[] | undefined> {
  const inside: LocatedNode[] = [];
  for (const { at, node } of outer) {
    const [from, to] = node.kind === "list" ? indexesOf(step, node.length) : [0, 1];
    if (from >= to) return undefined;
    for (let index = from; index < to; index++) {
      const child = childOf(node, step, index);
      if (child === undefined) return undefined;
      inside.push({ at: `${at}/${node.kind === "list" ? index : step}`, node: child });
      if (budget.take(1)) yield;
    }
  }
  return inside;
}

/** Returns the range of a list's indexes that a step names. Empty if it names none. */
function indexesOf(step: string, length: number): readonly [from: number, to: number] {
  if (step === "*") return [0, length];
  const index = /^\d+$/.test(step) ? Number(step) : length;
  return [index, Math.min(index + 1, length)];
}

function childOf(node: Node, step: string, index: number): Node | undefined {
  if (node.kind === "list") return node.item(index);
  return node.kind === "struct" ? node.member(step) : undefined;
}
