import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shortAddress } from "../amounts.ts";
import { POLICY_TEMPLATES } from "../../policy/templates.ts";
import { layout } from "../layout.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../parts.ts";
import type { AccountView, KeyView, TokenView } from "../view.ts";

/** What the page for developers shows. */
export interface DeveloperPageData {
  readonly account: AccountView;
  /** Oldest first, those that have ended lately included. */
  readonly tokens: readonly TokenView[];
  /** The keys that a new token can be given. */
  readonly keys: readonly KeyView[];
  /** ISO 8601. */
  readonly now: string;
  readonly baseUrl: string;
}

/** What a token may do, for people. */
const DEEDS: Readonly<Record<string, string>> = {
  read: "look at keys, explain and attest",
  sign: "sign",
  create: "make new keys",
};

function deedsOf({ actions, keys }: TokenView, labels: ReadonlyMap<string, string>): Html {
  const deeds = actions.map((action) => DEEDS[action] ?? action).join(", ");
  if (keys === "all") return html`<span>May ${deeds}, with all your keys</span>`;
  const names = keys.map((id) => shown(labels.get(id) ?? id));
  return html`<span>May ${deeds}, with ${
    names.flatMap((name, index) => index === 0 ? [name] : [", ", name])
  }</span>`;
}

/** What a token may sign, in words. */
function signsOf({ actions, policyWords }: TokenView): Html | undefined {
  if (!actions.includes("sign")) return undefined;
  if (policyWords === null) return html`<p class="hint">Signs anything.</p>`;
  return html`
    <details>
      <summary>What it may sign</summary>
      <ul class="policy-words">${policyWords.map((sentence) => html`<li>${shown(sentence)}</li>`)}</ul>
    </details>
  `;
}

function tokenRow(token: TokenView, labels: ReadonlyMap<string, string>, now: string): Html {
  const { id, name, networks, createdAt, expiresAt, lastUsedAt, lastUsedNetwork } = token;
  const hasEnded = expiresAt <= now;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)} ${hasEnded && html`<span class="badge">Ended</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          ${deedsOf(token, labels)}
          ${networks !== null && html`<span>From ${networks.join(", ")} only</span>`}
          <span>Made ${time(createdAt)}</span>
          <span>${hasEnded ? "Ended" : "Ends"} ${time(expiresAt)}</span>
          ${lastUsedAt === null
            ? html`<span>Not used yet</span>`
            : html`<span>Last used ${time(lastUsedAt)} from ${lastUsedNetwork}</span>`}
        </p>
        ${signsOf(token)}
      </div>
      <p class="row-actions">
        <button id="revoke-${id}" class="button small" type="button" data-act="revoke"
          data-token-id="${id}"
          data-name="${name}" aria-haspopup="dialog" aria-describedby="facts-${id}"
          disabled>Revoke<span class="visually-hidden"> ${name}</span></button>
      </p>
    </li>
  `;
}

function choice(
  type: "checkbox" | "radio",
  name: string,
  value: string,
  words: Html,
  isChosen: boolean,
): Html {
  return html`<label class="choice"><input type="${type}" name="${name}" value="${value}"
    ${isChosen && html`checked`}> <span>${words}</span></label>`;
}

/** The policy of a new token: none, a template, or one's own. */
function policyFields(): Html {
  return html`
    <div class="field">
      <label for="token-template">It may sign</label>
      <select id="token-template" autocomplete="off">
        <option value="">Anything</option>
        ${POLICY_TEMPLATES.map(({ name, policy }) =>
          html`<option value="${JSON.stringify(policy, null, 2)}">${name}</option>`
        )}
      </select>
    </div>
    <div class="field">
      <label for="token-policy">Policy, as JSON <span class="optional">(optional)</span></label>
      <textarea id="token-policy" name="policy" class="mono" rows="3" spellcheck="false" autocomplete="off"
        aria-describedby="token-policy-hint"></textarea>
      <p id="token-policy-hint"
        class="hint">What no rule of it allows is refused. A template is a beginning: put your own
        addresses, sites and amounts in it. It can be made narrower later, never wider.</p>
    </div>
  `;
}

