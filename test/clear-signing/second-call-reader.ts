import assert from "node:assert/strict";
import { AbiCoder, dataLength, dataSlice, hexlify, id, toUtf8Bytes } from "ethers";
import { type CallJson, SIGNER } from "./documents.ts";
import {
  addressIn,
  getAddress,
  MOST_256,
  partsOf,
  pieces,
  sameAddress,
  sameAmount,
  sameChain,
  sameNative,
} from "./second-reader-texts.ts";

/** A sentence about a call without the value that is sent, and the call's arguments as ethers decodes them. */
interface Localizable {
  readonly words: string;
  readonly caller: string;
  readonly call: CallJson & { readonly to: string };
  // deno-lint-ignore no-explicit-any -- as the types of each function have them
  readonly given: readonly any[];
}

function sameCaller(words: string, { caller }: Localizable): void {
  assert.equal(addressIn(words), caller);
}

/** Checks the condition "if … is a token" of a contract that is not known. */
function sameProviso(words: string, { call }: Localizable): void {
  if (words !== "") assert.equal(addressIn(words), getAddress(call.to));
}

/** Checks an amount, or an item if the contract may be a collection. */
function sameCount(words: string, { call }: Localizable, amount: bigint, most?: bigint): void {
  const item = /^(.+), or its item (\d+)$/.exec(words);
  if (item !== null) assert.equal(BigInt(item[2]!), amount);
  sameAmount(item?.[1] ?? words, call.chainId, call.to, amount, most);
}

function readSend(said: Localizable, from: string, to: string, amount: bigint): void {
  const [count, sender, recipient, chain, proviso] = pieces(
    said.words,
    /^Send (.+?) from (.+) to (.+?) on (.+?)(?:, if (.+) is a token)?$/,
  );
  sameCount(count!, said, amount);
  sameAddress(sender!, from);
  sameAddress(recipient!, to);
  sameChain(chain!, said.call.chainId);
  sameProviso(proviso!, said);
}

function readAllow(said: Localizable, verb: string): void {
  const [spender, amount] = said.given as [string, bigint];
  if (said.words.startsWith("Take back ")) {
    const [who, token, owner, chain] = pieces(
      said.words,
      /^Take back what (.+) may spend of (.+) from (.+) on (.+)$/,
    );
    assert.equal(amount, 0n);
    sameAddress(who!, spender);
    assert.equal(addressIn(token!), getAddress(said.call.to));
    sameCaller(owner!, said);
    sameChain(chain!, said.call.chainId);
    return;
  }
  const form = new RegExp(`^Allow (.+) to ${verb} (.+) from (.+?) on (.+?)(?:, if (.+) is a token)?$`);
  const [who, count, owner, chain, proviso] = pieces(said.words, form);
  sameAddress(who!, spender);
  sameCount(count!, said, amount, MOST_256);
  sameCaller(owner!, said);
  sameChain(chain!, said.call.chainId);
  sameProviso(proviso!, said);
}

function readItems(
  said: Localizable,
  items: readonly (readonly [id: bigint, amount: bigint | undefined])[],
): void {
  const [from, to] = said.given as [string, string];
  const [list, collection, sender, recipient, chain] = pieces(
    said.words,
    /^Send (.+) of (0x\w{40}|\S[^,]*? \(0x\w{40}\)) from (.+) to (.+?) on (.+?), if it is a collection$/,
  );
  assert.equal(addressIn(collection!), getAddress(said.call.to));
  sameAddress(sender!, from);
  sameAddress(recipient!, to);
  sameChain(chain!, said.call.chainId);
  for (const [index, part] of partsOf(list!, /./, items.length).entries()) {
    const [id, amount] = items[index]!;
    assert.equal(part, amount === undefined ? `item ${id}` : `${amount} of item ${id}`);
  }
}

type CallReader = (said: Localizable) => void;

