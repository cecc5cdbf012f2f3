import { type Chain, findChain } from "../clear-signing/registry/chains.ts";
import { shortAddress } from "../ethereum/address.ts";
import { html } from "../lib/html.ts";
import type { Language } from "../lib/language.ts";
import { defineEvent, type Translations } from "./event-row.ts";

/**
 * `digest` is the 32 signed bytes, 0x-hex. `by` is the id of the requesting token or grant, if any, and `client` the
 * grant's client. `approvedBy` is the passkey with which the owner approved the request, if needed.
 */
interface SignedFor {
  readonly digest: string;
  readonly by?: string;
  readonly client?: string;
  readonly approvedBy?: string;
}

const FOR_PROGRAM: Translations = { en: ", for the program with", de: ", für das Programm mit" };

const FOR_APPLICATION: Translations = { en: ", for the application", de: ", für die Anwendung" };

/** Returns the end of a sentence that names the requester of a signature; empty for the owner. */
function requesterText(
  { by, client }: { readonly by?: string | undefined; readonly client?: string | undefined },
  language: Language,
): string {
  if (by === undefined) return "";
  return client === undefined
    ? `${FOR_PROGRAM[language]} ${by}`
    : `${FOR_APPLICATION[language]} ${client} (${by})`;
}

const MESSAGES: Readonly<Record<string, Translations>> = {
  personal_sign: { en: "a message", de: "eine Nachricht" },
  raw: { en: "raw bytes, blind", de: "rohe Bytes, blind" },
  digest: { en: "a digest, blind", de: "einen Digest, blind" },
};

const STANDARDS = {
  erc20_permit: { en: "a token permit", de: "eine Token-Erlaubnis (Permit)" },
  dai_permit: { en: "a Dai permit", de: "eine Dai-Erlaubnis (Permit)" },
  permit2_allowance: { en: "a Permit2 approval", de: "eine Permit2-Erlaubnis" },
  permit2_transfer: { en: "a Permit2 transfer", de: "eine Permit2-Überweisung" },
  transfer_authorization: {
    en: "a token transfer that another account can send",
    de: "eine Token-Überweisung, die ein anderes Konto senden kann",
  },
  authorization_cancellation: {
    en: "the cancellation of a token transfer",
    de: "den Widerruf einer Token-Überweisung",
  },
  seaport_order: { en: "a Seaport order", de: "einen Seaport-Auftrag" },
  safe_transaction: { en: "a transaction of a Safe", de: "eine Transaktion eines Safe" },
  user_operation: { en: "a user operation", de: "eine User Operation" },
  forward_request: { en: "a call for a forwarder", de: "einen Aufruf über einen Weiterleiter" },
};

/** Returns the name of a standard; undefined for none, and for one of another version. */
function standardName(standard: string | undefined, language: Language): string | undefined {
  return (STANDARDS as Readonly<Record<string, Translations | undefined>>)[standard ?? ""]?.[language];
}

/** Formats wei without rounding, in the chain's currency or, for an unknown chain, with the given unit. */
function nativeAmount(wei: string, chain: Chain | undefined, unknown: string): string {
  const digits = wei.padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  return `${digits.slice(0, -18)}${fraction === "" ? "" : `.${fraction}`} ${chain?.currency ?? unknown}`;
}

const REQUEST_ENDS = {
  declined: { en: "declined by you", de: "von Ihnen abgelehnt" },
  refused: { en: "refused when you approved it", de: "verweigert, als Sie sie freigaben" },
  withdrawn: { en: "withdrawn", de: "zurückgezogen" },
};

