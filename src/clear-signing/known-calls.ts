import { type Localizable, localizable } from "./format-message.ts";
import { type AbiFunction, decodeArguments } from "./abi.ts";
import {
  type Call,
  type CallContext,
  type CalledFor,
  callEffects,
  callerOf,
  type CallKind,
  callText,
  type Inner,
  type Part,
  withRest,
} from "./call.ts";
import { COLLECTION_CALLS } from "./standard/collection-call.ts";
import { CONTAINER_CALLS, MULTI_SEND } from "./standard/container-call.ts";
import { CONTROL_CALLS } from "./standard/control-call.ts";
import { describeCallByDescriptor } from "./descriptor/call.ts";
import { hasRole } from "./directory.ts";
import { ERC20_CALLS } from "./standard/erc20-call.ts";
import type { IntentField, IntentWarning } from "./intent.ts";
import { notUnderstood } from "./not-understood.ts";
import { PERMIT2_CALLS } from "./standard/permit2-call.ts";
import { readMembers } from "./roles.ts";
import { ROUTER_CALLS } from "./standard/router-call.ts";
import { SAFE_CALLS } from "./standard/safe-call.ts";
import {
  addressField,
  addressText,
  amountField,
  bytesField,
  type IntentContext,
  nativeText,
  partyAt,
  warning,
} from "./parties.ts";

/** The recognised functions. Those of a Safe count only if it calls itself. */
const ALL: readonly CallKind[] = [
  ...ERC20_CALLS,
  ...COLLECTION_CALLS,
  ...PERMIT2_CALLS,
  ...SAFE_CALLS,
  ...CONTROL_CALLS,
  ...CONTAINER_CALLS,
  ...ROUTER_CALLS,
];

/** The recognised functions by selector, filled at the first use. */
const KINDS = new Map<string, CallKind>();

function findKind(data: string): CallKind | undefined {
  if (KINDS.size === 0) { for (const kind of ALL) KINDS.set(kind.called.selector, kind); }
  return KINDS.get(data.slice(0, 10));
}

/** The limits of calls in calls. What lies beyond them is not read. */
const MOST_DEPTH = 10;
const MOST_PARTS = 256;
/** The number of calls in a sentence, and of dangerous ones that follow them. */
const MOST_SAID = 5;
const MOST_DANGERS = 5;

/** Describes a call by a standard, otherwise by a descriptor, otherwise as unknown. */
export function describeCall(call: Call, context: IntentContext): CalledFor {
  return describeAt(call, context, { depth: 0, budget: { parts: MOST_PARTS } });
}

/** Describes parts of a document, as those of a call. */
export function describeParts(parts: readonly Part[], context: IntentContext): Inner {
  return describePartsAt(parts, context, { depth: 0, budget: { parts: MOST_PARTS } });
}

export function understoodFunctions(): readonly AbiFunction[] {
  return ALL.map(({ called }) => called);
}

/** The depth of a call, and the number of parts that the document may still have. */
interface Nesting {
  readonly depth: number;
  readonly budget: { parts: number };
}

function withParts(context: IntentContext, nesting: Nesting): CallContext {
  return { ...context, describeParts: (parts) => describePartsAt(parts, context, nesting) };
}

function describeAt(given: Call, context: IntentContext, nesting: Nesting): CalledFor {
  // Foreign code runs with no value.
  const call = given.operation === "call" ? given : { ...given, value: 0n };
  const described = call.operation === "call" && call.data === "0x"
    ? nativeTransfer(call, context)
    : describeStandard(call, withParts(context, nesting)) ??
      describeByDescriptor(call, withParts(context, nesting)) ??
      unknownCall(call, context);
  return { ...described, effects: [...callEffects(call), ...described.effects] };
}

/** Foreign code may do anything with an account, except for the code that makes a list of calls. */
function describeStandard(call: Call, context: CallContext): CalledFor | undefined {
  const { chainId, to, data, operation } = call;
  const kind = findKind(data);
  const isBatch = kind?.called.signature === MULTI_SEND && hasRole(context.directory, chainId, to, "batch");
  if (operation === "delegate_call" && !isBatch) return undefined;
  const decoded = kind && decodeArguments(kind.called, data);
  const described = decoded && kind?.read(call, decoded.given, context);
  return described && withRest(described, decoded.rest);
}

function describeByDescriptor(call: Call, context: CallContext): CalledFor | undefined {
  return call.operation === "call" ? describeCallByDescriptor(call, context) : undefined;
}

