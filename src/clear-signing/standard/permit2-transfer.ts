import { localizable } from "../format-message.ts";
import type { Intent } from "../intent.ts";
import { permit2Contract, type TokenPermissions } from "./permit2.ts";
import type { Member } from "../roles.ts";
import { typedDataKind, type TypedDocument } from "../typed-document.ts";
import {
  dateText,
  type IntentContext,
  largest,
  listText,
  mostText,
  textField,
  tokenText,
} from "../parties.ts";

interface PermitTransfer {
  readonly permitted: TokenPermissions | readonly TokenPermissions[];
  readonly spender: string;
  readonly nonce: string;
  readonly deadline: string;
}

const MEMBERS = "address spender,uint256 nonce,uint256 deadline";
const PERMISSIONS = "TokenPermissions(address token,uint256 amount)";

/** One-time transfers from an account through Permit2 (its SignatureTransfer). */
export const PERMIT2_TRANSFER = typedDataKind<PermitTransfer>({
  kind: "permit2_transfer",
  recognisedBy: "Permit2",
  encodeTypes: [
    `PermitTransferFrom(TokenPermissions permitted,${MEMBERS})${PERMISSIONS}`,
    `PermitBatchTransferFrom(TokenPermissions[] permitted,${MEMBERS})${PERMISSIONS}`,
  ],
  domainContract: permit2Contract,
  read({ permitted, spender, deadline }, { context, chainId, chain, partyOf }) {
    const permits = [permitted].flat();
    if (permits.length === 0) return undefined;
    const end = BigInt(deadline);
    return {
      sentence: localizable("permit2Transfer", {
        spender: partyOf(spender),
        amount: listText(
          permits.map(({ token, amount }) => mostText(context, chainId, token, BigInt(amount), largest(256))),
        ),
        owner: partyOf(context.signer),
        chain,
        until: dateText(end),
      }),
      members: [
        ["spender", spender],
        ...permits.flatMap(({ token, amount: value }): readonly Member[] => {
          const amount = BigInt(value);
          const text = tokenText(context, chainId, token, amount, largest(256));
          return [["token", token], ["transfer_allowance", { spender, amount, text }]];
        }),
        ["permit_end", end],
      ],
      effects: permits.map(({ token, amount }) => ({
        effect: "allowance",
        owner: context.signer,
        spender,
        asset: { standard: "erc20", address: token, id: null },
        amount: BigInt(amount) === largest(256) ? null : amount,
        until: deadline,
      })),
    };
  },
});

/** A transfer bound to a witness: a struct that the spender must present, with a meaning of the spender's own. */
const WITNESS =
  /^Permit(?:Batch)?WitnessTransferFrom\(TokenPermissions(?:\[\])? permitted,address spender,uint256 nonce,uint256 deadline,([A-Za-z_$][\w$]*) ([A-Za-z_$][\w$]*)\)/;

/** Reads a permit with a witness, whose types the application defines. */
export function readWitnessTransfer(document: TypedDocument, context: IntentContext): Intent | undefined {
  const [head, type] = WITNESS.exec(document.encodeType) ?? [];
  if (head === undefined || type === undefined || type === "TokenPermissions") return undefined;
  const isBatch = head.startsWith("PermitBatch");
  if (isBatch !== head.includes("TokenPermissions[]")) return undefined;
  if (!document.encodeType.includes(`)${PERMISSIONS}`)) return undefined;
  const intent = PERMIT2_TRANSFER.read(document, context);
  if (intent === undefined) return undefined;
  return {
    ...intent,
    recognisedBy: localizable("byWitness"),
    sentence: localizable("withWitness", { sentence: intent.sentence, type }),
    fields: [...intent.fields, textField("boundTo", type)],
  };
}
