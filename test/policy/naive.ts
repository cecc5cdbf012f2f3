import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import {
  decodeFunctionData,
  encodeFunctionData,
  hexToBytes,
  keccak256,
  parseAbiItem,
  stringToHex,
} from "viem";
import type { Hex } from "viem";

/**
 * A second reader of policies, written from docs/reference/policies.md for tests alone. It works on the JSON of
 * policies and documents and is slow. It uses other libraries and no code of the service.
 */

// deno-lint-ignore no-explicit-any -- JSON, as it stands
type Json = any;

export interface Field {
  readonly name: string;
  readonly type: string;
}

/** A document to sign, as JSON. */
export type Document =
  | { readonly kind: "message"; readonly format: "personal_sign" | "raw" | "digest"; readonly bytes: Hex }
  | { readonly kind: "typed_data"; readonly typedData: Json; readonly encodeType: string }
  | { readonly kind: "transaction"; readonly transaction: Json }
  | { readonly kind: "authorization"; readonly authorization: Json };

type Outcome = "allow" | "ask" | "deny";

interface Value {
  readonly type: string;
  readonly value: Json;
}

/** Returns every value on a path, or undefined if one is missing. */
function valuesOn(
  types: Record<string, readonly Field[]>,
  root: Value,
  steps: readonly string[],
): Value[] | undefined {
  const [step, ...rest] = steps;
  const array = /^(.*)\[\d*\]$/.exec(root.type);
  const fields = types[root.type];
  if (step === undefined) return array !== null || fields !== undefined ? undefined : [root];
  if (array !== null) {
    const items: Json[] = root.value;
    const chosen = step === "*" ? items : items[Number(step)] === undefined ? [] : [items[Number(step)]];
    if (chosen.length === 0) return undefined;
    const found = chosen.map((value) => valuesOn(types, { type: array[1]!, value }, rest));
    return found.some((one) => one === undefined) ? undefined : found.flatMap((one) => one!);
  }
  const field = fields?.find(({ name }) => name === step);
  if (field === undefined || root.value === null) return undefined;
  return valuesOn(types, { type: field.type, value: root.value[step] }, rest);
}

function holds(limit: Json, { type, value }: Value, now: number): boolean {
  const isNumber = /^u?int\d+$/.test(type);
  if (
    limit.atMost !== undefined && !(isNumber && BigInt(value) >= 0n && BigInt(value) <= BigInt(limit.atMost))
  ) {
    return false;
  }
  if (limit.within !== undefined) {
    const latest = BigInt(Math.floor(now / 1000)) + BigInt(limit.within);
    if (!isNumber || BigInt(value) < 0n || BigInt(value) > latest) return false;
  }
  if (limit.oneOf === undefined) return true;
  return limit.oneOf.some((one: string | boolean) => {
    if (typeof one === "boolean" || type === "bool") return one === value;
    if (type === "string") return one === value;
    if (isNumber) return /^(-?[1-9]\d*|0|0x[0-9a-f]+)$/i.test(one) && BigInt(one) === BigInt(value);
    return one.toLowerCase() === String(value).toLowerCase();
  });
}

type Look = (path: string) => Value[] | undefined;

function allHold(where: Json, look: Look, now: number): boolean {
  return Object.entries(where).every(([path, limit]) => {
    const values = look(path);
    return values !== undefined && values.every((value) => holds(limit, value, now));
  });
}

/** Returns true if the budgets have room for this act, with nothing spent before. */
function isWithinBudgets(policy: Json, spends: Json[], look: Look): boolean {
  const sums: Record<string, { budget: string; sum: bigint }> = {};
  const highest: Record<string, bigint> = {};
  for (const { budget, path, recipient, channel } of spends) {
    const amounts = path === undefined ? [{ type: "uint", value: 1 }] : look(path);
    if (
      amounts === undefined || amounts.some(({ type, value }) => !/^u?int/.test(type) || BigInt(value) < 0n)
    ) return false;
    const [recipients, channels] = [recipient, channel].map((at) =>
      at === undefined ? amounts.map(() => ({ value: "" })) : look(at)
    );
    for (const names of [recipients, channels]) {
      if (names === undefined || (names.length !== 1 && names.length !== amounts.length)) return false;
    }
    for (const [index, { value }] of amounts.entries()) {
      const nameAt = (names: Json) =>
        String((names.length === 1 ? names[0] : names[index]).value).toLowerCase();
      const voucher = JSON.stringify([budget, nameAt(channels)]);
      const before = channel === undefined ? 0n : highest[voucher] ?? 0n;
      if (channel !== undefined && BigInt(value) > before) highest[voucher] = BigInt(value);
      const place = JSON.stringify([budget, nameAt(recipients)]);
      sums[place] ??= { budget, sum: 0n };
      if (BigInt(value) > before) sums[place].sum += BigInt(value) - before;
    }
  }
  return Object.values(sums).every(({ budget, sum }) =>
    Object.values(policy.budgets[budget]).every((most) => sum <= BigInt(most as string))
  );
}

function typedDataMatches(
  policy: Json,
  rule: Json,
  document: Extract<Document, { kind: "typed_data" }>,
  now: number,
): boolean {
  const { domain, types, primaryType, message } = document.typedData;
  const text = (value: Json) => value === undefined ? null : String(value);
  if (text(domain.chainId) !== rule.chainId) return false;
  if (text(domain.verifyingContract)?.toLowerCase() !== rule.verifyingContract?.toLowerCase()) return false;
  if (rule.name !== undefined && domain.name !== rule.name) return false;
  if (rule.domainVersion !== undefined && domain.version !== rule.domainVersion) return false;
  if (keccak256(stringToHex(document.encodeType)) !== rule.typeHash) return false;
  const look: Look = (path) =>
    valuesOn(types, { type: primaryType, value: message }, path.split("/").slice(1));
  const isSafe = document.encodeType.startsWith("SafeTx(") && rule.where["/operation"] === undefined;
  if (isSafe && String(message.operation) !== "0") return false;
  return allHold(rule.where, look, now) && isWithinBudgets(policy, rule.spends, look);
}

