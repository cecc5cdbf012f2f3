import { type AbiFunction, decodeCall, type PlainStruct } from "../abi.ts";
import {
  abiFunction,
  type Call,
  type CallContext,
  type CalledFor,
  type CallKind,
  callText,
  contractCallText,
  type Part,
} from "../call.ts";
import { hasRole } from "../directory.ts";
import { isHops } from "../hops.ts";
import { type Localizable, localizable } from "../format-message.ts";
import type { AssetAmount, Effect } from "../intent.ts";
import { notUnderstood } from "../not-understood.ts";
import { permit2Permits, permit2Transfer, permit2Transfers } from "./permit2-call.ts";
import { readMembers } from "../roles.ts";
import { fromHex } from "../../lib/bytes.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import {
  addressField,
  amountField,
  dateField,
  decimal,
  nativeText,
  partyAt,
  tokenText,
  warning,
  ZERO_ADDRESS,
} from "../parties.ts";

/** The commands of Uniswap's Universal Router (its Commands.sol and Dispatcher.sol). */
export const ROUTER_CALLS: readonly CallKind[] = [
  router("execute(bytes commands,bytes[] inputs)"),
  router("execute(bytes commands,bytes[] inputs,uint256 deadline)"),
];

/** A plan: a byte for each command, with its input. */
interface Plan {
  readonly commands: string;
  readonly inputs: readonly string[];
}

/** A command's input, and the parts that it means. */
type Command = readonly [input: AbiFunction, parts: (call: Call, given: PlainStruct) => readonly Part[]];

const SWAP = "address to,uint256 first,uint256 second";
const PERMIT = "(address token,uint160 amount,uint48 expiration,uint48 nonce)";
const MOVED = "(address token,address to,uint256 amount)";

const COMMANDS: Readonly<Record<number, Command>> = {
  0x00: command(`v3ExactIn(${SWAP},bytes path,bool payerIsUser)`, described(swap("exact_in"))),
  0x01: command(`v3ExactOut(${SWAP},bytes path,bool payerIsUser)`, described(swap("exact_out"))),
  0x02: command("permit2(address token,address to,uint160 amount)", (call, { to, ...given }) => [
    permit2Transfer(call, { ...given as { token: string; amount: string }, to: recipientOf(call, to) }),
  ]),
  0x03: command(
    `permits((${PERMIT}[] details,address spender,uint256 sigDeadline) permit,bytes data)`,
    permit2Permits,
  ),
  0x04: command(`sweep${MOVED}`, described(payment("at_least"))),
  0x05: command(`transfer${MOVED}`, described(payment("exactly"))),
  0x06: command(`payPortion${MOVED}`, described(payment("share"))),
  0x08: command(`v2ExactIn(${SWAP},address[] path,bool payerIsUser)`, described(swap("exact_in"))),
  0x09: command(`v2ExactOut(${SWAP},address[] path,bool payerIsUser)`, described(swap("exact_out"))),
  0x0a: command(
    `permit((${PERMIT} details,address spender,uint256 sigDeadline) permit,bytes data)`,
    permit2Permits,
  ),
  0x0b: command("wrap(address to,uint256 amount)", described(payment("wrapped"))),
  0x0c: command("unwrap(address to,uint256 amount)", described(payment("at_least"))),
  0x0d: command(
    "permit2((address from,address to,uint160 amount,address token)[] transfers)",
    permit2Transfers,
  ),
  0x21: command(
    "plan(bytes commands,bytes[] inputs)",
    (call, given) => planParts(call, given as unknown as Plan),
  ),
};

function command(text: string, parts: Command[1]): Command {
  return [abiFunction(text), parts];
}

type Describe = (call: Call, given: PlainStruct, context: CallContext) => CalledFor;

function described(describe: Describe): Command[1] {
  return (call, given) => [{
    chainId: call.chainId,
    to: call.to,
    describe: (context) => describe(call, given, context),
  }];
}

function router(text: string): CallKind {
  return {
    called: abiFunction(text),
    read(call, given, context) {
      const { chainId, caller, to } = call;
      if (!hasRole(context.directory, chainId, to, "universal_router")) return undefined;
      const parts = planParts(call, given as unknown as Plan);
      if (parts.length === 0) return undefined;
      const { text, ...inner } = context.describeParts(parts);
      const own = readMembers(context, chainId, [
        ["contract", to],
        ...(given.deadline === undefined ? [] : [dateField("until", BigInt(given.deadline as string))]),
        ...(givesForNothing(inner.effects, caller)
          ? [warning("next_to_nothing", localizable("nothingReturns"))]
          : []),
      ]);
      return {
        kind: "batch",
        recognisedBy: "Universal Router",
        text: localizable("carryOut", {
          ...contractCallText(call, context),
          account: partyAt(context, chainId, to),
          calls: text,
        }),
        ...inner,
        fields: [...own.fields, ...inner.fields],
        warnings: [...own.warnings, ...inner.warnings],
      };
    },
  };
}

/** Returns true if the caller gives something in an exchange, and no effect brings something back. */
function givesForNothing(effects: readonly Effect[], caller: string): boolean {
  const isSome = ({ amount }: AssetAmount): boolean => amount !== "0";
  return effects.some((one) => one.effect === "exchange" && one.gives.some(isSome)) &&
    !effects.some((one) =>
      (one.effect === "exchange" && one.receives.some(isSome)) ||
      (one.effect === "transfer" && one.to === caller && isSome(one.asset))
    );
}

