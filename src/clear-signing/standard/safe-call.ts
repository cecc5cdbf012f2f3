import type { Party } from "../party.ts";
import { type Localizable, localizable } from "../format-message.ts";
import { abiFunction, type Call, type CalledFor, callerOf, type CallKind } from "../call.ts";
import type { PlainStruct } from "../abi.ts";
import { type PartyRole, readMembers } from "../roles.ts";
import { type IntentContext, numberField, partyAt, warning } from "../parties.ts";

/** The parameters of a message: addresses by parameter name, and the threshold. */
interface Given {
  readonly key: Party | undefined;
  readonly at: (parameter: string) => Party;
  readonly threshold: string;
}

type Roles = Readonly<Record<string, PartyRole>>;

type Phrase = (given: Given) => Localizable;

/** The calls with which a Safe changes itself (OwnerManager, ModuleManager, GuardManager, FallbackManager). */
export const SAFE_CALLS: readonly CallKind[] = [
  row(
    "enableModule(address module)",
    { module: "module" },
    ({ key, at }) => localizable("enableModule", { key, module: at("module") }),
  ),
  row(
    "disableModule(address previous,address module)",
    { module: "former_module" },
    ({ key, at }) => localizable("disableModule", { key, module: at("module") }),
  ),
  row(
    "addOwnerWithThreshold(address owner,uint256 threshold)",
    { owner: "new_owner" },
    ({ key, at, threshold }) => localizable("addOwner", { key, owner: at("owner"), threshold }),
  ),
  row(
    "removeOwner(address previous,address owner,uint256 threshold)",
    { owner: "former_owner" },
    ({ key, at, threshold }) => localizable("removeOwner", { key, owner: at("owner"), threshold }),
  ),
  row(
    "swapOwner(address previous,address old,address owner)",
    { old: "former_owner", owner: "new_owner" },
    ({ key, at }) => localizable("swapOwner", { key, old: at("old"), owner: at("owner") }),
  ),
  row(
    "changeThreshold(uint256 threshold)",
    {},
    ({ key, threshold }) => localizable("changeThreshold", { key, threshold }),
  ),
  row(
    "setGuard(address guard)",
    { guard: "guard" },
    ({ key, at }) => localizable("setGuard", { key, guard: at("guard") }),
  ),
  row(
    "setFallbackHandler(address handler)",
    { handler: "fallback_handler" },
    ({ key, at }) => localizable("setFallbackHandler", { key, handler: at("handler") }),
  ),
];

function row(text: string, roles: Roles, phrase: Phrase): CallKind {
  const called = abiFunction(text);
  return {
    called,
    read: (call, given, context) => readSelfCall(call, given, context, roles, phrase),
  };
}

function readSelfCall(
  call: Call,
  given: PlainStruct,
  context: IntentContext,
  roles: Roles,
  phrase: Phrase,
): CalledFor | undefined {
  const { chainId, caller } = call;
  if (call.to !== caller || call.value !== 0n) return undefined;
  const threshold = given.threshold as string | undefined;
  const isThresholdAlone = Object.keys(roles).length === 0;
  return {
    kind: "safe_transaction",
    recognisedBy: "Safe",
    text: phrase({
      // The Safe's transaction names it. A key that calls itself may also be one, since its account can run a Safe's
      // code.
      key: caller === context.signer ? callerOf(context, call) : undefined,
      at: (parameter) => partyAt(context, chainId, given[parameter] as string),
      threshold: threshold ?? "",
    }),
    ...readMembers(context, chainId, [
      ...Object.entries(roles).map(([member, role]) => [role, given[member] as string] as const),
      ...(threshold === undefined ? [] : [numberField("signaturesAsked", threshold)]),
      ...(threshold === "1" || isThresholdAlone
        ? [warning("control_change", localizable("signaturesRequired", { threshold: threshold! }))]
        : []),
    ]),
    effects: [{ effect: "control", account: caller }],
    effectsComplete: true,
  };
}