function newTokenForm(keys: readonly KeyView[], now: string): Html {
  return html`
    <form id="token-form" class="card stack" data-now="${now}">
      <h2 id="new-token">New token</h2>
      <fieldset disabled class="stack">
        <div class="field">
          <label for="token-name">Name</label>
          <input id="token-name" name="name" type="text" maxlength="100" autocomplete="off" required
            placeholder="Payroll on the build server">
        </div>
        <fieldset class="choices">
          <legend>It may</legend>
          ${choice("checkbox", "actions", "read", html`Look at keys, explain and attest`, true)}
          ${choice("checkbox", "actions", "sign", html`Sign`, true)}
          ${choice("checkbox", "actions", "create", html`Make new keys`, false)}
        </fieldset>
        <fieldset class="choices">
          <legend>With these keys</legend>
          ${keys.map(({ id, label, address }, index) =>
            choice(
              "checkbox",
              "keys",
              id,
              html`${shown(label)} <code>${shortAddress(address)}</code>`,
              index === 0,
            )
          )}
          ${choice("checkbox", "keys", "all", html`All keys, those that I make later too`, keys.length === 0)}
        </fieldset>
        <div class="field">
          <label for="token-days">Ends after</label>
          <select id="token-days" name="days">
            <option value="7">7 days</option>
            <option value="30">30 days</option>
            <option value="90" selected>90 days</option>
            <option value="365">a year</option>
          </select>
        </div>
        <div class="field">
          <label for="token-networks">Only from these networks <span class="optional">(optional)</span></label>
          <input id="token-networks" name="networks" type="text" autocomplete="off" spellcheck="false"
            placeholder="192.0.2.0/24 2001:db8::/32">
        </div>
        ${policyFields()}
        <p class="actions"><button class="button primary" type="submit">Make the token</button></p>
      </fieldset>
      ${alertRegion("token-alert")} ${statusRegion("token-status")}
    </form>
  `;
}

function madeCard(baseUrl: string): Html {
  return html`
    <section id="token-made" class="card stack" aria-labelledby="made" hidden>
      <h2 id="made" tabindex="-1">Copy it now</h2>
      <p>This is the only time that the token is shown. Whoever has it can do what it may.</p>
      <p class="copyable"><code id="token-text"></code> ${copyButton("token-text", "the token")}</p>
      <p>To try it:</p>
      <p class="copyable"><code id="token-curl">curl -H "Authorization: Bearer $TOKEN" ${baseUrl}/api/keys</code>
        ${copyButton("token-curl", "the command")}</p>
    </section>
  `;
}

function revokeDialog(): Html {
  return html`
    <dialog id="revoke-dialog" aria-labelledby="revoke-title">
      <form id="revoke-form" class="stack">
        <h2 id="revoke-title">Revoke <bdi id="revoke-what">token</bdi>?</h2>
        <p>The next request with it is refused. What it signed stays signed.</p>
        ${alertRegion("revoke-alert")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>Revoke</button>
          <button class="button" type="button" data-act="close" autofocus disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

/**
 * The tokens with which somebody's programs use their keys. The list can be read without a script; making and revoking
 * need the page's own. It replaces the children of `token-list` after each act.
 */
export function developerPage({ account, tokens, keys, now, baseUrl }: DeveloperPageData): Html {
  const labels = new Map(keys.map(({ id, label }) => [id, label]));
  return layout({
    title: "Developer",
    account,
    place: "developer",
    script: "developer.client.js",
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>Developer</h1>
          <p class="hint">A program uses your keys with a token: for the keys that you name and what you allow, and nothing
            else of your account. Making one asks for a passkey when you signed in more than ten minutes ago.</p>
          <noscript><p class="notice">Making and revoking tokens work through this page’s own scripts. Turn JavaScript on for them; reading works without.</p></noscript>
        </div>
        <section class="stack" aria-labelledby="tokens">
          <h2 id="tokens">Tokens</h2>
          ${statusRegion("tokens-status")}
          <div id="token-list">
            ${tokens.length === 0
              ? html`<p class="empty">No program uses your keys.</p>`
              : html`<ul class="rows">${tokens.map((token) => tokenRow(token, labels, now))}</ul>`}
          </div>
        </section>
        ${madeCard(baseUrl)}
        ${newTokenForm(keys, now)}
        ${revokeDialog()}
      </div>
    `,
  });
}
