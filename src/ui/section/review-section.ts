import type { Explanation } from "../../keys/explain.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { shown } from "../parts.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";
import {
  digestPart,
  documentPart,
  intentPart,
  isDangerous,
  isExplained,
  refusalMessage,
} from "./explanation.ts";
import type { ShownMessage } from "./explanation.ts";

/** The length of the excerpt of a signed text, in characters. */
const EXCERPT = 80;

/** Returns the values that the page's script sends for signing, or compares with the signature. */
function values(explanation: Explanation): Record<string, unknown> {
  const { kind, address, digest } = explanation;
  switch (kind) {
    case "transaction":
      return { kind, address, digest, unsigned: explanation.unsigned };
    case "authorization":
      return { kind, address, digest, authorization: explanation.authorization };
    case "message":
    case "typed_data":
      return { kind, address, digest };
  }
}

/** Renders the content: a text as it is, anything else as fields, folded if the sentence explains them. */
function content(explanation: Explanation, message: ShownMessage | undefined, language: Language): Html {
  const messages = messagesIn(language, { en, de }).review;
  const document = documentPart(explanation, message, language);
  const digest = digestPart(explanation, "review-digest", language);
  if (explanation.kind === "message") {
    return html`
      <div id="review-tree">${document}</div>
      <details id="review-all"><summary>${messages.digest}</summary>${digest}</details>
    `;
  }
  return html`
    <details id="review-all" ${!isExplained(explanation) && html`open`}>
      <summary>${messages.allFields}</summary>
      <div id="review-fields">${document}</div>
      ${digest}
    </details>
  `;
}

/** Renders the refusal of the key, or the confirmation that a dangerous signature requires. */
function condition({ refusal, intent }: Explanation, language: Language): Html | false {
  if (refusal !== null) {
    return html`<p id="review-refusal" class="notice danger">${
      shown(refusalMessage(refusal, language))
    }.</p>`;
  }
  return isDangerous(intent) && html`
    <p id="review-anyway"><label><input type="checkbox" id="review-anyway-box" autocomplete="off">
      ${messagesIn(language, { en, de }).review.anyway}</label></p>
  `;
}

/** Renders a signed content in one line: the beginning of a text, otherwise the sentence. */
function subject({ intent }: Explanation, message: ShownMessage | undefined, language: Language): Html {
  if (intent.kind !== "text") return html`<bdi>${intent.sentence}</bdi>`;
  const characters = [...message!.text];
  const excerpt = shown(characters.slice(0, EXCERPT).join(""));
  const end = characters.length > EXCERPT && "…";
  return html`<bdi>${messagesIn(language, { en, de }).review.quoted(html`${excerpt}${end}`)}</bdi>`;
}

/**
 * Renders the parts of a key's page, by element id, that show a signature before and after it is made. The page's
 * script inserts them. `message` is required for a message; the intent must be in the same language.
 */
export function reviewSection(
  explanation: Explanation,
  message: ShownMessage | undefined,
  language: Language,
): Html {
  return html`
    <div id="review-content" data-values="${JSON.stringify(values(explanation))}">
      <div id="review-intent" class="stack">${intentPart(explanation, language)}</div>
      ${content(explanation, message, language)}
      ${condition(explanation, language)}
    </div>
    <p id="signed-what">${subject(explanation, message, language)}</p>
  `;
}