function describePartsAt(parts: readonly Part[], context: IntentContext, { depth, budget }: Nesting): Inner {
  const read: (readonly [part: Part, described: CalledFor])[] = [];
  for (const part of parts) {
    if (depth >= MOST_DEPTH || budget.parts <= 0) break;
    budget.parts--;
    const deeper = { depth: depth + 1, budget };
    read.push([
      part,
      "describe" in part ? part.describe(withParts(context, deeper)) : describeAt(part, context, deeper),
    ]);
  }
  const described = read.map(([, described]) => described);
  const isCut = described.length < parts.length;
  return {
    text: partsText(described, parts.length),
    fields: read.flatMap(([{ chainId, to }, { fields }], index) => [
      ...(parts.length === 1 ? [] : [partField(context, index + 1, chainId, to)]),
      ...fields,
    ]),
    effects: described.flatMap(({ effects }) => effects),
    effectsComplete: !isCut && described.every(({ effectsComplete }) => effectsComplete),
    warnings: [
      ...(isCut ? [notUnderstood(context, null, null, "rest")] : []),
      ...described.flatMap(({ warnings }) => warnings),
    ],
  };
}

/** Formats the first parts and then dangerous ones, by their numbers. */
function partsText(described: readonly CalledFor[], count: number): Localizable {
  if (count === 1 && described.length === 1) return described[0]!.text;
  const isDangerous = ({ warnings }: CalledFor): boolean => warnings.some(({ level }) => level === "red");
  const numbered = described.map((one, index) => ({ ...one, number: index + 1 }));
  const said = [
    ...numbered.slice(0, MOST_SAID),
    ...numbered.slice(MOST_SAID).filter((one) => count === MOST_SAID + 1 || isDangerous(one)).slice(
      0,
      MOST_DANGERS,
    ),
  ];
  return localizable("parts", {
    texts: said.map(({ text }) => text),
    numbers: said.map(({ number }) => number),
    more: count - said.length,
  });
}

function partField(context: IntentContext, number: number, chainId: string, to: string): IntentField {
  return {
    label: localizable("partLabel", { number }),
    format: "address",
    value: addressText(context, chainId, to),
    raw: to,
  };
}

function nativeTransfer(call: Call, context: IntentContext): CalledFor {
  const { chainId, caller, to, value } = call;
  const text = nativeText(chainId, value);
  return {
    kind: "native_transfer",
    recognisedBy: localizable("byTransaction"),
    text: localizable("nativeTransfer", {
      ...callText(call, context),
      amount: text,
      from: callerOf(context, call),
      to: partyAt(context, chainId, to),
    }),
    fields: [
      addressField(context, "from", chainId, caller),
      addressField(context, "to", chainId, to),
      amountField("amountLabel", text, value),
    ],
    effects: [],
    effectsComplete: true,
    warnings: [],
  };
}

function unknownCall(call: Call, context: IntentContext): CalledFor {
  const { chainId, to, value, data, operation } = call;
  const count = data.length / 2 - 1;
  const party = partyAt(context, chainId, to);
  if (operation === "delegate_call") {
    return {
      kind: "contract_call",
      recognisedBy: localizable("byTransaction"),
      text: localizable("delegateCall", { ...callText(call, context), code: party, count }),
      ...readMembers(context, chainId, [
        warning(
          "delegate_call",
          localizable("runsForeignCode", { account: callerOf(context, call), code: party }),
        ),
        ["code", to],
        bytesField("data", data),
      ]),
      effects: [],
      effectsComplete: false,
    };
  }
  const selector = count < 4 ? undefined : data.slice(0, 10);
  const text = nativeText(chainId, value);
  return {
    kind: "contract_call",
    recognisedBy: localizable("byTransaction"),
    text: localizable("unknownCall", {
      ...callText(call, context),
      selector,
      contract: party,
      amount: text,
      count: selector === undefined ? count : count - 4,
    }),
    ...readMembers(context, chainId, [
      ["contract", to],
      amountField("amountLabel", text, value),
      bytesField("data", data),
      unknownWarning(call, context),
    ], call.caller),
    effects: [],
    effectsComplete: false,
  };
}

/** Warns because some contracts ignore bits that should be zero, and accept offsets in any order. */
function unknownWarning({ chainId, caller, to, data }: Call, context: IntentContext): IntentWarning {
  const called = findKind(data)?.called;
  if (called === undefined || decodeArguments(called, data) !== undefined) {
    return notUnderstood(context, chainId, to, "call", caller);
  }
  return warning("unread_arguments", localizable("unreadArguments", { signature: called.signature }));
}
