import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, shortAddress, shown, statusRegion, time } from "../parts.ts";
import type { AccountView, KeyView } from "../view.ts";

/** What the list of keys shows. */
export interface KeysPageData {
  readonly account: AccountView;
  readonly keys: readonly KeyView[];
  /** Whether `keys` holds archived ones too. */
  readonly archived: "include" | "exclude";
  /** The path of the next page of a list that is longer than one. */
  readonly nextPath?: string;
}

function keyItem(key: KeyView): Html {
  return html`
    <li>
      <a class="key-row" href="/keys/${key.id}">
        <span class="key-row-label">${shown(key.label)}
          ${key.archived && html`<span class="badge">Archived</span>`}</span>
        <span class="key-row-address mono" title="${key.address}">${shortAddress(key.address)}</span>
        <span class="key-row-facts">Index ${key.keyIndex} · ${time(key.createdAt)}</span>
      </a>
    </li>
  `;
}

function createForm(): Html {
  return html`
    <form id="create-form" class="card create-key">
      <fieldset disabled>
        <legend>New key</legend>
        <div class="field">
          <label for="label">Label <span class="optional">(optional)</span></label>
          <input id="label" name="label" type="text" maxlength="100" autocomplete="off" placeholder="Treasury">
        </div>
        <button class="button primary" type="submit">Create key</button>
      </fieldset>
      ${needsScript()} ${alertRegion("alert")} ${statusRegion("status")}
    </form>
  `;
}

/** The account's keys in the order given, and the form that makes one more. */
export function keysPage({ account, keys, archived, nextPath }: KeysPageData): Html {
  const [path, words] = archived === "include"
    ? ["/keys", "Hide archived keys"]
    : ["/keys?archived=true", "Show archived keys"];
  return layout({
    title: "Keys",
    account,
    place: "keys",
    script: "keys.client.js",
    content: html`
      <div class="title-row">
        <h1>Keys</h1>
        <a href="${path}">${words}</a>
      </div>
      ${keys.length === 0
        ? html`<p class="empty">No keys to show.</p>`
        : html`<ul class="key-list">${keys.map(keyItem)}</ul>`}
      ${nextPath !== undefined && html`<p><a rel="next" href="${nextPath}">More keys</a></p>`}
      ${createForm()}
    `,
  });
}
