import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Language } from "../../lib/language.ts";
import { attestationSection } from "../section/attestation-section.ts";
import type { TeeView } from "../section/attestation-section.ts";
import { identicon } from "../identicon.ts";
import { layout } from "../layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../parts.ts";
import { qrPicture } from "../qr.ts";
import { activityList } from "../section/activity-list.ts";
import type { ActivityView } from "../section/activity-list.ts";
import { policySection } from "../section/policy-section.ts";
import { signSection } from "../section/sign-section.ts";
import type { AccountView, KeyPolicyView, KeyView } from "../view.ts";

const BLIND_SIGNING = [
  ["allow", "Allow"],
  ["guard", "Guard"],
  ["deny", "Deny"],
] as const;

function heading(key: KeyView): Html {
  return html`
    <p class="back"><a href="${key.archived ? "/keys?archived=true" : "/keys"}">Keys</a></p>
    <div class="key-title">${identicon(key.address, 44)}
      <h1>${shown(key.label, "key-label")} ${key.archived &&
        html`<span class="badge">Archived</span>`}</h1></div>
  `;
}

function facts(key: KeyView, latest: string | undefined): Html {
  return html`
    <section class="card" aria-label="Key">
      <dl class="facts">
          <div class="fact-main">
            <dt>Address</dt>
            <dd class="copyable"><code id="key-address" class="address">${key.address}</code>
              ${copyButton("key-address", "the address")}</dd>
          </div>
          <div><dt>Made</dt><dd>${time(key.createdAt)}</dd></div>
          <div><dt>Last signature</dt><dd>${latest === undefined ? "None lately" : time(latest)}</dd></div>
          <div><dt>Index</dt><dd>${key.keyIndex}</dd></div>
          ${key.archivedAt !== null && html`
            <div>
              <dt>Archived</dt>
              <dd>${time(key.archivedAt)}</dd>
            </div>
          `}
        </dl>
      <details>
        <summary>QR code of the address</summary>
        ${qrPicture(`ethereum:${key.address}`, "QR code of the address")}
        <p class="hint">For the camera of a wallet (EIP-681).</p>
      </details>
      <details>
        <summary>Public key and identifier</summary>
        <dl class="facts">
          <div class="fact-wide">
            <dt>Public key</dt>
            <dd class="copyable"><code id="key-public">${key.publicKey}</code>
                ${copyButton("key-public", "the public key")}</dd>
          </div>
          <div class="fact-wide">
            <dt>Identifier</dt>
            <dd class="copyable"><code id="key-id">${key.id}</code> ${copyButton(
              "key-id",
              "the identifier",
            )}</dd>
          </div>
        </dl>
      </details>
    </section>
  `;
}

function labelForm(key: KeyView): Html {
  return html`
    <form id="label-form" class="setting">
      <fieldset disabled>
        <div class="field">
          <label for="label">Label</label>
          <input id="label" name="label" type="text" maxlength="100" autocomplete="off" required
            value="${key.label}">
        </div>
        <button class="button" type="submit">Save<span class="visually-hidden"> label</span></button>
      </fieldset>
    </form>
  `;
}

function blindSigningForm(key: KeyView): Html {
  return html`
    <form id="blind-signing-form" class="setting">
      <fieldset disabled>
        <div class="field">
          <label for="blind-signing">Blind signing</label>
          <select id="blind-signing" name="blindSigning" autocomplete="off" aria-describedby="blind-signing-hint">
            ${BLIND_SIGNING.map(([value, words]) =>
              html`<option value="${value}" ${value === key.blindSigning && html`selected`}>${words}</option>`
            )}
          </select>
          <p id="blind-signing-hint" class="hint">
            Raw bytes, digests and messages of bytes are blind: nobody can see what they stand for. Guard refuses
            digests, bytes that look like a transaction, and messages of 32 bytes; Deny refuses all three. Loosening
            this needs a sign-in of the last ten minutes.
          </p>
        </div>
        <button class="button" type="submit">Save<span class="visually-hidden"> blind signing</span></button>
      </fieldset>
    </form>
  `;
}

function archiveSetting(key: KeyView): Html {
  const [verb, words] = key.archived
    ? ["Unarchive", "It can sign again, and is listed again. Nothing else changes."]
    : ["Archive", "It stops signing and leaves the list. Nothing is deleted, and it can be brought back."];
  return html`
    <div class="setting">
      <div class="field">
        <h3>${verb} this key</h3>
        <p class="hint">${words}</p>
      </div>
      <button id="archive-button" class="button" type="button" disabled>${verb}…</button>
    </div>
    <dialog id="archive-dialog" aria-labelledby="archive-title">
      <form id="archive-form" class="stack" data-action="${key.archived ? "unarchive" : "archive"}">
        <h2 id="archive-title">${verb} ${shown(key.label, "archive-what")}?</h2>
        <p>${words}</p>
        ${alertRegion("archive-alert")}
        <p class="actions">
          <button class="button primary" type="submit">${verb}</button>
          <button id="archive-cancel" class="button" type="button" autofocus>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

/** What a key last signed, and where the rest of it is. */
function signaturesSection(key: KeyView, signatures: ActivityView, language: Language): Html {
  return html`
    <section class="stack" aria-labelledby="signatures-title">
      <div class="section-head">
        <h2 id="signatures-title">Signatures</h2>
        <p class="hint">The latest of this key. <a href="/account/audit?key=${key.id}">All that it did</a></p>
      </div>
      <div id="signature-list">
        ${signatures.events.length === 0
          ? html`<p class="empty">It has signed nothing lately.</p>`
          : activityList(signatures, language)}
      </div>
    </section>
  `;
}

/** What the page of a key shows. */
export interface KeyPageData {
  readonly account: AccountView;
  readonly key: KeyView;
  /** The latest of its signatures, newest first. */
  readonly signatures: ActivityView;
  readonly policy: KeyPolicyView;
  readonly tee: TeeView;
}

/** One key: what it is, signing with it, its settings, what it signed, its policy, its attestation. */
export function keyPage({ account, key, signatures, policy, tee }: KeyPageData): Html {
  return layout({
    title: key.label,
    account,
    place: "keys",
    script: "key.client.js",
    content: html`
      <div id="key" class="stack-wide" data-key-id="${key.id}" data-address="${key.address}">
        <div>${heading(key)}</div>
        ${needsScript()}
        ${facts(key, signatures.events[0]?.at)}
        ${signSection(key)}
        <section class="card" aria-labelledby="settings-title">
          <h2 id="settings-title">Settings</h2>
          ${alertRegion("settings-alert")} ${statusRegion("settings-status")}
          ${labelForm(key)} ${blindSigningForm(key)} ${archiveSetting(key)}
        </section>
        ${signaturesSection(key, signatures, account.language)}
        ${policySection(key.id, policy)}
        ${attestationSection(tee)}
      </div>
    `,
  });
}
