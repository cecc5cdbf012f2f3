import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

/** What somebody new has done already. Whether they saved a quote only their browser knows. */
export interface FirstSteps {
  readonly hasSecondPasskey: boolean;
  readonly hasSigned: boolean;
  readonly hasToken: boolean;
}

function step(isDone: boolean, words: Html, id?: string): Html {
  return html`
    <li ${id !== undefined && html`id="${id}"`} class="${isDone ? "step done" : "step"}">${words}
      <span class="step-done visually-hidden">${isDone && "done"}</span></li>
  `;
}

/** A list to begin with; nothing once the service has seen all that it can see of it. */
export function firstSteps(
  { hasSecondPasskey, hasSigned, hasToken }: FirstSteps,
  keyId: string | undefined,
): Html | undefined {
  if (hasSecondPasskey && hasSigned && hasToken) return undefined;
  const key = keyId === undefined ? "/keys" : `/keys/${keyId}`;
  return html`
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol>
        ${step(
          hasSecondPasskey,
          html`<a href="/account#passkeys">Add a second passkey</a>: nobody can reset one that is lost`,
        )}
        ${step(hasSigned, html`<a href="${key}#sign">Sign something</a>: you are shown what it means first`)}
        ${step(
          false,
          html`<a href="${key}#attestation">Save a quote</a>: what vouches for the program that holds your keys`,
          "step-quote",
        )}
        ${step(
          hasToken,
          html`<a href="/developer">Make a token</a>: for a program that signs with your keys`,
        )}
      </ol>
    </section>
  `;
}
