import { abiFunction, type Call, type CalledFor, type CallKind } from "./call.ts";
import { findContract } from "./directory.ts";
import type { IntentWarning } from "./intent.ts";
import type { PlainStruct } from "./plain.ts";
import {
  addressField,
  addressWarnings,
  addressWords,
  type IntentContext,
  numberField,
  warning,
} from "./words.ts";

/**
 * How a Safe changes itself: calls from itself to itself (OwnerManager, ModuleManager, GuardManager, FallbackManager).
 */
export const SAFE_CALLS: readonly CallKind[] = [
  row(
    "enableModule(address module)",
    { module: "Module" },
    ([module], words) =>
      `obey the module ${words(module!)}, which can do everything with it without any signature`,
  ),
  row(
    "disableModule(address previous,address module)",
    { module: "Module" },
    ([module], words) => `no longer obey the module ${words(module!)}`,
  ),
  row(
    "addOwnerWithThreshold(address owner,uint256 threshold)",
    { owner: "New owner" },
    ([owner], words, threshold) => `take ${words(owner!)} as an owner and ask for ${threshold} signatures`,
  ),
  row(
    "removeOwner(address previous,address owner,uint256 threshold)",
    { owner: "Owner that goes" },
    ([owner], words, threshold) =>
      `no longer have ${words(owner!)} as an owner and ask for ${threshold} signatures`,
  ),
  row(
    "swapOwner(address previous,address old,address owner)",
    { old: "Owner that goes", owner: "New owner" },
    ([old, owner], words) => `put ${words(owner!)} in the place of the owner ${words(old!)}`,
  ),
  row("changeThreshold(uint256 threshold)", {}, (_, __, threshold) => `ask for ${threshold} signatures`),
  row(
    "setGuard(address guard)",
    { guard: "Guard" },
    ([guard], words) => `let the guard ${words(guard!)} decide what may be done`,
  ),
  row(
    "setFallbackHandler(address handler)",
    { handler: "Fallback handler" },
    ([handler], words) => `let ${words(handler!)} answer for it`,
  ),
];

type Phrase = (
  addresses: readonly string[],
  words: (address: string) => string,
  threshold: string,
) => string;

/** The parameters that are addresses, with their labels. */
type Labels = Readonly<Record<string, string>>;

function row(text: string, labels: Labels, phrase: Phrase): CallKind {
  const called = abiFunction(text);
  return {
    called,
    read: (call, given, context) => readSelfCall(call, given, context, labels, phrase),
  };
}

function readSelfCall(
  call: Call,
  given: PlainStruct,
  context: IntentContext,
  labels: Labels,
  phrase: Phrase,
): CalledFor | undefined {
  const { chainId } = call;
  if (call.to !== call.caller || call.value !== 0n) return undefined;
  const named = Object.entries(labels).map(([member, label]) => ({
    member,
    label,
    address: given[member] as string,
  }));
  const threshold = given.threshold as string | undefined;
  const words = (address: string): string => addressWords(context, chainId, address);
  return {
    kind: "safe_transaction",
    recognisedBy: "Safe",
    words: `Make ${callerWords(call, context)} ${
      phrase(named.map(({ address }) => address), words, threshold ?? "")
    }`,
    fields: [
      ...named.map(({ label, address }) => addressField(context, label, chainId, address)),
      ...(threshold === undefined ? [] : [numberField("Signatures asked for", threshold)]),
    ],
    effects: [],
    warnings: named.flatMap((one) => selfWarnings(context, call, one)),
  };
}

/** A Safe was named before its transaction; a key that calls itself may be one, since its account can run a Safe's code. */
function callerWords({ chainId, caller }: Call, context: IntentContext): string {
  return caller === context.signer
    ? `${addressWords(context, chainId, caller)}, if it runs the code of a Safe,`
    : "it";
}

function selfWarnings(
  context: IntentContext,
  { chainId, data }: Call,
  { member, label, address }: { member: string; label: string; address: string },
): IntentWarning[] {
  if (member === "module" && data.startsWith(ENABLE_MODULE)) {
    const isModule = findContract(context.directory, chainId, address)?.role === "safe_module";
    return isModule ? [] : [warning("unknown_module", `The module ${address} is not known here`)];
  }
  const isGivenPower = member === "guard" || member === "handler";
  return isGivenPower ? addressWarnings(context, `The ${label.toLowerCase()}`, chainId, address) : [];
}

const ENABLE_MODULE = abiFunction("enableModule(address module)").selector;