/** Every function with a sentence of its own, and its parser. */
const FUNCTIONS: readonly (readonly [signature: string, read: CallReader])[] = [
  ["transfer(address,uint256)", (said) => readSend(said, said.caller, said.given[0], said.given[1])],
  [
    "transferFrom(address,address,uint256)",
    (said) => readSend(said, said.given[0], said.given[1], said.given[2]),
  ],
  ["approve(address,uint256)", (said) => readAllow(said, "spend")],
  ["increaseAllowance(address,uint256)", (said) => readAllow(said, "spend another")],
  ["safeTransferFrom(address,address,uint256)", (said) => readItems(said, [[said.given[2], undefined]])],
  [
    "safeTransferFrom(address,address,uint256,bytes)",
    (said) => readItems(said, [[said.given[2], undefined]]),
  ],
  [
    "safeTransferFrom(address,address,uint256,uint256,bytes)",
    (said) => readItems(said, [[said.given[2], said.given[3]]]),
  ],
  [
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
    (said) => readItems(said, [...said.given[2]].map((id, index) => [id, said.given[3][index]])),
  ],
  ["setApprovalForAll(address,bool)", (said) => {
    const [operator, approved] = said.given as [string, boolean];
    const [verb, who, every, collection, owner, chain] = pieces(
      said.words,
      /^(Allow|Forbid) (.+) to take (every|any) item of (.+) that (.+) has on (.+?), if it is a collection$/,
    );
    assert.deepEqual([verb, every], approved ? ["Allow", "every"] : ["Forbid", "any"]);
    sameAddress(who!, operator);
    assert.equal(addressIn(collection!), getAddress(said.call.to));
    sameCaller(owner!, said);
    sameChain(chain!, said.call.chainId);
  }],
  [
    "enableModule(address)",
    (said) => sameSelf(said, /^Make it obey the module (.+), which can do everything/),
  ],
  ["addOwnerWithThreshold(address,uint256)", (said) => {
    sameSelf(said, /^Make it add (.+) as an owner and require (\d+) signatures$/);
  }],
  ["transferOwnership(address)", (said) => {
    const [to, contract, chain] = pieces(said.words, /^Let (.+) control (.+) on (.+)$/);
    sameAddress(to!, said.given[0]);
    assert.equal(addressIn(contract!), getAddress(said.call.to));
    sameChain(chain!, said.call.chainId);
  }],
  // The pool of Aave V3, by a descriptor.
  ["borrow(address,uint256,uint256,uint16,address)", (said) => {
    const [amount, rate, debtor, pool, chain, value] = pieces(
      said.words,
      /^Borrow (.+) at a (.+) rate as a debt of (.+)\. By (.+) on (.+), with (.+)$/,
    );
    sameAmount(amount!, said.call.chainId, said.given[0], said.given[1]);
    const names: Readonly<Record<string, string>> = { "1": "stable", "2": "variable" };
    assert.equal(rate, names[String(said.given[2])] ?? String(said.given[2]));
    sameAddress(debtor!, said.given[4]);
    assert.equal(addressIn(pool!), getAddress(said.call.to));
    sameChain(chain!, said.call.chainId);
    sameNative(value!, said.call.value);
  }],
];

/** Checks a Safe's call of itself: one address and the required number of signatures. */
function sameSelf(said: Localizable, form: RegExp): void {
  // If the key's own account calls itself, it may or may not be a Safe.
  const self = /^Make (this key \(0x\w{40}\)), if it runs the code of a Safe, /.exec(said.words);
  assert.equal(self !== null, said.caller === SIGNER);
  if (self !== null) sameAddress(self[1]!, said.caller);
  const [address, threshold] = pieces(
    said.words.replace(self?.[0] ?? "", self === null ? "" : "Make it "),
    form,
  );
  assert.equal(getAddress(said.call.to), said.caller);
  sameAddress(address!, said.given[0]);
  if (threshold !== undefined) assert.equal(BigInt(threshold), said.given[1]);
}

function typesOf(signature: string): readonly string[] {
  return signature.slice(signature.indexOf("(") + 1, -1).split(",");
}

function argumentsOf(signature: string, data: string): readonly unknown[] {
  return [...AbiCoder.defaultAbiCoder().decode(typesOf(signature), dataSlice(data, 4))];
}

function encodeArguments(signature: string, given: readonly unknown[]): string {
  return AbiCoder.defaultAbiCoder().encode(typesOf(signature), given);
}

/** Checks the number of bytes behind the arguments, or the codes of their attribution. */
function sameRest(words: RegExpExecArray | null, rest: string): void {
  const [, count, codes] = words ?? [];
  if (codes === undefined) assert.equal(Number(count ?? 0), dataLength(rest));
  else assert.ok(rest.includes(hexlify(toUtf8Bytes(codes)).slice(2)));
}

const FOLLOWED =
  "followed by (?:(\\d+) bytes that are no argument|the attribution “([^“”]*)” \\(ERC-8021\\))$";
const REST = new RegExp(`, ${FOLLOWED}`);
const REST_OF_ALL = new RegExp(`, all of it ${FOLLOWED}`);

type InnerCall = readonly [to: string, value: bigint, data: string];

/** Finds the calls in the arguments, as the types of each function have them. */
// deno-lint-ignore no-explicit-any
type Unpack = (given: readonly any[]) => readonly InnerCall[];

/** Every function that makes calls, and its reader. */
const BATCHES: readonly (readonly [signature: string, calls: Unpack])[] = [
  ["execute(address,uint256,bytes)", ([to, value, data]) => [[to, value, data]]],
  [
    "executeBatch((address,uint256,bytes)[])",
    ([calls]) => [...calls].map(([to, value, data]) => [to, value, data]),
  ],
  ["aggregate3((address,bool,bytes)[])", ([calls]) => [...calls].map(([to, , data]) => [to, 0n, data])],
  ["multiSend(bytes)", ([transactions]) => unpack(transactions)],
];

