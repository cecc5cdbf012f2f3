import { localizable } from "../format-message.ts";
import { abiFunction, type Call, type CalledFor, type CallKind, contractCallText } from "../call.ts";
import { findToken } from "../directory.ts";
import { allowanceEffect, type AssetAmount } from "../intent.ts";
import type { PlainStruct } from "../abi.ts";
import { readMembers } from "../roles.ts";
import { amountField, type IntentContext, listText, partyAt, warning } from "../parties.ts";

/** The functions of ERC-721 and ERC-1155 that ERC-20 does not have. */
export const COLLECTION_CALLS: readonly CallKind[] = [
  { called: abiFunction("safeTransferFrom(address from,address to,uint256 id)"), read: read721 },
  { called: abiFunction("safeTransferFrom(address from,address to,uint256 id,bytes data)"), read: read721 },
  {
    called: abiFunction("safeTransferFrom(address from,address to,uint256 id,uint256 amount,bytes data)"),
    read: read1155,
  },
  {
    called: abiFunction(
      "safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] amounts,bytes data)",
    ),
    read: readBatch,
  },
  { called: abiFunction("setApprovalForAll(address operator,bool approved)"), read: readApproval },
];

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly id: string;
  readonly amount: string;
}

interface Batch {
  readonly from: string;
  readonly to: string;
  readonly ids: readonly string[];
  readonly amounts: readonly string[];
}

interface Approval {
  readonly operator: string;
  readonly approved: boolean;
}

type Moved = Pick<AssetAmount, "amount"> & { readonly id: string };

function read721(call: Call, given: PlainStruct, context: IntentContext): CalledFor | undefined {
  const { from, to, id } = given as unknown as Transfer;
  return transfer(call, context, { from, to, standard: "erc721", items: [{ id, amount: "1" }] });
}

function read1155(call: Call, given: PlainStruct, context: IntentContext): CalledFor | undefined {
  const { from, to, id, amount } = given as unknown as Transfer;
  return transfer(call, context, { from, to, standard: "erc1155", items: [{ id, amount }] });
}

function readBatch(call: Call, given: PlainStruct, context: IntentContext): CalledFor | undefined {
  const { from, to, ids, amounts } = given as unknown as Batch;
  if (ids.length === 0 || ids.length !== amounts.length) return undefined;
  const items = ids.map((id, index) => ({ id, amount: amounts[index]! }));
  return transfer(call, context, { from, to, standard: "erc1155", items });
}

function transfer(
  call: Call,
  context: IntentContext,
  { from, to, standard, items }: {
    from: string;
    to: string;
    standard: "erc721" | "erc1155";
    items: readonly Moved[];
  },
): CalledFor | undefined {
  const { chainId } = call;
  if (findToken(context.directory, chainId, call.to) !== undefined) return undefined;
  const text = items.map(({ id, amount }) =>
    standard === "erc721" ? localizable("item", { id }) : localizable("someOfItem", { amount, id })
  );
  return {
    kind: "token_call",
    recognisedBy: standard === "erc721" ? "ERC-721" : "ERC-1155",
    text: localizable("itemTransfer", {
      ...contractCallText(call, context),
      items: listText(text),
      collection: partyAt(context, chainId, call.to),
      from: partyAt(context, chainId, from),
      to: partyAt(context, chainId, to),
    }),
    ...readMembers(context, chainId, [
      ["collection", call.to],
      ["sender", from],
      ["recipient", to],
      ...items.map(({ amount }, index) => amountField("itemLabel", text[index]!, BigInt(amount))),
    ], call.caller),
    effects: items.map(({ id, amount }) => ({
      effect: "transfer",
      from,
      to,
      asset: { standard, address: call.to, id, amount },
      until: null,
    })),
    // No list names collections: the contract may be another.
    effectsComplete: false,
  };
}

/** Reads an approval of ERC-721 or ERC-1155 for the whole collection, including later items. */
function readApproval(call: Call, given: PlainStruct, context: IntentContext): CalledFor | undefined {
  const { operator, approved } = given as unknown as Approval;
  const { chainId, caller } = call;
  if (findToken(context.directory, chainId, call.to) !== undefined) return undefined;
  return {
    kind: "token_call",
    recognisedBy: localizable("byCollections"),
    text: localizable("itemApproval", {
      ...contractCallText(call, context),
      approved,
      operator: partyAt(context, chainId, operator),
      collection: partyAt(context, chainId, call.to),
      owner: partyAt(context, chainId, caller),
    }),
    ...readMembers(context, chainId, [
      ["collection", call.to],
      [approved ? "operator" : "former_operator", operator],
      amountField("amountLabel", localizable(approved ? "everyItem" : "none"), approved ? 1n : 0n),
      ...(approved
        ? [warning("unlimited_allowance", localizable("mayTakeItems", { operator, collection: call.to }))]
        : []),
    ]),
    effects: [allowanceEffect({
      owner: caller,
      spender: operator,
      asset: { standard: "token", address: call.to, id: null },
      amount: approved ? 1n : 0n,
      most: 1n,
      until: null,
    })],
    effectsComplete: false,
  };
}
