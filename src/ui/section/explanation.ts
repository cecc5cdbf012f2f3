import type { IntentKind, LocalizedIntent } from "../../clear-signing/intent.ts";
import type { Json } from "../../ethereum/transaction/member.ts";
import type { ExplainedValue } from "../../ethereum/typed-data/typed-data-explain.ts";
import type { CheckedSignRequest } from "../../keys/digest.ts";
import type { Explanation } from "../../keys/explain.ts";
import { toHex } from "../../lib/bytes.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";
import { shown } from "../parts.ts";

type ExplanationMessages = typeof en.explanation;

/** The number of list items that are not folded. */
const UNFOLDED_ITEMS = 20;

/** Intents whose sentence does not tell everything that the user must know. */
const NOT_UNDERSTOOD: readonly IntentKind[] = [
  "typed_data",
  "contract_call",
  "contract_creation",
  "bytes",
  "digest",
];

/** Returns true if the sentence says what a signature does, so that its fields can be folded. */
export function isExplained({ intent }: Explanation): boolean {
  return !NOT_UNDERSTOOD.includes(intent.kind);
}

/** Returns true for a red warning: the user must then confirm in a second act. */
export function isDangerous({ warnings }: LocalizedIntent): boolean {
  return warnings.some(({ level }) => level === "red");
}

function warningItem(
  { level, text }: LocalizedIntent["warnings"][number],
  { levels }: typeof en.intent,
): Html {
  return html`<li class="${level === "red" ? "notice danger" : "notice"}"><strong>${
    levels[level]
  }: </strong><bdi>${text}</bdi></li>`;
}

/** Renders the sentence, warnings and values; for a message of text, which is shown itself, the warnings only. */
export function intentPart({ kind, intent }: Explanation, language: Language): Html {
  const { recognisedBy, sentence, fields, warnings } = intent;
  const messages = messagesIn(language, { en, de }).intent;
  const list = warnings.length > 0 &&
    html`<ul class="warnings">${warnings.map((one) => warningItem(one, messages))}</ul>`;
  if (kind === "message" && intent.kind === "text") return html`${list}`;
  return html`
    <p class="intent"><bdi>${sentence}</bdi></p>
    ${list}
    <dl class="facts intent-fields">${fields.map(({ label, value }) =>
      html`
        <div class="fact-wide">
          <dt><bdi>${label}</bdi></dt>
          <dd><bdi class="field-value">${value}</bdi></dd>
        </div>
      `
    )}</dl>
    <p class="hint">${messages.recognisedBy} <bdi>${recognisedBy}</bdi></p>
  `;
}

/** Renders a text as it is signed, with its spaces and line ends. No whitespace may surround it. */
function signedText(text: string, messages: ExplanationMessages): Html {
  return html`<span class="signed-text">${
    text === "" ? html`<span class="unseen">${messages.empty}</span>` : shown(text)
  }</span>`;
}

function leaf(type: string, value: string | boolean | null, messages: ExplanationMessages): Html {
  if (value === null) return html`<span class="unseen">${messages.absent}</span>`;
  return type === "string" ? signedText(String(value), messages) : html`<code>${String(value)}</code>`;
}

function numbered(index: number, messages: ExplanationMessages): string {
  return messages.number.replace("{number}", `${index + 1}`);
}

/** Renders a list. Further items are folded, without a script. */
function tree(items: readonly Html[], messages: ExplanationMessages): Html {
  const folded = items.slice(UNFOLDED_ITEMS);
  return html`<ul class="tree">${items.slice(0, UNFOLDED_ITEMS)}${
    folded.length > 0 && html`
      <li>
        <details>
          <summary>${messages.showAll.replace("{count}", `${items.length}`)}</summary>
          <ul>${folded}</ul>
        </details>
      </li>
    `
  }</ul>`;
}

function valueItem(explained: ExplainedValue, name: string, messages: ExplanationMessages): Html {
  const head = html`<span class="tree-name">${
    shown(name)
  }</span> <span class="tree-type"><bdi>${explained.type}</bdi></span>`;
  if ("value" in explained) return html`<li>${head} ${leaf(explained.type, explained.value, messages)}</li>`;
  const inner = "items" in explained
    ? explained.items.map((item, index) => valueItem(item, numbered(index, messages), messages))
    : explained.members.map((member) => valueItem(member, member.name, messages));
  if (inner.length === 0) return html`<li>${head} <span class="unseen">${messages.empty}</span></li>`;
  return html`<li>${head}${tree(inner, messages)}</li>`;
}

function members(value: ExplainedValue, messages: ExplanationMessages): Html {
  const inner = "members" in value ? value.members : [];
  if (inner.length === 0) return html`<p class="hint">${messages.nothing}</p>`;
  return tree(inner.map((member) => valueItem(member, member.name, messages)), messages);
}

