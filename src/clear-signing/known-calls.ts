import { localizable } from "./format-message.ts";
import { type AbiFunction, decodeCall } from "./abi.ts";
import { type Call, type CalledFor, type CallKind, callText } from "./call.ts";
import { COLLECTION_CALLS } from "./standard/collection-call.ts";
import { describeCallByDescriptor } from "./descriptor/call.ts";
import { ERC20_CALLS } from "./standard/erc20-call.ts";
import type { IntentWarning } from "./intent.ts";
import { readMembers } from "./roles.ts";
import { SAFE_CALLS } from "./standard/safe-call.ts";
import {
  addressField,
  amountField,
  bytesField,
  type IntentContext,
  nativeText,
  partyAt,
  warning,
} from "./parties.ts";

/** The recognised functions by selector. Those of a Safe count only if it calls itself. */
const KINDS: ReadonlyMap<string, CallKind> = new Map(
  [...ERC20_CALLS, ...COLLECTION_CALLS, ...SAFE_CALLS].map((kind) => [kind.called.selector, kind]),
);

/** Describes a call by a standard, otherwise by a descriptor, otherwise as unknown. */
export function describeCall(call: Call, context: IntentContext): CalledFor {
  if (call.data === "0x") return nativeTransfer(call, context);
  return withCall(call, describeStandard(call, context) ?? describeCallByDescriptor(call, context)) ??
    unknownCall(call, context);
}

export function understoodFunctions(): readonly AbiFunction[] {
  return [...KINDS.values()].map(({ called }) => called);
}

function describeStandard(call: Call, context: IntentContext): CalledFor | undefined {
  const kind = KINDS.get(call.data.slice(0, 10));
  const given = kind && decodeCall(kind.called, call.data);
  return given && kind?.read(call, given, context);
}

function withCall(call: Call, described: CalledFor | undefined): CalledFor | undefined {
  return described && { ...described, effects: [callEffect(call), ...described.effects] };
}

function callEffect({ caller, to, value, data }: Call): CalledFor["effects"][number] {
  return {
    effect: "call",
    caller,
    to,
    operation: "call",
    value: value.toString(),
    selector: data.length < 10 ? null : data.slice(0, 10),
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
      from: partyAt(context, chainId, caller),
      to: partyAt(context, chainId, to),
    }),
    fields: [
      addressField(context, "from", chainId, caller),
      addressField(context, "to", chainId, to),
      amountField("amountLabel", text, value),
    ],
    effects: [callEffect(call), {
      effect: "transfer",
      from: caller,
      to,
      asset: { standard: "native", address: null, id: null, amount: value.toString() },
      until: null,
    }],
    warnings: [],
  };
}

function unknownCall(call: Call, context: IntentContext): CalledFor {
  const { chainId, to, value, data } = call;
  const [selector, count] = data.length < 10
    ? [undefined, data.length / 2 - 1]
    : [data.slice(0, 10), data.length / 2 - 5];
  const text = nativeText(chainId, value);
  return {
    kind: "contract_call",
    recognisedBy: localizable("byTransaction"),
    text: localizable("unknownCall", {
      ...callText(call, context),
      selector,
      contract: partyAt(context, chainId, to),
      amount: text,
      count,
    }),
    ...readMembers(context, chainId, [
      ["contract", to],
      amountField("amountLabel", text, value),
      bytesField("data", data),
      ...argumentWarnings(call),
    ]),
    effects: [callEffect(call)],
  };
}

/** Warns because contracts ignore trailing bytes, and some ignore bits that should be zero. */
function argumentWarnings({ data }: Call): readonly IntentWarning[] {
  const called = KINDS.get(data.slice(0, 10))?.called;
  if (called === undefined || decodeCall(called, data) !== undefined) return [];
  return [warning("unread_arguments", localizable("unreadArguments", { signature: called.signature }))];
}
