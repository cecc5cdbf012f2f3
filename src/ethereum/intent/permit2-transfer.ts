import { say } from "../words/said.ts";
import type { Intent } from "./intent.ts";
import { permit2Place, type TokenPermissions } from "./permit2.ts";
import type { TypedDataKind, TypedDocument } from "./typed-document.ts";
import {
  addressField,
  addressWarnings,
  amountField,
  chainField,
  chainWarnings,
  chainWords,
  dateField,
  dateWords,
  endWarnings,
  type IntentContext,
  isUnlimited,
  largest,
  listWords,
  mostWords,
  partyAt,
  textField,
  tokenWords,
  warning,
} from "./words.ts";

interface PermitTransfer {
  readonly permitted: TokenPermissions | readonly TokenPermissions[];
  readonly spender: string;
  readonly nonce: string;
  readonly deadline: string;
}

const MEMBERS = "address spender,uint256 nonce,uint256 deadline";
const PERMISSIONS = "TokenPermissions(address token,uint256 amount)";

/** Transfers out of an account through Permit2, once (its SignatureTransfer). */
export const PERMIT2_TRANSFER: TypedDataKind = {
  encodeTypes: [
    `PermitTransferFrom(TokenPermissions permitted,${MEMBERS})${PERMISSIONS}`,
    `PermitBatchTransferFrom(TokenPermissions[] permitted,${MEMBERS})${PERMISSIONS}`,
  ],
  read,
};

/** The same, bound to a witness: a struct that the spender has to present, whatever it means to him. */
const WITNESS =
  /^Permit(?:Batch)?WitnessTransferFrom\(TokenPermissions(?:\[\])? permitted,address spender,uint256 nonce,uint256 deadline,([A-Za-z_$][\w$]*) ([A-Za-z_$][\w$]*)\)/;

/** Reads a permit with a witness, whose types are the application's own. */
export function readWitnessTransfer(document: TypedDocument, context: IntentContext): Intent | undefined {
  const [head, type] = WITNESS.exec(document.encodeType) ?? [];
  if (head === undefined || type === undefined || type === "TokenPermissions") return undefined;
  const isBatch = head.startsWith("PermitBatch");
  if (isBatch !== head.includes("TokenPermissions[]")) return undefined;
  if (!document.encodeType.includes(`)${PERMISSIONS}`)) return undefined;
  const intent = read(document, context);
  if (intent === undefined) return undefined;
  return {
    ...intent,
    recognisedBy: say("byWitness"),
    sentence: say("withWitness", { sentence: intent.sentence, type }),
    fields: [...intent.fields, textField("boundTo", type)],
  };
}

function read({ domain, message }: TypedDocument, context: IntentContext): Intent | undefined {
  const place = permit2Place(domain);
  if (place === undefined) return undefined;
  const { chainId, contract } = place;
  const { permitted, spender, deadline } = message as unknown as PermitTransfer;
  const permits = [permitted].flat();
  if (permits.length === 0) return undefined;
  const end = BigInt(deadline);
  const words = permits.map(({ token, amount }) =>
    tokenWords(context, chainId, token, BigInt(amount), largest(256))
  );
  return {
    kind: "permit2_transfer",
    recognisedBy: "Permit2",
    sentence: say("permit2Transfer", {
      spender: partyAt(context, chainId, spender),
      amount: listWords(
        permits.map(({ token, amount }) => mostWords(context, chainId, token, BigInt(amount), largest(256))),
      ),
      owner: partyAt(context, chainId, context.signer),
      chain: chainWords(chainId),
      until: dateWords(end),
    }),
    chainId,
    contract,
    fields: [
      addressField(context, "spender", chainId, spender),
      ...permits.flatMap(({ token, amount }, index) => [
        addressField(context, "token", chainId, token),
        amountField("amountLabel", words[index]!, BigInt(amount)),
      ]),
      dateField("usableUntil", end),
      chainField(chainId),
    ],
    effects: permits.map(({ token, amount }) => ({
      effect: "allowance",
      owner: context.signer,
      spender,
      asset: { standard: "erc20", address: token, id: null },
      amount: BigInt(amount) === largest(256) ? null : amount,
      until: deadline,
    })),
    warnings: [
      ...permits.flatMap(({ amount }, index) =>
        isUnlimited(BigInt(amount))
          ? [warning("unlimited_allowance", say("mayTake", { spender, amount: words[index]! }))]
          : []
      ),
      ...endWarnings(context, "permit_end", end),
      ...permits.flatMap(({ token }) => addressWarnings(context, "token", chainId, token)),
      ...addressWarnings(context, "spender", chainId, spender),
      ...chainWarnings(chainId),
    ],
  };
}
