import type { Party } from "../words/party.ts";
import { type Said, say, type TextCode } from "../words/said.ts";
import { abiFunction, type Call, type CalledFor, type CallKind } from "./call.ts";
import { findContract } from "./directory.ts";
import type { IntentWarning } from "./intent.ts";
import type { PlainStruct } from "./plain.ts";
import { addressField, addressWarnings, type IntentContext, numberField, partyAt, warning } from "./words.ts";

/** What a row is said with: the addresses by the names of their parameters, and the threshold. */
interface Given {
  readonly key: Party | undefined;
  readonly at: (parameter: string) => Party;
  readonly threshold: string;
}

/** The parameters that are addresses, with their labels. */
type Labels = Readonly<Record<string, TextCode>>;

type Phrase = (given: Given) => Said;

/**
 * How a Safe changes itself: calls from itself to itself (OwnerManager, ModuleManager, GuardManager, FallbackManager).
 */
export const SAFE_CALLS: readonly CallKind[] = [
  row(
    "enableModule(address module)",
    { module: "module" },
    ({ key, at }) => say("enableModule", { key, module: at("module") }),
  ),
  row(
    "disableModule(address previous,address module)",
    { module: "module" },
    ({ key, at }) => say("disableModule", { key, module: at("module") }),
  ),
  row(
    "addOwnerWithThreshold(address owner,uint256 threshold)",
    { owner: "newOwner" },
    ({ key, at, threshold }) => say("addOwner", { key, owner: at("owner"), threshold }),
  ),
  row(
    "removeOwner(address previous,address owner,uint256 threshold)",
    { owner: "oldOwner" },
    ({ key, at, threshold }) => say("removeOwner", { key, owner: at("owner"), threshold }),
  ),
  row(
    "swapOwner(address previous,address old,address owner)",
    { old: "oldOwner", owner: "newOwner" },
    ({ key, at }) => say("swapOwner", { key, old: at("old"), owner: at("owner") }),
  ),
  row(
    "changeThreshold(uint256 threshold)",
    {},
    ({ key, threshold }) => say("changeThreshold", { key, threshold }),
  ),
  row(
    "setGuard(address guard)",
    { guard: "guard" },
    ({ key, at }) => say("setGuard", { key, guard: at("guard") }),
  ),
  row(
    "setFallbackHandler(address handler)",
    { handler: "fallbackHandler" },
    ({ key, at }) => say("setFallbackHandler", { key, handler: at("handler") }),
  ),
];

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
  const { chainId, caller } = call;
  if (call.to !== caller || call.value !== 0n) return undefined;
  const named = Object.entries(labels).map(([member, label]) => ({
    member,
    label,
    address: given[member] as string,
  }));
  const threshold = given.threshold as string | undefined;
  return {
    kind: "safe_transaction",
    recognisedBy: "Safe",
    words: phrase({
      // A Safe was named before its transaction; a key that calls itself may be one, since its account can run a Safe's
      // code.
      key: caller === context.signer ? partyAt(context, chainId, caller) : undefined,
      at: (parameter) => partyAt(context, chainId, given[parameter] as string),
      threshold: threshold ?? "",
    }),
    fields: [
      ...named.map(({ label, address }) => addressField(context, label, chainId, address)),
      ...(threshold === undefined ? [] : [numberField("signaturesAsked", threshold)]),
    ],
    effects: [],
    warnings: named.flatMap((one) => selfWarnings(context, call, one)),
  };
}

function selfWarnings(
  context: IntentContext,
  { chainId, data }: Call,
  { member, address }: { readonly member: string; readonly address: string },
): IntentWarning[] {
  if (member === "module" && data.startsWith(ENABLE_MODULE)) {
    const isModule = findContract(context.directory, chainId, address)?.role === "safe_module";
    return isModule ? [] : [warning("unknown_module", say("unknownContract", { what: "module", address }))];
  }
  if (member === "guard") return addressWarnings(context, "guard", chainId, address);
  return member === "handler" ? addressWarnings(context, "fallback_handler", chainId, address) : [];
}

const ENABLE_MODULE = abiFunction("enableModule(address module)").selector;
