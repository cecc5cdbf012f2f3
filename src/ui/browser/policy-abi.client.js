// @ts-check
import { parseJson } from "./json-source.client.js";

/**
 * @typedef {{ readonly name: string, readonly type: string, readonly components?: readonly Parameter[] }} Parameter a
 * parameter: the type of a tuple is `tuple`, with the dimensions of an array behind it
 * @typedef {{ readonly path: string, readonly type: string }} Leaf a value of a call by its path, `*` for every item
 * @typedef {{ readonly text: string, readonly parameters: readonly Leaf[] }} Called a function as a policy names it,
 * with the values that a rule can limit
 * @typedef {{ readonly chainId: string, readonly address: string }} Deployment
 * @typedef {{ readonly functions: readonly Called[], readonly deployments: readonly Deployment[] }} Interface
 */

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

const ELEMENTARY = /^(?:address|bool|string|bytes\d*|u?int\d*)$/;

/** Short forms of types (Solidity), which a policy writes in full. */
const FULL_TYPES = /** @type {Readonly<Record<string, string>>} */ ({ uint: "uint256", int: "int256" });

/** Words between the type of a parameter and its name. */
const LOCATIONS = ["memory", "calldata", "storage", "payable", "indexed"];

/**
 * Splits a text at the commas outside of brackets.
 * @param {string} text
 * @returns {readonly string[]}
 */
function splitList(text) {
  /** @type {string[]} */
  const items = [];
  let depth = 0;
  let item = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) {
      items.push(item.trim());
      item = "";
    } else item += character;
  }
  if (item.trim() !== "" || items.length > 0) items.push(item.trim());
  return items;
}

/**
 * Finds the closing bracket of the one at the start of a text. -1 if there is none.
 * @param {string} text
 */
function closingBracket(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
  return -1;
}

/** @param {string} text @returns {Parameter} */
function readParameter(text) {
  const tuple = text.replace(/^tuple\s*(?=\()/, "");
  const end = tuple.startsWith("(") ? closingBracket(tuple) + 1 : 0;
  const [type = "", ...words] = tuple.slice(end).trim().split(/\s+/);
  const name = words.filter((word) => !LOCATIONS.includes(word)).join(" ");
  if (end === 0) return { name, type };
  const components = splitList(tuple.slice(1, end - 1)).map(readParameter);
  // Without dimensions, the first word behind the brackets is the name.
  const isArray = type.startsWith("[");
  const rest = isArray
    ? name
    : [type, name].filter((word) => word !== "" && !LOCATIONS.includes(word)).join(" ");
  return { name: rest, type: `tuple${isArray ? type : ""}`, components };
}

/**
 * Returns a list of parameters as a policy writes it, and its values. Undefined if a type is none of the ABI.
 * @param {readonly Parameter[]} parameters
 * @param {string} at the path of the list
 * @returns {{ readonly text: string, readonly leaves: readonly Leaf[] } | undefined}
 */
function writeParameters(parameters, at) {
  /** @type {Set<string>} */
  const taken = new Set();
  /** @type {string[]} */
  const texts = [];
  /** @type {Leaf[]} */
  const leaves = [];
  for (const [index, { name, type = "", components = [] }] of parameters.entries()) {
    const own = NAME.test(name ?? "") && !taken.has(name) ? name : `argument${index}`;
    taken.add(own);
    const [all, base = "", dimensions = ""] = /^([a-z0-9]+)((?:\[\d*\])*)$/.exec(type) ?? [];
    const path = `${at}/${own}${dimensions.replace(/\[\d*\]/g, "/*")}`;
    const inner = base === "tuple" ? writeParameters(components, path) : undefined;
    if (all === undefined || (inner === undefined && !ELEMENTARY.test(base))) return undefined;
    const full = inner?.text ?? FULL_TYPES[base] ?? base;
    texts.push(`${full}${dimensions} ${own}`);
    leaves.push(...inner?.leaves ?? [{ path, type: full }]);
  }
  return { text: `(${texts.join(",")})`, leaves };
}

/**
 * @param {unknown} name
 * @param {readonly Parameter[]} parameters
 * @returns {readonly Called[]}
 */
function writeFunction(name, parameters) {
  const written = typeof name === "string" && NAME.test(name) ? writeParameters(parameters, "") : undefined;
  return written === undefined ? [] : [{ text: name + written.text, parameters: written.leaves }];
}

/**
 * Reads a function as people write it: `function transfer(address to, uint256 value) returns (bool)`.
 * @param {string} text
 * @returns {readonly Called[]}
 */
function readSignature(text) {
  const [, name, rest = ""] = /^\s*(?:function\s+)?([\w$]+)\s*(\(.*)$/s.exec(text) ?? [];
  const end = closingBracket(rest);
  return end < 0 ? [] : writeFunction(name, splitList(rest.slice(1, end)).map(readParameter));
}

/** @param {unknown} entry of an ABI: JSON or a signature @returns {readonly Called[]} */
function readEntry(entry) {
  if (typeof entry === "string") return readSignature(entry);
  const { type, name, inputs, stateMutability } = /** @type {any} */ (entry ?? {});
  const isCalled = type === "function" && !["view", "pure"].includes(stateMutability) &&
    Array.isArray(inputs);
  return isCalled ? writeFunction(name, inputs) : [];
}

/** @param {unknown} entry of an ABI @returns {readonly Called[]} nothing for an entry of another form */
function readPasted(entry) {
  try {
    return readEntry(entry);
  } catch {
    return [];
  }
}

/**
 * Reads the functions of a contract from a pasted text: an ABI in JSON, alone or in the file of a compiler, a
 * descriptor (ERC-7730), or signatures, one a line. Leaves out functions that only read, and what is no function.
 * @param {string} text
 * @returns {Interface}
 */
export function readFunctions(text) {
  const json = /** @type {any} */ (parseJson(text));
  if (json === undefined || json === null) {
    return { functions: distinct(text.split(/[;\n]/).flatMap(readPasted)), deployments: [] };
  }
  const { abi, deployments } = json.context?.contract ?? { abi: json.abi, deployments: [] };
  const list = [json, abi].find(Array.isArray) ?? Object.keys(json.display?.formats ?? {});
  return {
    functions: distinct(list.flatMap(readPasted)),
    deployments: (Array.isArray(deployments) ? deployments : []).filter(Boolean).map((
      { chainId, address },
    ) => ({
      chainId: String(chainId),
      address: String(address),
    })),
  };
}

/** @param {readonly Called[]} functions @returns {readonly Called[]} */
function distinct(functions) {
  return [...new Map(functions.map((one) => [one.text, one])).values()];
}