function jsonItem(name: string, value: Json, messages: ExplanationMessages): Html {
  const head = html`<span class="tree-name">${shown(name)}</span>`;
  if (value === null) return html`<li>${head} <span class="unseen">${messages.absent}</span></li>`;
  if (typeof value !== "object") return html`<li>${head} <code>${String(value)}</code></li>`;
  const inner = Array.isArray(value)
    ? value.map((item: Json, index) => jsonItem(numbered(index, messages), item, messages))
    : Object.entries(value as Readonly<Record<string, Json>>).map(([name, member]) =>
      jsonItem(name, member, messages)
    );
  return inner.length === 0
    ? html`<li>${head} ${messages.none}</li>`
    : html`<li>${head}${tree(inner, messages)}</li>`;
}

function jsonTree(values: Readonly<Record<string, Json>>, messages: ExplanationMessages): Html {
  return tree(Object.entries(values).map(([name, value]) => jsonItem(name, value, messages)), messages);
}

function part(title: string, body: Html): Html {
  return html`<div class="explained"><h3>${shown(title)}</h3>${body}</div>`;
}

/** Renders secondary values in a disclosure. */
function details(title: string, rows: readonly (readonly [name: string, value: string | null])[]): Html {
  const known = rows.filter(([, value]) => value !== null);
  return html`
    <details>
      <summary>${title}</summary>
      <dl class="facts">${known.map(([name, value]) =>
        html`
          <div class="fact-wide">
            <dt>${name}</dt>
            <dd><code>${value}</code></dd>
          </div>
        `
      )}</dl>
    </details>
  `;
}

const MESSAGES = {
  text: "personal_sign",
  bytes: "personal_bytes",
  raw: "raw",
  digest: "digest",
} as const;

/** A message: its kind and its text, or its bytes as 0x-hex. */
export interface ShownMessage {
  readonly kind: keyof typeof MESSAGES;
  readonly text: string;
}

/** Renders the content to be signed. `message` is required for a message. */
export function documentPart(
  explanation: Explanation,
  message: ShownMessage | undefined,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).explanation;
  switch (explanation.kind) {
    case "message": {
      const { kind, text } = message!;
      const body = kind === "text" ? signedText(text, messages) : html`<code>${text}</code>`;
      return part(messages.messages[MESSAGES[kind]], html`<div class="message-text">${body}</div>`);
    }
    case "typed_data":
      return html`
        ${part(messages.forApplication, members(explanation.domain, messages))}
        ${explanation.message !== null &&
          part(explanation.primaryType, members(explanation.message, messages))}
        ${details(messages.typeAndHashes, [
          [messages.type, explanation.encodeType],
          [messages.domainSeparator, explanation.domainSeparator],
          [messages.messageHash, explanation.structHash],
        ])}
      `;
    case "transaction":
      return html`
        ${part(messages.transaction, jsonTree(explanation.transaction, messages))}
        ${details(messages.bytesAndCost, [
          [messages.unsigned, explanation.unsigned],
          [messages.gasMost, explanation.maximumFee],
        ])}
      `;
    case "authorization":
      return part(messages.authorization, jsonTree(explanation.authorization, messages));
  }
}

export function digestPart({ digest }: Explanation, id: string, language: Language): Html {
  return html`
    <dl class="facts">
      <div class="fact-wide">
        <dt>${messagesIn(language, { en, de }).explanation.digest}</dt>
        <dd><code id="${id}">${digest}</code></dd>
      </div>
    </dl>
  `;
}

/**
 * Renders a signature before it is made: effect, content and digest. `message` is required for a message; the intent
 * must be in the same language. Needs no script.
 */
export function explanationSection(
  explanation: Explanation,
  message: ShownMessage | undefined,
  language: Language,
): Html {
  const document = documentPart(explanation, message, language);
  const isText = explanation.kind === "message";
  return html`
    <div class="stack">${intentPart(explanation, language)}</div>
    ${isText && document}
    <details ${!isText && !isExplained(explanation) && html`open`}>
      <summary>${messagesIn(language, { en, de }).review[isText ? "digest" : "allFields"]}</summary>
      ${!isText && document} ${digestPart(explanation, "digest", language)}
    </details>
  `;
}

/** Returns the reason why the key refuses, by its code if the catalogue has it. Without a period. */
export function refusalMessage(
  { code, detail }: NonNullable<Explanation["refusal"]>,
  language: Language,
): string {
  const { problems } = messagesIn(language, { en, de }).scripts.failure;
  return (problems[code] ?? detail).replace(/\.$/, "");
}

/** Returns a message for display, from the bytes that are hashed; undefined for other requests. */
export function shownMessage(document: CheckedSignRequest): ShownMessage | undefined {
  if (document.kind !== "message") return undefined;
  switch (document.format) {
    case "personal_sign":
      return document.encoding === "utf8"
        ? { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(document.payload) }
        : { kind: "bytes", text: toHex(document.payload) };
    case "raw":
      return { kind: "raw", text: toHex(document.payload) };
    case "digest":
      return { kind: "digest", text: toHex(document.digest) };
  }
}
