import { type Localizable, localizable, type TextCode } from "../format-message.ts";
import { SEAPORTS } from "../registry/contracts.ts";
import type { AssetAmount, IntentField } from "../intent.ts";
import { describeParts } from "../known-calls.ts";
import { notUnderstood } from "../not-understood.ts";
import { type Member, readMembers } from "../roles.ts";
import {
  type DescribedMessage,
  type DomainContract,
  domainContract,
  type MessageContext,
  type PlainDomain,
  typedDataKind,
} from "../typed-document.ts";
import {
  amountField,
  dateText,
  type IntentContext,
  isDust,
  listText,
  nativeText,
  tokenText,
  warning,
  ZERO_ADDRESS,
} from "../parties.ts";

interface OfferItem {
  readonly itemType: string;
  readonly token: string;
  readonly identifierOrCriteria: string;
  readonly startAmount: string;
  readonly endAmount: string;
}

interface ConsiderationItem extends OfferItem {
  readonly recipient: string;
}

interface Order {
  readonly offerer: string;
  readonly zone: string;
  readonly offer: readonly OfferItem[];
  readonly consideration: readonly ConsiderationItem[];
  readonly orderType: string;
  readonly startTime: string;
  readonly endTime: string;
}

/** The item types (ItemType of Seaport). With criteria, the fulfiller picks the item. */
const ITEM_TYPES: Readonly<Record<string, { standard: AssetAmount["standard"]; isPicked: boolean }>> = {
  "0": { standard: "native", isPicked: false },
  "1": { standard: "erc20", isPicked: false },
  "2": { standard: "erc721", isPicked: false },
  "3": { standard: "erc1155", isPicked: false },
  "4": { standard: "erc721", isPicked: true },
  "5": { standard: "erc1155", isPicked: true },
};

function seaportContract(domain: PlainDomain): DomainContract | undefined {
  const found = domainContract(domain);
  if (found === undefined || domain.name !== "Seaport" || domain.version === undefined) return undefined;
  return Object.hasOwn(SEAPORTS, domain.version) && SEAPORTS[domain.version] === found.contract
    ? found
    : undefined;
}

const ITEMS =
  "ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount," +
  "uint256 endAmount,address recipient)" +
  "OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)";
const ORDER =
  "OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration," +
  "uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey," +
  "uint256 counter)";

/** A tree of orders. Empty ones fill it up. */
interface Orders {
  readonly tree: readonly unknown[];
}

/** The first type of a tree: each level has two branches, and there are at most 24 levels. */
const BULK = /^BulkOrder\(OrderComponents(?:\[2\]){1,24} tree\)/;

/** An order of Seaport, or a tree of orders of which each is signed, for the live versions. */
export const SEAPORT_ORDER = typedDataKind<Order | Orders>({
  kind: "seaport_order",
  recognisedBy: "Seaport",
  encodeTypes: [ORDER + ITEMS],
  heads: { types: ["BulkOrder(OrderComponents["], members: ["tree"] },
  domainContract: seaportContract,
  read(message, at) {
    if (!("tree" in message)) return readOrder(message, at);
    const { context, chainId, contract, encodeType } = at;
    if (encodeType.replace(BULK, "") !== ITEMS + ORDER) return undefined;
    const orders = (message.tree.flat(Infinity) as readonly Order[]).filter(({ offerer }) =>
      offerer !== ZERO_ADDRESS
    );
    if (orders.length === 0) return undefined;
    const { text, fields, warnings, ...inner } = describeParts(
      orders.map((order) => ({
        chainId,
        to: contract,
        describe: (context) => {
          const read = readOrder(order, at) ?? unreadOrder(order, at);
          const { sentence, members, effects, effectsComplete } = read;
          return {
            kind: "seaport_order",
            recognisedBy: "Seaport",
            text: sentence,
            ...readMembers(context, chainId, members),
            effects,
            effectsComplete,
          };
        },
      })),
      context,
    );
    return { sentence: localizable("orders", { orders: text }), members: [...fields, ...warnings], ...inner };
  },
});

function unreadOrder(
  { offerer }: Order,
  { context, chainId, contract, partyOf }: MessageContext,
): DescribedMessage {
  return {
    sentence: localizable("unreadOrder", { offerer: partyOf(offerer) }),
    members: [["offerer", offerer], notUnderstood(context, chainId, contract, "typed_data")],
    effects: [],
    effectsComplete: false,
  };
}