/** Reads the list of MultiSend: an operation, an address, a value, a length and the data of each. */
function unpack(bytes: string): readonly InnerCall[] {
  if (bytes === "0x") return [];
  const end = 85 + Number(dataSlice(bytes, 53, 85));
  assert.equal(dataSlice(bytes, 0, 1), "0x00");
  const [to, value] = [dataSlice(bytes, 1, 21), BigInt(dataSlice(bytes, 21, 53))];
  return [[to, value, dataSlice(bytes, 85, end)], ...unpack(dataSlice(bytes, end))];
}

/** Checks calls in a call, each by its number. Only the account of the calls may be another. */
function readBatch(
  words: string,
  caller: string,
  call: CallJson,
  rest: RegExpExecArray | null,
): "true" | "plain" {
  const [account, along, list] = pieces(
    words,
    /^(?:Let (.+?) carry out|Carry out)(?: and send (.+?) along to the contract)?: (.+)$/,
  );
  if (along === "") assert.equal(call.value, 0n);
  else sameNative(along!, call.value);
  if (account !== "") sameAddress(account!, call.to);
  const [signature, read] = BATCHES.find(([signature]) => call.data.startsWith(id(signature).slice(0, 10)))!;
  const args = signature.slice(signature.indexOf("("));
  const given = AbiCoder.defaultAbiCoder().decode([`tuple${args}`], prefixed(args, call.data));
  const length = dataLength(AbiCoder.defaultAbiCoder().encode([`tuple${args}`], [...given])) - 32;
  sameRest(rest, dataSlice(call.data, 4 + length));
  const calls = read([...given[0]]);
  const parts = calls.length === 1 ? [list!] : list!.split(/\. (?=\(\d+\) )/);
  assert.equal(parts.length, calls.length, words);
  for (const [index, [to, value, data]] of calls.entries()) {
    const part = calls.length === 1 ? parts[index]! : parts[index]!.replace(`(${index + 1}) `, "");
    readCallSentence(part, account === "" ? caller : getAddress(call.to!), {
      chainId: call.chainId,
      to,
      value,
      data,
    });
  }
  return "true";
}

/** Returns the arguments in the form of one tuple: behind an offset if one of them is dynamic, which all have. */
function prefixed(args: string, data: string): string {
  assert.ok(args.includes("bytes"));
  return `0x${"20".padStart(64, "0")}${data.slice(10)}`;
}

/** Checks a sentence about a call by a transaction or a Safe. Returns "plain" if it does not say what the call does. */
export function readCallSentence(sentence: string, caller: string, call: CallJson): "true" | "plain" {
  const whole = sentence.replace(/ Gas costs [\d.]+ \S.* at most(?:; a fee for data comes on top)?\.$/, "")
    .replace(/\.$/, "");
  const isBatch = /^(?:Let .+? carry out|Carry out)/.test(whole);
  const rest = (isBatch ? REST_OF_ALL : REST).exec(whole);
  const text = rest === null ? whole : whole.slice(0, rest.index);
  if (isBatch) return readBatch(text, caller, call, rest);
  const along = / and send (.+) along to the contract$/.exec(text);
  const words = along === null ? text : text.slice(0, along.index);
  const { to, value, chainId } = call;
  const data = call.data.toLowerCase();
  if (to === null) {
    const form = /^Create a new contract from (\d+) bytes of code by (.+) on (.+), and give it (.+)\. What/;
    const [length, by, chain, given] = pieces(words, form);
    sameAddress(by!, caller);
    assert.equal(Number(length), data.length / 2 - 1);
    sameChain(chain!, chainId);
    sameNative(given!, value);
    return "true";
  }
  if (data === "0x") {
    const [amount, from, recipient, chain] = pieces(words, /^Send (.+?) from (.+) to (.+?) on (.+?)$/);
    sameNative(amount!, value);
    assert.equal(addressIn(from!), caller);
    sameAddress(recipient!, to);
    sameChain(chain!, chainId);
    return "true";
  }
  if (words.startsWith("Call ")) {
    const form = /^Call (?:function (0x[0-9a-f]{8}) of )?(.+?) on (.+?) with (.+) and (\d+) bytes\. What/;
    const [selector, contract, chain, given, length] = pieces(words, form);
    assert.equal(selector, data.length < 10 ? "" : data.slice(0, 10));
    assert.equal(Number(length), data.length / 2 - (data.length < 10 ? 1 : 5));
    sameAddress(contract!, to);
    sameChain(chain!, chainId);
    sameNative(given!, value);
    return "plain";
  }
  const [signature, read] = FUNCTIONS.find(([signature]) => data.startsWith(id(signature).slice(0, 10))) ??
    [];
  assert.ok(signature !== undefined && read !== undefined, `Words of a function without a reader: ${words}`);
  if (along !== null) sameNative(along[1]!, value);
  else if (!words.includes(", with ")) assert.equal(value, 0n, sentence);
  const given = argumentsOf(signature, data);
  sameRest(rest, dataSlice(data, 4 + dataLength(encodeArguments(signature, given))));
  read({ words, caller, call: { ...call, to }, given });
  return "true";
}