/** Reads each command. Its highest bit lets it fail. Routers differ in the meaning of the next bit. */
function planParts(call: Call, { commands, inputs }: Plan): readonly Part[] {
  const codes = fromHex(commands)!;
  if (codes.length !== inputs.length) return [];
  return inputs.flatMap((input, index) => {
    const [form, parts] = COMMANDS[codes[index]! & 0x7f] ?? [];
    const given = form && decodeCall(form, form.selector + input.slice(2));
    return given && parts ? parts(call, given) : described(unknownCommand(codes[index]!))(call, {});
  });
}

function unknownCommand(code: number): Describe {
  return (call, _, context) => ({
    kind: "contract_call",
    recognisedBy: localizable("byTransaction"),
    text: localizable("unknownCommand", { code: `0x${(code & 0x7f).toString(16).padStart(2, "0")}` }),
    fields: [],
    effects: [],
    effectsComplete: false,
    warnings: [notUnderstood(context, call.chainId, call.to, "call", call.caller)],
  });
}

/** Two addresses stand for the caller and for the router itself (Constants.sol). */
function recipientOf({ caller, to: router }: Call, to: unknown): string {
  return BigInt(to as string) === 1n ? caller : BigInt(to as string) === 2n ? router : to as string;
}

/** Returns the first and the last token of a list or of hops. */
function endsOf(path: readonly string[] | string): readonly [string, string] {
  if (typeof path !== "string") return [path[0] ?? ZERO_ADDRESS, path.at(-1) ?? ZERO_ADDRESS];
  const bytes = fromHex(path)!;
  return isHops(bytes)
    ? [toChecksumAddress(bytes.subarray(0, 20)), toChecksumAddress(bytes.subarray(-20))]
    : [ZERO_ADDRESS, ZERO_ADDRESS];
}

/** Reads an exchange. The path of V3 for an exact output is reversed, and its amounts too. */
function swap(kind: "exact_in" | "exact_out"): Describe {
  return (call, given, context) => {
    const { first, second, path, payerIsUser } = given as {
      first: string;
      second: string;
      path: string | readonly string[];
      payerIsUser: boolean;
    };
    const [least, most] = kind === "exact_in" ? [second, first] : [first, second];
    const ends = endsOf(path);
    const [from, into] = kind === "exact_out" && typeof path === "string"
      ? ends.toReversed() as [string, string]
      : ends;
    const { chainId, caller, to: router } = call;
    const [payer, to] = [payerIsUser ? caller : router, recipientOf(call, given.to)];
    const asset = (address: string, amount: string): AssetAmount => ({
      standard: "erc20",
      address,
      id: null,
      amount,
    });
    const text = (token: string, amount: string): Localizable =>
      tokenText(context, chainId, token, BigInt(amount));
    const [gives, gets] = [text(from, most), text(into, least)];
    return {
      kind: "described",
      recognisedBy: "Universal Router",
      text: localizable("swap", {
        ...callText(call, context),
        gives,
        gets,
        from: partyAt(context, chainId, payer),
        to: partyAt(context, chainId, to),
      }),
      ...readMembers(context, chainId, [
        ["item_token", from],
        ["item_token", into],
        amountField("gives", gives, BigInt(most)),
        amountField("gets", gets, BigInt(least)),
        ["recipient", to],
        ...(to === caller || to === router
          ? []
          : [warning("next_to_nothing", localizable("nothingReturns"))]),
      ]),
      effects: payer === caller || to === caller
        ? [{
          effect: "exchange",
          owner: caller,
          // The caller gave the router its assets before.
          gives: payer === caller ? [asset(from, most)] : [],
          receives: to === caller ? [asset(into, least)] : [],
          until: null,
        }]
        : [],
      // The assets of the router were given to it alone, not to everyone who trades.
      effectsComplete: payer === caller,
    };
  };
}

/** Reads a payment from what the router holds. A zero address means the native currency. */
function payment(kind: "at_least" | "exactly" | "share" | "wrapped"): Describe {
  return (call, given, context) => {
    const { token = ZERO_ADDRESS, amount } = given as { token?: string; amount: string };
    const { chainId, to: router } = call;
    const to = recipientOf(call, given.to);
    const isNative = token === ZERO_ADDRESS && kind !== "wrapped";
    const text = kind === "share"
      ? localizable("share", { percent: decimal(BigInt(amount), 2), token: partyAt(context, chainId, token) })
      : token === ZERO_ADDRESS
      ? nativeText(chainId, BigInt(amount))
      : tokenText(context, chainId, token, BigInt(amount));
    return {
      kind: "described",
      recognisedBy: "Universal Router",
      text: localizable("payment", {
        ...callText(call, context),
        kind,
        amount: text,
        from: partyAt(context, chainId, router),
        to: partyAt(context, chainId, to),
      }),
      fields: [addressField(context, "to", chainId, to), amountField("amountLabel", text, BigInt(amount))],
      effects: kind === "share" || kind === "wrapped" ? [] : [{
        effect: "transfer",
        from: router,
        to,
        asset: {
          standard: isNative ? "native" : "erc20",
          address: isNative ? null : token,
          id: null,
          amount,
        },
        until: null,
      }],
      // Only an exact amount says how much another gets.
      effectsComplete: kind === "exactly" || to === call.caller || to === router,
      warnings: [],
    };
  };
}