function readOrder(
  order: Order,
  { context, chainId, chain, partyOf }: MessageContext,
): DescribedMessage | undefined {
  const { offerer, offer, consideration } = order;
  // Contract orders (type 4) let the offerer's contract change what is given.
  if (offer.length === 0 || BigInt(order.orderType) > 3n) return undefined;
  if (![...offer, ...consideration].every(isSound)) return undefined;
  const [start, end] = [BigInt(order.startTime), BigInt(order.endTime)];
  const back = consideration.filter(({ recipient }) => recipient === offerer);
  const elsewhere = consideration.filter(({ recipient }) => recipient !== offerer);
  const receives = back.map((item) => assetOf(item, "least"));
  const text = (items: readonly OfferItem[]): Localizable =>
    listText(items.map((item) => itemText(context, chainId, item)));
  const forIt = back.length === 0
    ? localizable("nothingBack")
    : localizable("mustComeBack", { items: text(back) });
  const others = elsewhere.map((item) =>
    localizable("mustGoTo", { items: text([item]), to: partyOf(item.recipient) })
  );
  return {
    sentence: localizable("seaportOrder", {
      gives: text(offer),
      offerer: partyOf(offerer),
      chain,
      back: forIt,
      elsewhere: others.length === 0 ? undefined : listText(others),
      // Orders of types 2 and 3 are restricted: their zone decides who may fulfil them.
      zone: BigInt(order.orderType) < 2n ? undefined : order.zone,
      start: dateText(start),
      end: dateText(end),
    }),
    members: [
      ["offerer", offerer],
      ...offer.map((item) => itemField(context, chainId, "gives", item)),
      ...back.map((item) => itemField(context, chainId, "comesBack", item)),
      ...elsewhere.flatMap((item): readonly Member[] => [
        itemField(context, chainId, "goesElsewhere", item),
        ["recipient", item.recipient],
      ]),
      ...(receives.every((asset) => isDust(context, chainId, asset))
        ? [warning("next_to_nothing", localizable("givesAway", { back: forIt }))]
        : []),
      ["order_start", start],
      ["order_end", end],
      ...[...offer, ...back].flatMap(({ itemType, token }): readonly Member[] =>
        itemType === "0" ? [] : [["item_token", token]]
      ),
    ],
    effects: [{
      effect: "exchange",
      owner: offerer,
      gives: offer.map((item) => assetOf(item, "most")),
      receives,
      until: order.endTime,
    }],
    effectsComplete: true,
  };
}

/** Returns true if the members are consistent: those that the type does not use are zero, and an ERC-721 counts one. */
function isSound({ itemType, token, identifierOrCriteria, startAmount, endAmount }: OfferItem): boolean {
  const type = ITEM_TYPES[itemType];
  if (type === undefined) return false;
  if (type.standard === "native" && token !== ZERO_ADDRESS) return false;
  if ((type.standard === "native" || type.standard === "erc20") && identifierOrCriteria !== "0") return false;
  return type.standard !== "erc721" || (startAmount === "1" && endAmount === "1");
}

/** Returns the asset with the amount worse for the owner: it moves from start to end while the order is open. */
function assetOf(
  { itemType, token, identifierOrCriteria, startAmount, endAmount }: OfferItem,
  which: "most" | "least",
): AssetAmount {
  const { standard, isPicked } = ITEM_TYPES[itemType]!;
  const isItem = standard === "erc721" || standard === "erc1155";
  const [start, end] = [BigInt(startAmount), BigInt(endAmount)];
  return {
    standard,
    address: standard === "native" ? null : token,
    id: isItem && !isPicked ? identifierOrCriteria : null,
    amount: ((which === "most") === (start > end) ? start : end).toString(),
  };
}

function itemText(context: IntentContext, chainId: string, item: OfferItem): Localizable {
  const { standard, isPicked } = ITEM_TYPES[item.itemType]!;
  const [start, end] = [BigInt(item.startAmount), BigInt(item.endAmount)];
  if (standard === "native" || standard === "erc20") {
    const text = (amount: bigint): Localizable =>
      standard === "native" ? nativeText(chainId, amount) : tokenText(context, chainId, item.token, amount);
    return start === end
      ? text(start)
      : localizable("fromFirstToLast", { first: text(start), last: text(end) });
  }
  const id = item.identifierOrCriteria;
  return localizable("orderItem", {
    // A zero root admits every item. Another root admits the items of a tree that only its author knows.
    which: !isPicked ? "one" : id === "0" ? "any" : "certain",
    id,
    collection: item.token,
    count: standard === "erc721" ? undefined : { first: item.startAmount, last: item.endAmount },
  });
}

function itemField(context: IntentContext, chainId: string, label: TextCode, item: OfferItem): IntentField {
  return amountField(label, itemText(context, chainId, item), BigInt(item.startAmount));
}
