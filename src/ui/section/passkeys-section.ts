import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { alertRegion, shown, statusRegion, time } from "../parts.ts";
import type { PasskeyView } from "../view.ts";

/** Where copies of a passkey are, by what its authenticator says. */
function keptBadge({ backupEligible, backedUp }: PasskeyView): Html {
  if (backedUp) return html`<span class="badge">Synced</span>`;
  return backupEligible
    ? html`<span class="badge">Not backed up yet</span>`
    : html`<span class="badge">On one device</span>`;
}

function rowActions({ id, credentialId, name, current }: PasskeyView, isOnly: boolean): Html {
  return html`
    <p class="row-actions">
      <button id="rename-${id}" class="button small" type="button" data-act="rename" data-passkey-id="${id}"
        data-name="${name}" aria-haspopup="dialog" aria-describedby="facts-${id}"
        disabled>Rename<span class="visually-hidden"> ${name}</span></button>
      ${!isOnly && html`
        <button id="delete-${id}" class="button small" type="button" data-act="delete"
          data-passkey-id="${id}"
          data-name="${name}" data-credential-id="${credentialId}" data-current="${current
            ? "yes"
            : "no"}" aria-haspopup="dialog"
          aria-describedby="facts-${id}"
          disabled>Delete<span class="visually-hidden"> ${name}</span></button>
      `}
    </p>
  `;
}

function passkeyRow(passkey: PasskeyView, isOnly: boolean): Html {
  const { id, name, provider, backupEligible, backedUp, createdAt, lastUsedAt, current } = passkey;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)} ${keptBadge(passkey)}
          ${current && html`<span class="badge current">Used for this session</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          ${provider !== null && provider !== name && html`<span>${provider}</span>`}
          <span>Made ${time(createdAt)}</span>
          ${lastUsedAt !== null && html`<span>Last used ${time(lastUsedAt)}</span>`}
          ${lastUsedAt === null && !current && html`<span>Not used yet</span>`}
        </p>
        ${backupEligible && !backedUp && html`
          <p
            class="fine">It can be copied to your other devices, but is not. Turn syncing on in its password manager.</p>
        `}
        ${isOnly && html`<p class="fine">Your only passkey cannot be deleted. Add another one first.</p>`}
      </div>
      ${rowActions(passkey, isOnly)}
    </li>
  `;
}

function advice(passkeys: readonly PasskeyView[]): Html | undefined {
  const [only, ...more] = passkeys;
  if (only === undefined || more.length > 0) return undefined;
  return html`
    <p class="notice"><strong>Add a second passkey.</strong> ${only.backedUp
      ? "This one is synced, but whoever loses the password manager or the account behind it cannot sign in any more."
      : "This one is on one device only: if that is lost, you cannot sign in any more."}
      A passkey on another device or on a security key keeps your account and its keys within reach.</p>
  `;
}

function addForm(): Html {
  return html`
    <form id="add-form" class="card add-passkey">
      <fieldset disabled>
        <div class="field">
          <label for="add-name">Name of a new passkey <span class="optional">(optional)</span></label>
          <input id="add-name" name="name" type="text" maxlength="100" autocomplete="off"
            placeholder="Blue security key" aria-describedby="add-hint">
        </div>
        <button class="button primary" type="submit">Add a passkey</button>
      </fieldset>
      <p id="add-hint" class="hint">Your browser asks where to keep it: here, on a phone or on a security key.</p>
      ${alertRegion("add-alert")} ${statusRegion("add-status")}
    </form>
  `;
}

function renameDialog(): Html {
  return html`
    <dialog id="rename-dialog" aria-labelledby="rename-title">
      <form id="rename-form" class="stack">
        <h2 id="rename-title">Rename <bdi id="rename-what">passkey</bdi></h2>
        <div class="field">
          <label for="rename-name">Name</label>
          <input id="rename-name" name="name" type="text" maxlength="100" autocomplete="off" required>
        </div>
        ${alertRegion("rename-alert")}
        <p class="actions">
          <button class="button primary" type="submit" disabled>Save</button>
          <button class="button" type="button" data-act="close" disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

function deleteDialog(): Html {
  return html`
    <dialog id="delete-dialog" aria-labelledby="delete-title">
      <form id="delete-form" class="stack">
        <h2 id="delete-title">Delete <bdi id="delete-what">passkey</bdi>?</h2>
        <p>It no longer signs you in, and every session that it opened ends. Applications keep their access.
          Where your browser cannot do it by itself, delete it from your password manager or device too.</p>
        <p id="delete-current" class="notice danger" hidden>You signed in here with this passkey, so you are signed out here too.</p>
        ${alertRegion("delete-alert")} ${statusRegion("delete-status")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>Delete</button>
          <button class="button" type="button" data-act="close" autofocus disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

/** `none` where there is no address, or nobody who sends mails. */
export type Notices = "mailed" | "none";

/**
 * The passkeys of an account, oldest first, and what can be done with them. The script replaces the children of
 * `passkey-list` after each act.
 */
export function passkeysSection(passkeys: readonly PasskeyView[], notices: Notices): Html {
  return html`
    <section class="stack" aria-labelledby="passkeys">
      <div class="section-head">
        <h2 id="passkeys">Passkeys</h2>
        <p class="hint">They are the only way to sign in. Adding and deleting one asks for a passkey when you signed in
          more than ten minutes ago${notices === "mailed" && ", and is told to you by mail"}.</p>
      </div>
      ${statusRegion("passkeys-status")}
      <div id="passkey-list" class="stack">
        ${advice(passkeys)}
        <ul class="rows">${passkeys.map((passkey) => passkeyRow(passkey, passkeys.length === 1))}</ul>
      </div>
      ${addForm()}
      ${renameDialog()} ${deleteDialog()}
    </section>
  `;
}
