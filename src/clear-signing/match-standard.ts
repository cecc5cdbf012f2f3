import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import type { TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import { DAI_PERMIT } from "./standard/dai-permit.ts";
import { readDescribedDocument } from "./descriptor/document.ts";
import { ERC20_PERMIT } from "./standard/erc20-permit.ts";
import type { Intent, IntentKind } from "./intent.ts";
import { PERMIT2_ALLOWANCE } from "./standard/permit2-allowance.ts";
import { PERMIT2_TRANSFER, readWitnessTransfer } from "./standard/permit2-transfer.ts";
import { SAFE_TRANSACTION } from "./standard/safe-transaction.ts";
import { SEAPORT_ORDER } from "./standard/seaport-order.ts";
import { AUTHORIZATION_CANCELLATION, TRANSFER_AUTHORIZATION } from "./standard/transfer-authorization.ts";
import { unknownTypedData } from "./typed-data.ts";
import { plainDomain, readDocument, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import { USER_OPERATION } from "./standard/user-operation.ts";
import { distinct, type IntentContext } from "./parties.ts";

const KINDS = {
  erc20_permit: ERC20_PERMIT,
  dai_permit: DAI_PERMIT,
  permit2_allowance: PERMIT2_ALLOWANCE,
  permit2_transfer: PERMIT2_TRANSFER,
  transfer_authorization: TRANSFER_AUTHORIZATION,
  authorization_cancellation: AUTHORIZATION_CANCELLATION,
  seaport_order: SEAPORT_ORDER,
  safe_transaction: SAFE_TRANSACTION,
  user_operation: USER_OPERATION,
} as const satisfies Partial<Readonly<Record<IntentKind, TypedDataKind>>>;

/** A standard whose typed data is recognised by its type. */
export type TypedDataStandard = keyof typeof KINDS;

const BY_TYPE: ReadonlyMap<string, readonly [TypedDataStandard, TypedDataKind]> = new Map(
  (Object.keys(KINDS) as TypedDataStandard[]).flatMap((name) =>
    KINDS[name].encodeTypes.map((text) => [text, [name, KINDS[name]]] as const)
  ),
);

/** Returns the standard with exactly this type. Does not check the contract or the values. */
export function matchStandard({ message, typeTexts }: CheckedTypedData): TypedDataStandard | undefined {
  return message === undefined ? undefined : BY_TYPE.get(typeTexts.get(message.type) ?? "")?.[0];
}

/** The canonical texts of all recognised types (EIP-712, "Definition of encodeType"). */
export const KNOWN_TYPES: readonly string[] = [...BY_TYPE.keys()];

/** Describes typed data by a standard, a descriptor, or as unknown. Never guesses without an exact match. */
export function typedDataIntent(explained: TypedDataExplanation, context: IntentContext): Intent {
  const document = readDocument(explained);
  const intent = (document && readStandard(document, context)) ??
    unknownTypedData(explained.primaryType, plainDomain(explained), context);
  return { ...intent, warnings: distinct(intent.warnings) };
}

function readStandard(document: TypedDocument, context: IntentContext): Intent | undefined {
  return BY_TYPE.get(document.encodeType)?.[1].read(document, context) ??
    readDescribedDocument(document, context) ?? readWitnessTransfer(document, context);
}