export const SIGNING_EVENTS = {
  message_signed: defineEvent<SignedFor & { readonly format: string }>({
    en: ({ format, digest, ...who }) =>
      `A key signed a message (${format}) with the digest ${digest}${requesterText(who, "en")}`,
    de: ({ format, digest, ...who }) =>
      `Ein Schlüssel signierte eine Nachricht (${format}) mit dem Digest ${digest}${
        requesterText(who, "de")
      }`,
    named: {
      en: (it, { format }) => html`${it} signed ${MESSAGES[format]?.en ?? "a message"}`,
      de: (it, { format }) => html`${it} signierte ${MESSAGES[format]?.de ?? "eine Nachricht"}`,
    },
  }),
  /** `standard` is the recognised standard of its type, if any. */
  typed_data_signed: defineEvent<SignedFor & { readonly standard?: keyof typeof STANDARDS }>({
    en: ({ digest, ...who }) =>
      `A key signed typed data with the digest ${digest}${requesterText(who, "en")}`,
    de: ({ digest, ...who }) =>
      `Ein Schlüssel signierte typisierte Daten mit dem Digest ${digest}${requesterText(who, "de")}`,
    named: {
      en: (it, { standard }) => html`${it} signed ${standardName(standard, "en") ?? "typed data"}`,
      de: (it, { standard }) => html`${it} signierte ${standardName(standard, "de") ?? "typisierte Daten"}`,
    },
  }),
  /**
   * `chainId` and `value` (wei) are decimal. `recipient` has its checksum, and is null for a contract creation.
   * `selector` is the first four bytes of the call data, or null for none.
   */
  transaction_signed: defineEvent<
    SignedFor & {
      readonly chainId: string;
      readonly recipient: string | null;
      readonly value: string;
      readonly selector: string | null;
    }
  >({
    en: ({ digest, chainId, recipient, value, ...who }) =>
      `A key signed a transaction on chain ${chainId} ${
        recipient === null ? "that creates a contract" : `to ${recipient}`
      } with a value of ${value} wei and the digest ${digest}${requesterText(who, "en")}`,
    de: ({ digest, chainId, recipient, value, ...who }) =>
      `Ein Schlüssel signierte eine Transaktion auf Chain ${chainId}, ${
        recipient === null ? "die einen Vertrag erzeugt" : `an ${recipient}`
      }, mit einem Wert von ${value} Wei und dem Digest ${digest}${requesterText(who, "de")}`,
    named: {
      en: (it, { chainId, recipient, value, selector }) => {
        const chain = findChain(chainId);
        const start = html`${it} signed a transaction on ${chain?.name ?? `chain ${chainId}`}`;
        return recipient === null
          ? html`${start} that creates a contract`
          : html`${start}: ${nativeAmount(value, chain, "of its currency")} to ${shortAddress(recipient)}${
            selector !== null && ", with a call"
          }`;
      },
      de: (it, { chainId, recipient, value, selector }) => {
        const chain = findChain(chainId);
        const start = html`${it} signierte eine Transaktion auf ${chain?.name ?? `Chain ${chainId}`}`;
        return recipient === null
          ? html`${start}, die einen Vertrag erzeugt`
          : html`${start}: ${nativeAmount(value, chain, "ihrer Währung")} an ${shortAddress(recipient)}${
            selector !== null && ", mit einem Aufruf"
          }`;
      },
    },
  }),
  /** The account may run the code of `delegate` as its own on that chain (EIP-7702). */
  authorization_signed: defineEvent<SignedFor & { readonly chainId: string; readonly delegate: string }>({
    en: ({ digest, chainId, delegate, ...who }) =>
      `A key signed an authorization to run the code of ${delegate} on chain ${chainId} with the digest ${digest}${
        requesterText(who, "en")
      }`,
    de: ({ digest, chainId, delegate, ...who }) =>
      `Ein Schlüssel signierte eine Ermächtigung, auf Chain ${chainId} den Code von ${delegate} auszuführen, mit dem Digest ${digest}${
        requesterText(who, "de")
      }`,
    named: {
      en: (it, { chainId, delegate }) =>
        html`${it} signed an authorization to run the code of ${shortAddress(delegate)} on ${
          chainId === "0" ? "every chain" : findChain(chainId)?.name ?? `chain ${chainId}`
        }`,
      de: (it, { chainId, delegate }) =>
        html`${it} signierte eine Ermächtigung, den Code von ${shortAddress(delegate)} auszuführen, auf ${
          chainId === "0" ? "jeder Chain" : findChain(chainId)?.name ?? `Chain ${chainId}`
        }`,
    },
  }),
  /** The owner of the key, the subject, was asked for a signature. `by` is the requesting token or grant, if any. */
  signature_asked: defineEvent<{ readonly request: string; readonly digest: string; readonly by?: string }>({
    en: (who) => `You were asked for a signature${requesterText(who, "en")}`,
    de: (who) => `Sie wurden um eine Signatur gebeten${requesterText(who, "de")}`,
    named: {
      en: (it) => html`You were asked for a signature of ${it}`,
      de: (it) => html`Sie wurden um eine Signatur von ${it} gebeten`,
    },
  }),
  /** Ended without a signature. `reason` is the problem code if refused. */
  signing_request_ended: defineEvent<{
    readonly request: string;
    readonly how: keyof typeof REQUEST_ENDS;
    readonly reason: string | null;
    readonly by?: string;
  }>({
    en: ({ how, reason, by }) =>
      `A requested signature${requesterText({ by }, "en")} was ${REQUEST_ENDS[how].en}${
        reason === null ? "" : ` (${reason})`
      }`,
    de: ({ how, reason, by }) =>
      `Eine angefragte Signatur${requesterText({ by }, "de")} wurde ${REQUEST_ENDS[how].de}${
        reason === null ? "" : ` (${reason})`
      }`,
    named: {
      en: (it, { how, reason }) =>
        html`A requested signature of ${it} was ${REQUEST_ENDS[how].en}${reason !== null && ` (${reason})`}`,
      de: (it, { how, reason }) =>
        html`Eine angefragte Signatur von ${it} wurde ${REQUEST_ENDS[how].de}${
          reason !== null && ` (${reason})`
        }`,
    },
  }),
  /**
   * A policy refused a program, the subject: `count` times by one rule between `first` and `last`, ISO 8601. Recorded
   * at the first refusal of an hour, and at its end if there were more. `policy` is the policy's owner; empty if the
   * program broke many rules. `rule` is a JSON pointer into the policy.
   */
  signing_refused: defineEvent<{
    readonly policy: string;
    readonly rule: string;
    readonly count: number;
    readonly first: string;
    readonly last: string;
    readonly clientId?: string;
  }>({
    en: ({ count, rule, first, last }) =>
      `A policy refused ${count === 1 ? "a signature" : `${count} signatures`} to a program${
        rule === "" ? "" : ` (${rule})`
      }, from ${first} to ${last}`,
    de: ({ count, rule, first, last }) =>
      `Eine Richtlinie verweigerte einem Programm ${count === 1 ? "eine Signatur" : `${count} Signaturen`}${
        rule === "" ? "" : ` (${rule})`
      }, von ${first} bis ${last}`,
    named: {
      en: (it, { count, rule }) =>
        html`A policy refused ${count === 1 ? "a signature" : `${count} signatures`} to ${it}${
          rule !== "" && ` (${rule})`
        }`,
      de: (it, { count, rule }) =>
        html`Eine Richtlinie verweigerte ${it} ${count === 1 ? "eine Signatur" : `${count} Signaturen`}${
          rule !== "" && ` (${rule})`
        }`,
    },
  }),
  /** `reason` is the code of the failed passkey check. */
  approval_refused: defineEvent<{ readonly request: string; readonly reason: string }>({
    en: ({ reason }) => `The approval of a signature was refused (${reason})`,
    de: ({ reason }) => `Die Freigabe einer Signatur wurde abgelehnt (${reason})`,
    named: {
      en: (it, { reason }) => html`The approval of a signature of ${it} was refused (${reason})`,
      de: (it, { reason }) => html`Die Freigabe einer Signatur von ${it} wurde abgelehnt (${reason})`,
    },
  }),
};
