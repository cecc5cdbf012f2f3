import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { en } from "../words/keys.en.ts";

/** What somebody new has done already. Whether they saved a quote only their browser knows. */
export interface FirstSteps {
  readonly hasSecondPasskey: boolean;
  readonly hasSigned: boolean;
  readonly hasToken: boolean;
}

type StepWords = typeof en.keys.steps;

/** A step in words: what leads there, and what it is for. */
type StepText = StepWords["passkey"];

function step(
  isDone: boolean,
  { text: [link = "", rest = ""], path, done, id }: {
    readonly text: StepText;
    readonly path: string;
    readonly done: string;
    readonly id?: string;
  },
): Html {
  return html`
    <li ${id !== undefined && html`id="${id}"`} class="${isDone
      ? "step done"
      : "step"}"><a href="${path}">${link}</a>${rest}
      <span class="step-done visually-hidden">${isDone && done}</span></li>
  `;
}

/** A list to begin with; nothing once the service has seen all that it can see of it. */
export function firstSteps(
  { hasSecondPasskey, hasSigned, hasToken }: FirstSteps,
  keyId: string | undefined,
  { title, done, ...words }: StepWords,
): Html | undefined {
  if (hasSecondPasskey && hasSigned && hasToken) return undefined;
  const key = keyId === undefined ? "/keys" : `/keys/${keyId}`;
  return html`
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">${title}</h2>
      <ol>
        ${step(hasSecondPasskey, { text: words.passkey, path: "/account#passkeys", done })}
        ${step(hasSigned, { text: words.sign, path: `${key}#sign`, done })}
        ${step(false, { text: words.quote, path: `${key}#attestation`, done, id: "step-quote" })}
        ${step(hasToken, { text: words.token, path: "/developer", done })}
      </ol>
    </section>
  `;
}
