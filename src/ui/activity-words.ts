import type { AuditDetails, AuditEventName } from "../audit/event.ts";
import { findChain } from "../ethereum/intent/chains.ts";
import type { TypedDataStandard } from "../ethereum/intent/recognise.ts";
import { html } from "../lib/html.ts";
import type { Html, HtmlValue } from "../lib/html.ts";
import { auditWords, REQUEST_ENDS } from "./audit-words.ts";
import { shortAddress } from "./parts.ts";

/** What an event happened to, as a person knows it. */
type Named = { readonly [E in AuditEventName]?: (it: Html, detail: AuditDetails[E]) => HtmlValue };

const MESSAGES: Readonly<Record<string, string>> = {
  personal_sign: "a message",
  raw: "raw bytes, blind",
  digest: "a digest, blind",
};

const STANDARDS: Readonly<Record<TypedDataStandard, string>> = {
  erc20_permit: "a token permit",
  dai_permit: "a Dai permit",
  permit2_allowance: "a Permit2 approval",
  permit2_transfer: "a Permit2 transfer",
  transfer_authorization: "a token transfer for somebody else to send",
  authorization_cancellation: "the cancellation of a token transfer",
  seaport_order: "a Seaport order",
  safe_transaction: "a transaction of a Safe",
  user_operation: "a user operation",
};

function chainOf(chainId: string): string {
  return findChain(chainId)?.name ?? `chain ${chainId}`;
}

/** Wei as a person writes them: no digit is lost. */
function amountOf(wei: string, chainId: string): string {
  const digits = wei.padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  const amount = fraction === "" ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
  return `${amount} ${findChain(chainId)?.currency ?? "of its currency"}`;
}

const WORDS: Named = {
  message_signed: (it, { format }) => html`${it} signed ${MESSAGES[format] ?? "a message"}`,
  typed_data_signed: (it, { standard }) =>
    html`${it} signed ${standard === undefined ? "typed data" : STANDARDS[standard] ?? "typed data"}`,
  transaction_signed: (it, { chainId, recipient, value, selector }) =>
    recipient === null
      ? html`${it} signed a transaction on ${chainOf(chainId)} that makes a contract`
      : html`${it} signed a transaction on ${chainOf(chainId)}: ${amountOf(value, chainId)} to ${
        shortAddress(recipient)
      }${selector !== null && ", with a call"}`,
  authorization_signed: (it, { chainId, delegate }) =>
    html`${it} signed that it runs the code of ${shortAddress(delegate)} on ${
      chainId === "0" ? "every chain" : chainOf(chainId)
    }`,
  signature_asked: (it) => html`You were asked for a signature of ${it}`,
  signing_request_ended: (it, { how, reason }) =>
    html`A signature of ${it} that was asked for was ${REQUEST_ENDS[how]}${
      reason !== null && ` (${reason})`
    }`,
  approval_refused: (it, { reason }) => html`The approval of a signature of ${it} was refused (${reason})`,
  token_created: (it) => html`You made the token ${it}`,
  token_changed: (it) => html`You changed the token ${it}`,
  token_revoked: (it) => html`You revoked the token ${it}`,
  consent_given: (it) => html`You let ${it} in`,
  consent_withdrawn: (it) => html`You withdrew the access of ${it}`,
  authorization_denied: (it) => html`You refused ${it}`,
};

/** How a sentence of `auditWords` begins whose subject has a name here. */
const UNNAMED = ["A key", "An application", "A token"] as const;

/**
 * An event in a sentence with names in it. `it` is what it happened to; undefined where that has no name here. `detail`
 * must be what was recorded under that name.
 */
export function activityWords(
  event: string,
  detail: Readonly<Record<string, unknown>>,
  it: Html | undefined,
): HtmlValue {
  const words = auditWords(event, detail);
  if (it === undefined) return words;
  const sentence = Object.hasOwn(WORDS, event)
    ? WORDS[event as AuditEventName] as (it: Html, detail: unknown) => HtmlValue
    : undefined;
  if (sentence !== undefined) return sentence(it, detail);
  const unnamed = UNNAMED.find((start) => words.startsWith(`${start} `));
  return unnamed === undefined ? words : html`${it}${words.slice(unnamed.length)}`;
}