/** Returns the arguments of a call by name, or undefined unless the data is exactly such a call. */
function argumentsOf(signature: string, data: Hex): Look | undefined {
  const item = parseAbiItem(`function ${signature}` as string) as Json;
  try {
    const { functionName, args } = decodeFunctionData({ abi: [item], data }) as Json;
    if (encodeFunctionData({ abi: [item], functionName, args }).toLowerCase() !== data.toLowerCase()) {
      return undefined;
    }
    const root = Object.fromEntries(item.inputs.map(({ name }: Field, index: number) => [name, args[index]]));
    return (path) => valuesOn({ Call: item.inputs }, { type: "Call", value: root }, path.split("/").slice(1));
  } catch {
    return undefined;
  }
}

function isListed(list: Json, address: string): boolean {
  return list === "any" || list.some((one: string) => one.toLowerCase() === address.toLowerCase());
}

function transactionMatches(policy: Json, rule: Json, transaction: Json, now: number): boolean {
  const { chainId, to, value, data, gas, authorizationList } = transaction;
  if (String(chainId) !== rule.chainId || BigInt(value) > BigInt(rule.valueAtMost)) return false;
  if (to === null ? rule.to !== "creation" : rule.to === "creation" || !isListed(rule.to, to)) return false;
  const blobs = BigInt(transaction.blobVersionedHashes?.length ?? 0) * 131072n *
    BigInt(transaction.maxFeePerBlobGas ?? 0);
  const fee = BigInt(gas) * BigInt(transaction.gasPrice ?? transaction.maxFeePerGas) + blobs;
  if (fee > BigInt(rule.feeAtMost)) return false;
  if (authorizationList !== undefined) {
    if (rule.delegates === undefined) return false;
    if (!authorizationList.every(({ address }: Json) => isListed(rule.delegates, address))) return false;
  }
  if (rule.selectors !== undefined && rule.selectors !== "any") {
    const selector = data.length === 2 ? "0x" : data.length < 10 ? "none" : data.slice(0, 10).toLowerCase();
    if (!rule.selectors.includes(selector)) return false;
  }
  const args = rule.call === undefined ? undefined : argumentsOf(rule.call.function, data);
  if (rule.call !== undefined && (args === undefined || !allHold(rule.call.where, args, now))) return false;
  const look: Look = (path) => {
    if (path === "/value") return [{ type: "uint256", value }];
    if (path === "/fee") return [{ type: "uint256", value: fee }];
    if (path === "/to") return to === null ? undefined : [{ type: "address", value: to }];
    return args?.(path.slice("/call".length));
  };
  return isWithinBudgets(policy, rule.spends, look);
}

function textIn(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const back = new TextEncoder().encode(text);
  if (text === "" || back.toHex() !== bytes.toHex()) return undefined;
  // deno-lint-ignore no-control-regex -- characters that no text has
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return undefined;
  return bytes.length === 32 && /[^A-Za-z0-9 \n.,:;!?'/_-]/.test(text) ? undefined : text;
}

function signInMatches(rule: Json, text: string): boolean {
  let message: Json;
  try {
    message = parseSiweMessage(text);
    if (createSiweMessage(message) !== text) return false;
  } catch {
    return false;
  }
  const { domain, uri, chainId, resources = [], scheme } = message;
  if (!rule.domains.includes(domain.toLowerCase())) return false;
  const [, protocol, host] = /^([a-z]+):\/\/([^/?#]+)/.exec(uri) ?? [];
  if (host !== domain || (scheme !== undefined && protocol !== scheme)) return false;
  if (rule.chainIds !== undefined && !rule.chainIds.includes(String(chainId))) return false;
  return resources.length === 0 || rule.resources === "any";
}

function messageOutcomes(policy: Json, { format, bytes }: Extract<Document, { kind: "message" }>): Outcome[] {
  if (format !== "personal_sign") return [policy[format]];
  const text = textIn(hexToBytes(bytes));
  if (text === undefined) return [policy.messages.bytes];
  const rules = policy.messages.signIn.filter((rule: Json) => signInMatches(rule, text));
  return [policy.messages.text, ...rules.map(({ outcome }: Json) => outcome)];
}

function outcomesOf(policy: Json, document: Document, now: number): Outcome[] {
  const among = (rules: Json[], matches: (rule: Json) => boolean) =>
    rules.filter(matches).map(({ outcome }) => outcome);
  switch (document.kind) {
    case "message":
      return messageOutcomes(policy, document);
    case "typed_data":
      return among(policy.typedData, (rule) => typedDataMatches(policy, rule, document, now));
    case "transaction":
      return among(
        policy.transactions,
        (rule) => transactionMatches(policy, rule, document.transaction, now),
      );
    case "authorization": {
      const { chainId, address } = document.authorization;
      return among(
        policy.authorizations,
        (rule) => rule.chainId === String(chainId) && isListed(rule.delegates, address),
      );
    }
  }
}

/** Returns the outcome of a policy in its normal form for a document, with nothing counted before. */
export function readPlainly(policy: Json, document: Document, now: number): Outcome {
  if (policy.notAfter !== undefined && now > Date.parse(policy.notAfter)) return "deny";
  const outcomes = outcomesOf(policy, document, now);
  return outcomes.includes("allow") ? "allow" : outcomes.includes("ask") ? "ask" : "deny";
}
