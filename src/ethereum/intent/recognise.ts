import type { TypedDataExplanation } from "../typed-data/typed-data-explain.ts";
import { DAI_PERMIT } from "./dai-permit.ts";
import { readDescribedDocument } from "./descriptor-document.ts";
import { ERC20_PERMIT } from "./erc20-permit.ts";
import type { Intent } from "./intent.ts";
import { PERMIT2_ALLOWANCE } from "./permit2-allowance.ts";
import { PERMIT2_TRANSFER, readWitnessTransfer } from "./permit2-transfer.ts";
import { SAFE_TRANSACTION } from "./safe-transaction.ts";
import { SEAPORT_ORDER } from "./seaport-order.ts";
import { AUTHORIZATION_CANCELLATION, TRANSFER_AUTHORIZATION } from "./transfer-authorization.ts";
import { unknownTypedData } from "./typed-data.ts";
import { plainDomain, readDocument, type TypedDataKind, type TypedDocument } from "./typed-document.ts";
import { USER_OPERATION } from "./user-operation.ts";
import { distinct, type IntentContext } from "./words.ts";

const KINDS: readonly TypedDataKind[] = [
  ERC20_PERMIT,
  DAI_PERMIT,
  PERMIT2_ALLOWANCE,
  PERMIT2_TRANSFER,
  TRANSFER_AUTHORIZATION,
  AUTHORIZATION_CANCELLATION,
  SEAPORT_ORDER,
  SAFE_TRANSACTION,
  USER_OPERATION,
];

const BY_TYPE: ReadonlyMap<string, TypedDataKind> = new Map(
  KINDS.flatMap((kind) => kind.encodeTypes.map((text) => [text, kind] as const)),
);

/** The canonical texts of all types that are recognised (EIP-712, "Definition of encodeType"). */
export const KNOWN_TYPES: readonly string[] = [...BY_TYPE.keys()];

/**
 * What signing typed data does: by a standard whose type it has to the letter, else by a descriptor for its contract,
 * and else as typed data that is not understood. Never guesses: what does not fit exactly is left to the plain tree.
 */
export function typedDataIntent(explained: TypedDataExplanation, context: IntentContext): Intent {
  const document = readDocument(explained);
  const intent = (document && readStandard(document, context)) ??
    unknownTypedData(explained.primaryType, plainDomain(explained), context);
  return { ...intent, warnings: distinct(intent.warnings) };
}

function readStandard(document: TypedDocument, context: IntentContext): Intent | undefined {
  return BY_TYPE.get(document.encodeType)?.read(document, context) ??
    readDescribedDocument(document, context) ?? readWitnessTransfer(document, context);
}
