import { encodeQR } from "qr";
import type { KeyView } from "../../api/key.ts";
import type { KeyPolicyView } from "../../api/policy.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import { activityList, type ActivityView } from "../../ui/section/activity-list.ts";
import { attestationSection, type TeeView } from "./attestation-section.ts";
import * as keysApiScript from "./keys-api.client.js" with { type: "text" };
import * as attestationScript from "./attestation.client.js" with { type: "text" };
import { identicon } from "./identicon.ts";
import * as keyPolicyScript from "./key-policy.client.js" with { type: "text" };
import * as keyScript from "./key.client.js" with { type: "text" };
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import { policySection } from "./policy-section.ts";
import * as savedQuoteScript from "./saved-quote.client.js" with { type: "text" };
import * as dappTransactionScript from "./sign-form/dapp-transaction.client.js" with { type: "text" };
import * as detectPayloadScript from "./sign-form/detect-payload.client.js" with { type: "text" };
import * as draftScript from "./sign-form/draft.client.js" with { type: "text" };
import * as offerScript from "./sign-form/offer.client.js" with { type: "text" };
import * as reviewScript from "./sign-form/review.client.js" with { type: "text" };
import { signSection } from "./sign-form/section.ts";
import * as signScript from "./sign-form/sign-form.client.js" with { type: "text" };
import * as signRequestScript from "./sign-form/sign-request.client.js" with { type: "text" };
import * as signedScript from "./sign-form/signed.client.js" with { type: "text" };

export const KEY_SCRIPT: Script = defineScript("key.client.js", {
  "attestation.client.js": attestationScript,
  "dapp-transaction.client.js": dappTransactionScript,
  "detect-payload.client.js": detectPayloadScript,
  "draft.client.js": draftScript,
  "key-policy.client.js": keyPolicyScript,
  "key.client.js": keyScript,
  "keys-api.client.js": keysApiScript,
  "offer.client.js": offerScript,
  "review.client.js": reviewScript,
  "saved-quote.client.js": savedQuoteScript,
  "sign-form.client.js": signScript,
  "sign-request.client.js": signRequestScript,
  "signed.client.js": signedScript,
}, { en, de });

const BLIND_SIGNING = ["allow", "guard", "deny"] as const;

type KeyMessages = typeof en.key;

function heading(key: KeyView, messages: KeyMessages): Html {
  return html`
    <p class="back"><a href="${key.archived ? "/keys?archived=true" : "/keys"}">${messages.keys}</a></p>
    <div class="key-title">${identicon(key.address, 44)}
      <h1>${shown(key.label, "key-label")} ${key.archived &&
        html`<span class="badge">${messages.archived}</span>`}</h1></div>
  `;
}

function facts(key: KeyView, latest: string | undefined, language: Language): Html {
  const messages = messagesIn(language, { en, de }).key;
  return html`
    <section class="card" aria-label="${messages.key}">
      <dl class="facts">
          <div class="fact-main">
            <dt>${messages.address}</dt>
            <dd class="copyable"><code id="key-address" class="address">${key.address}</code>
              ${copyButton("key-address", messages.theAddress, language)}</dd>
          </div>
          <div><dt>${messages.made}</dt><dd>${time(key.createdAt, language)}</dd></div>
          <div><dt>${messages.lastSignature}</dt><dd id="last-signature">${latest === undefined
            ? messages.noneLately
            : time(latest, language)}</dd></div>
          <div><dt>${messages.index}</dt><dd>${key.keyIndex}</dd></div>
          ${key.archivedAt !== null && html`
            <div>
              <dt>${messages.archived}</dt>
              <dd>${time(key.archivedAt, language)}</dd>
            </div>
          `}
        </dl>
      <details>
        <summary>${messages.qr}</summary>
        ${qrPicture(`ethereum:${key.address}`, messages.qr)}
        <p class="hint">${messages.forWallets}</p>
      </details>
      <details>
        <summary>${messages.publicAndId}</summary>
        <dl class="facts">
          <div class="fact-wide">
            <dt>${messages.publicKey}</dt>
            <dd class="copyable"><code id="key-public">${key.publicKey}</code>
                ${copyButton("key-public", messages.thePublicKey, language)}</dd>
          </div>
          <div class="fact-wide">
            <dt>${messages.id}</dt>
            <dd class="copyable"><code id="key-id">${key.id}</code> ${copyButton(
              "key-id",
              messages.theId,
              language,
            )}</dd>
          </div>
        </dl>
      </details>
    </section>
  `;
}

