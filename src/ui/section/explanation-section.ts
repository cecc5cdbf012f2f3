import type { Json } from "../../ethereum/transaction/member.ts";
import type { ExplainedValue } from "../../ethereum/typed-data/typed-data-explain.ts";
import type { Intent } from "../../ethereum/intent/intent.ts";
import type { Explanation } from "../../keys/explain.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shown } from "../parts.ts";

// The same as the key's page makes in the browser (`intent.client.js`, `explanation.client.js`), for whoever reads
// without a script.

/** What a level is called, so that it does not hang on a colour. */
const LEVELS = { red: "Danger", amber: "Take note" } as const;

/** Whether a second, deliberate act must come before the signature. */
export function isDangerous({ warnings }: Intent): boolean {
  return warnings.some(({ level }) => level === "red");
}

function warningItem({ level, text }: Intent["warnings"][number]): Html {
  return html`<li class="${level === "red" ? "notice danger" : "notice"}"><strong>${
    LEVELS[level]
  }: </strong><bdi>${text}</bdi></li>`;
}

/** What the signature does, first of all: the sentence, the warnings, the values. Of a text only the warnings. */
function intentPart({ kind, recognisedBy, sentence, fields, warnings }: Intent): Html {
  const list = warnings.length > 0 && html`<ul class="warnings">${warnings.map(warningItem)}</ul>`;
  if (kind === "text") return html`<div class="stack">${list}</div>`;
  return html`
    <div class="stack">
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
      <p class="hint">Recognised by: <bdi>${recognisedBy}</bdi></p>
    </div>
  `;
}

/** A text as it is signed. It keeps its spaces and line ends, so nothing may stand around it. */
function signedText(text: string): Html {
  return html`<span class="signed-text">${
    text === "" ? html`<span class="unseen">empty</span>` : shown(text)
  }</span>`;
}

function leaf(type: string, value: string | boolean | null): Html {
  if (value === null) return html`<span class="unseen">absent</span>`;
  return type === "string" ? signedText(String(value)) : html`<code>${String(value)}</code>`;
}

function valueItem(explained: ExplainedValue, name: string): Html {
  const head = html`<span class="tree-name">${
    shown(name)
  }</span> <span class="tree-type"><bdi>${explained.type}</bdi></span>`;
  if ("value" in explained) return html`<li>${head} ${leaf(explained.type, explained.value)}</li>`;
  const inner = "items" in explained
    ? explained.items.map((item, index) => valueItem(item, `No. ${index + 1}`))
    : explained.members.map((member) => valueItem(member, member.name));
  if (inner.length === 0) return html`<li>${head} <span class="unseen">empty</span></li>`;
  return html`<li>${head}<ul class="tree">${inner}</ul></li>`;
}

function members(value: ExplainedValue): Html {
  const inner = "members" in value ? value.members : [];
  if (inner.length === 0) return html`<p class="hint">Nothing</p>`;
  return html`<ul class="tree">${inner.map((member) => valueItem(member, member.name))}</ul>`;
}

function jsonItem(name: string, value: Json): Html {
  const head = html`<span class="tree-name">${shown(name)}</span>`;
  if (value === null) return html`<li>${head} <span class="unseen">absent</span></li>`;
  if (typeof value !== "object") return html`<li>${head} <code>${String(value)}</code></li>`;
  const inner = Array.isArray(value)
    ? value.map((item: Json, index) => jsonItem(`No. ${index + 1}`, item))
    : Object.entries(value as Readonly<Record<string, Json>>).map(([name, member]) => jsonItem(name, member));
  return inner.length === 0
    ? html`<li>${head} none</li>`
    : html`<li>${head}<ul class="tree">${inner}</ul></li>`;
}

function jsonTree(values: Readonly<Record<string, Json>>): Html {
  return html`<ul class="tree">${Object.entries(values).map(([name, value]) => jsonItem(name, value))}</ul>`;
}

function part(title: string, body: Html): Html {
  return html`<div class="explained"><h3>${shown(title)}</h3>${body}</div>`;
}

/** Values that belong to what is shown, and that few people read. */
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

const MESSAGE_TITLES = {
  text: "This text",
  bytes: "A message of these bytes",
  raw: "The Keccak-256 hash of these bytes, blind",
  digest: "These 32 bytes as they are, blind",
} as const;

/** Of a message what it is and its text, or its bytes as 0x-hex. */
export interface ShownMessage {
  readonly kind: keyof typeof MESSAGE_TITLES;
  readonly text: string;
}

function documentPart(explanation: Explanation, message: ShownMessage | undefined): Html {
  switch (explanation.kind) {
    case "message": {
      const { kind, text } = message!;
      const body = kind === "text" ? signedText(text) : html`<code>${text}</code>`;
      return part(MESSAGE_TITLES[kind], html`<div class="message-text">${body}</div>`);
    }
    case "typed_data":
      return html`
        ${part("For the application", members(explanation.domain))}
        ${explanation.message !== null && part(explanation.primaryType, members(explanation.message))}
        ${details("Type and hashes", [
          ["Type", explanation.encodeType],
          ["Domain separator", explanation.domainSeparator],
          ["Hash of the message", explanation.structHash],
        ])}
      `;
    case "transaction":
      return html`
        ${part("Transaction", jsonTree(explanation.transaction))}
        ${details("Bytes and cost", [
          ["Unsigned bytes", explanation.unsigned],
          ["Most that gas can cost, in wei", explanation.maximumFee],
        ])}
      `;
    case "authorization":
      return part("Authorization", jsonTree(explanation.authorization));
  }
}

/**
 * What would be signed, for a person to read: what it does, the whole of it, and its digest. `message` is there where it
 * is a message. Needs no script.
 */
export function explanationSection(explanation: Explanation, message: ShownMessage | undefined): Html {
  return html`
    ${intentPart(explanation.intent)}
    ${documentPart(explanation, message)}
    <dl class="facts">
      <div class="fact-wide">
        <dt>Digest</dt>
        <dd><code id="digest">${explanation.digest}</code></dd>
      </div>
    </dl>
  `;
}
