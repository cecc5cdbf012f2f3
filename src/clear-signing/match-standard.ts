import type { CheckedTypedData } from "../ethereum/typed-data/typed-data.ts";
import type { TypedDataExplanation } from "../ethereum/typed-data/typed-data-explain.ts";
import { describeParts } from "./known-calls.ts";
import { DAI_PERMIT } from "./standard/dai-permit.ts";
import { readDescribedDocument } from "./descriptor/document.ts";
import { ERC20_PERMIT } from "./standard/erc20-permit.ts";
import { FORWARD_REQUEST } from "./standard/forward-request.ts";
import type { Intent, IntentKind } from "./intent.ts";
import { localizable } from "./format-message.ts";
import { personalBytesIntent } from "./message.ts";
import { readNestedMessage, readNestedTypedData } from "./standard/nested-typed-data.ts";
import { PERMIT2_ALLOWANCE } from "./standard/permit2-allowance.ts";
import { PERMIT2_TRANSFER } from "./standard/permit2-transfer.ts";
import { SAFE_TRANSACTION } from "./standard/safe-transaction.ts";
import { SEAPORT_ORDER } from "./standard/seaport-order.ts";
import { AUTHORIZATION_CANCELLATION, TRANSFER_AUTHORIZATION } from "./standard/transfer-authorization.ts";
import { unknownTypedData, type UnreadDocument } from "./typed-data.ts";
import { plainDomain, readDocument, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import { USER_OPERATION } from "./standard/user-operation.ts";
import { distinct, type IntentContext, partyAt } from "./parties.ts";

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
  forward_request: FORWARD_REQUEST,
} as const satisfies Partial<Readonly<Record<IntentKind, TypedDataKind>>>;

/** A standard whose typed data is recognised by its type. */
export type TypedDataStandard = keyof typeof KINDS;

type Row = readonly [TypedDataStandard, TypedDataKind];

const ROWS: readonly Row[] = (Object.keys(KINDS) as TypedDataStandard[]).map((name) => [name, KINDS[name]]);
const BY_TYPE: ReadonlyMap<string, Row> = new Map(
  ROWS.flatMap((row) => row[1].encodeTypes.map((text) => [text, row] as const)),
);

function rowOf(encodeType: string): Row | undefined {
  return BY_TYPE.get(encodeType) ??
    ROWS.find(([, { heads }]) => heads.some((head) => encodeType.startsWith(head)));
}

/** Returns the standard with this type, or with the beginning of it. Does not check the contract or the values. */
export function matchStandard({ message, typeTexts }: CheckedTypedData): TypedDataStandard | undefined {
  return message === undefined ? undefined : rowOf(typeTexts.get(message.type) ?? "")?.[0];
}

/** The canonical texts of all recognised types (EIP-712, "Definition of encodeType"). */
export const KNOWN_TYPES: readonly string[] = [...BY_TYPE.keys()];

/** Describes typed data by a standard, a descriptor, or as unknown. Never guesses without an exact match. */
export function typedDataIntent(explained: TypedDataExplanation, context: IntentContext): Intent {
  const document = readDocument(explained);
  const intent = (document && describeNested(document, context)) ??
    describeDocument(document ?? { ...explained, domain: plainDomain(explained) }, context);
  return { ...intent, warnings: distinct(intent.warnings) };
}

/** Describes what the key signs for an account (ERC-7739). Undefined for other typed data. */
function describeNested(document: TypedDocument, context: IntentContext): Intent | undefined {
  const data = readNestedTypedData(document);
  const message = readNestedMessage(document);
  const account = data?.account ?? message?.account;
  if (account === undefined) return undefined;
  const holding = { ...context, account };
  const intent = data === undefined
    ? personalBytesIntent(message!.payload, holding)
    : describeDocument(data.contents, holding);
  return {
    ...intent,
    sentence: localizable("forAccount", {
      account: partyAt(context, intent.chainId, account),
      sentence: intent.sentence,
    }),
  };
}

function describeDocument(document: UnreadDocument | TypedDocument, context: IntentContext): Intent {
  return ("absent" in document ? readStandard(document, context) : undefined) ??
    unknownTypedData(document, { ...context, isStandard: rowOf(document.encodeType) !== undefined });
}

/**
 * A standard recognised by its whole type has priority over a descriptor. One recognised by the beginning of its type
 * leaves the words to a descriptor, and its own effects and warnings still count.
 */
function readStandard(document: TypedDocument, context: IntentContext): Intent | undefined {
  const intent = rowOf(document.encodeType)?.[1].read(document, context);
  if (intent !== undefined && BY_TYPE.has(document.encodeType)) return intent;
  const described = readDescribedDocument(document, {
    ...context,
    describeParts: (parts) => describeParts(parts, context),
  });
  if (intent === undefined || described === undefined) return intent ?? described;
  const { effects, effectsComplete, warnings } = intent;
  return { ...described, effects, effectsComplete, warnings: [...warnings, ...described.warnings] };
}
