import { abiFunction, type Call, type CallKind, contractCallText, type Part } from "../call.ts";
import type { PlainStruct } from "../abi.ts";
import { type Given, readAllowance, readTransfer } from "./erc20-call.ts";
import { localizable } from "../format-message.ts";
import { PERMIT2 } from "../registry/contracts.ts";

const DETAILS = "(address token,uint160 amount,uint48 expiration,uint48 nonce)";
const PERMIT = "address spender,uint256 sigDeadline";

/** The functions of Permit2 for several tokens, and for signed permits. Those for one token are with ERC-20's. */
export const PERMIT2_CALLS: readonly CallKind[] = [
  row("transferFrom((address from,address to,uint160 amount,address token)[] transfers)", permit2Transfers),
  row(`permit(address owner,(${DETAILS} details,${PERMIT}) permit,bytes signature)`, permit2Permits),
  row(`permit(address owner,(${DETAILS}[] details,${PERMIT}) permit,bytes signature)`, permit2Permits),
  row(
    "lockdown((address token,address spender)[] approvals)",
    (call, { approvals }) =>
      (approvals as unknown as readonly Given[]).map((one) => allowance(call, { ...one, amount: "0" })),
  ),
];

/** Returns a part for each transfer through Permit2. */
export function permit2Transfers(call: Call, { transfers }: PlainStruct): readonly Part[] {
  return (transfers as unknown as readonly Given[]).map((one) => permit2Transfer(call, one));
}

export function permit2Transfer(call: Call, given: Given): Part {
  return {
    chainId: call.chainId,
    to: PERMIT2,
    describe: (context) => readTransfer({ ...call, value: 0n }, given, context, { isPermit2: true }),
  };
}

/** Returns a part for each allowance of a permit. Without `owner` it is the caller's. */
export function permit2Permits(call: Call, { owner, permit }: PlainStruct): readonly Part[] {
  const { details, spender, sigDeadline } = permit as unknown as {
    readonly details: Given | readonly Given[];
    readonly spender: string;
    readonly sigDeadline: string;
  };
  return [details].flat().map((one) =>
    allowance(call, {
      ...one,
      owner: (owner as string | undefined) ?? call.caller,
      spender,
      deadline: sigDeadline,
    })
  );
}

function allowance(call: Call, given: Given): Part {
  return {
    chainId: call.chainId,
    to: PERMIT2,
    describe: (context) => readAllowance({ ...call, value: 0n }, given, context, { isPermit2: true }),
  };
}

function row(text: string, parts: (call: Call, given: PlainStruct) => readonly Part[]): CallKind {
  return {
    called: abiFunction(text),
    read(call, given, context) {
      const all = call.to === PERMIT2 ? parts(call, given) : [];
      if (all.length === 0) return undefined;
      const { text, ...inner } = context.describeParts(all);
      return {
        kind: "batch",
        recognisedBy: "Permit2",
        text: all.length === 1 ? text : localizable("carryOut", {
          ...contractCallText(call, context),
          account: undefined,
          calls: text,
        }),
        ...inner,
      };
    },
  };
}