/** Renders the form of a setting. Its only field has the name of the API's member. */
function settingForm(id: string, field: Html, { save }: KeyMessages, what: string): Html {
  return html`
    <form id="${id}" class="setting">
      <fieldset disabled>
        <div class="field">${field}</div>
        <button class="button" type="submit">${save}<span class="visually-hidden"> ${what}</span></button>
      </fieldset>
    </form>
  `;
}

function labelForm(key: KeyView, messages: KeyMessages): Html {
  const field = html`
    <label for="label">${messages.label}</label>
    <input id="label" name="label" type="text" maxlength="100" autocomplete="off" required value="${key
      .label}">
  `;
  return settingForm("label-form", field, messages, messages.saveLabel);
}

function blindSigningForm(key: KeyView, messages: KeyMessages): Html {
  const field = html`
    <label for="blind-signing">${messages.blindSigning}</label>
    <select id="blind-signing" name="blindSigning" autocomplete="off" aria-describedby="blind-signing-hint">
      ${BLIND_SIGNING.map((value) =>
        html`<option value="${value}" ${value === key.blindSigning && html`selected`}>${
          messages.blindSigningIs[value]
        }</option>`
      )}
    </select>
    <p id="blind-signing-hint" class="hint">${messages.blindSigningHint}</p>
  `;
  return settingForm("blind-signing-form", field, messages, messages.saveBlindSigning);
}

function archiveSetting(key: KeyView, { cancel, archive, unarchive }: KeyMessages): Html {
  const { verb, title, confirmation, means } = key.archived ? unarchive : archive;
  return html`
    <div class="setting">
      <div class="field">
        <h3>${title}</h3>
        <p class="hint">${means}</p>
      </div>
      <button id="archive-button" class="button" type="button" disabled>${verb}…</button>
    </div>
    <dialog id="archive-dialog" aria-labelledby="archive-title">
      <form id="archive-form" class="stack" data-action="${key.archived ? "unarchive" : "archive"}">
        <h2 id="archive-title">${confirmation(shown(key.label, "archive-what"))}</h2>
        <p>${means}</p>
        ${alertRegion("archive-alert")}
        <p class="actions">
          <button class="button primary" type="submit">${verb}</button>
          <button id="archive-cancel" class="button" type="button" autofocus>${cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

function signaturesSection(key: KeyView, signatures: ActivityView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).key;
  return html`
    <section class="stack" aria-labelledby="signatures-title">
      <div class="section-head">
        <h2 id="signatures-title">${messages.signatures}</h2>
        <p class="hint">${messages.latest} <a href="/account/audit?key=${key.id}">${messages.all}</a></p>
      </div>
      <div id="signature-list">
        ${signatures.events.length === 0
          ? html`<p class="empty">${messages.none}</p>`
          : activityList(signatures, language)}
      </div>
    </section>
  `;
}

export interface KeyPageData {
  readonly account: AccountView;
  readonly key: KeyView;
  /** The latest signatures, newest first. */
  readonly signatures: ActivityView;
  readonly policy: KeyPolicyView;
  readonly tee: TeeView;
}

export function keyPage({ account, key, signatures, policy, tee }: KeyPageData): Html {
  const { language } = account;
  const messages = messagesIn(language, { en, de }).key;
  return layout({
    title: key.label,
    account,
    place: "keys",
    script: KEY_SCRIPT,
    content: html`
      <div id="key" class="stack-wide" data-key-id="${key.id}" data-address="${key.address}">
        <div>${heading(key, messages)}</div>
        ${needsScript(language)}
        ${facts(key, signatures.events[0]?.at, language)}
        ${signSection(key, language)}
        <section class="card" aria-labelledby="settings-title">
          <h2 id="settings-title">${messages.settings}</h2>
          ${alertRegion("settings-alert")} ${statusRegion("settings-status")}
          ${labelForm(key, messages)} ${blindSigningForm(key, messages)} ${archiveSetting(key, messages)}
        </section>
        ${signaturesSection(key, signatures, language)}
        ${policySection(key.id, policy, language)}
        ${attestationSection(tee, language)}
      </div>
    `,
  });
}

/** The width of the quiet zone in modules (ISO/IEC 18004 section 6.3.8). */
const QUIET_ZONE = 4;

/**
 * Draws a text as a QR code of error correction level M, as inline SVG. `label` is its name for screen readers. Uses
 * the same colours in both colour schemes, because cameras expect dark on light.
 */
export function qrPicture(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const side = rows.length;
  const runs = rows.flatMap((row, y) => {
    const line = row.map((isDark) => isDark ? "1" : "0").join("");
    return [...line.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`);
  });
  return html`
    <svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}"
      shape-rendering="crispEdges">
      <path fill="#fff" d="M0 0h${side}v${side}h-${side}z" />
      <path fill="#000" d="${runs.join("")}" />
    </svg>
  `;
}
