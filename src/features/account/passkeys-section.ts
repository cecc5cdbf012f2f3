import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { alertRegion, shown, statusRegion, time } from "../../ui/parts.ts";
import type { PasskeyView } from "../../api/passkey.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

type PasskeyMessages = typeof en.account.passkeys;

function storageBadge({ backupEligible, backedUp }: PasskeyView, messages: PasskeyMessages): Html {
  if (backedUp) return html`<span class="badge">${messages.synced}</span>`;
  return html`<span class="badge">${backupEligible ? messages.notYetSynced : messages.onOneDevice}</span>`;
}

function rowActions(
  { id, credentialId, name, current }: PasskeyView,
  isOnly: boolean,
  messages: PasskeyMessages,
): Html {
  return html`
    <p class="row-actions">
      <button id="rename-${id}" class="button small" type="button" data-act="rename" data-passkey-id="${id}"
        data-name="${name}" aria-haspopup="dialog" aria-describedby="facts-${id}"
        disabled>${messages.rename}<span class="visually-hidden"> ${name}</span></button>
      ${!isOnly && html`
        <button id="delete-${id}" class="button small" type="button" data-act="delete"
          data-passkey-id="${id}"
          data-name="${name}" data-credential-id="${credentialId}" data-current="${current
            ? "yes"
            : "no"}" aria-haspopup="dialog"
          aria-describedby="facts-${id}"
          disabled>${messages.delete}<span class="visually-hidden"> ${name}</span></button>
      `}
    </p>
  `;
}

function passkeyRow(passkey: PasskeyView, isOnly: boolean, language: Language): Html {
  const messages = messagesIn(language, { en, de }).account.passkeys;
  const { id, name, provider, backupEligible, backedUp, createdAt, lastUsedAt, current } = passkey;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)} ${storageBadge(passkey, messages)}
          ${current && html`<span class="badge current">${messages.usedNow}</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          ${provider !== null && provider !== name && html`<span>${provider}</span>`}
          <span>${messages.made} ${time(createdAt, language)}</span>
          ${lastUsedAt !== null && html`<span>${messages.lastUsed} ${time(lastUsedAt, language)}</span>`}
          ${lastUsedAt === null && !current && html`<span>${messages.neverUsed}</span>`}
        </p>
        ${backupEligible && !backedUp && html`
          <p class="fine">${messages.canBeSynced}</p>
        `}
        ${isOnly && html`<p class="fine">${messages.onlyOne}</p>`}
      </div>
      ${rowActions(passkey, isOnly, messages)}
    </li>
  `;
}

function advice(passkeys: readonly PasskeyView[], messages: PasskeyMessages): Html | undefined {
  const [only, ...more] = passkeys;
  if (only === undefined || more.length > 0) return undefined;
  return html`
    <p class="notice"><strong>${messages.addSecond}</strong> ${only.backedUp
      ? messages.onlyIsSynced
      : messages.onlyIsNotSynced} ${messages.secondHelps}</p>
  `;
}

function addForm(messages: PasskeyMessages): Html {
  return html`
    <form id="add-form" class="card add-passkey">
      <fieldset disabled>
        <div class="field">
          <label for="add-name">${messages.newName}</label>
          <input id="add-name" name="name" type="text" maxlength="100" autocomplete="off"
            placeholder="${messages.exampleName}" aria-describedby="add-hint">
        </div>
        <button class="button primary" type="submit">${messages.add}</button>
      </fieldset>
      <p id="add-hint" class="hint">${messages.storedAt}</p>
      ${alertRegion("add-alert")} ${statusRegion("add-status")}
    </form>
  `;
}

function renameDialog(messages: PasskeyMessages): Html {
  return html`
    <dialog id="rename-dialog" aria-labelledby="rename-title">
      <form id="rename-form" class="stack">
        <h2 id="rename-title">${messages.renameTitle(
          html`<bdi id="rename-what">${messages.passkey}</bdi>`,
        )}</h2>
        <div class="field">
          <label for="rename-name">${messages.name}</label>
          <input id="rename-name" name="name" type="text" maxlength="100" autocomplete="off" required>
        </div>
        ${alertRegion("rename-alert")}
        <p class="actions">
          <button class="button primary" type="submit" disabled>${messages.save}</button>
          <button class="button" type="button" data-act="close" disabled>${messages.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

function deleteDialog(messages: PasskeyMessages): Html {
  return html`
    <dialog id="delete-dialog" aria-labelledby="delete-title">
      <form id="delete-form" class="stack">
        <h2 id="delete-title">${messages.deleteTitle(
          html`<bdi id="delete-what">${messages.passkey}</bdi>`,
        )}</h2>
        <p>${messages.deleteMeans}</p>
        <p id="delete-current" class="notice danger" hidden>${messages.deleteCurrent}</p>
        ${alertRegion("delete-alert")} ${statusRegion("delete-status")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>${messages.delete}</button>
          <button class="button" type="button" data-act="close" autofocus disabled>${messages.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

/** `none` if the account has no address or no mail delivery is configured. */
export type Notifications = "mailed" | "none";

/** Renders the passkeys, oldest first. The script replaces the children of `passkey-list` after each act. */
export function passkeysSection(
  passkeys: readonly PasskeyView[],
  notifications: Notifications,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).account.passkeys;
  return html`
    <section class="stack" aria-labelledby="passkeys">
      <div class="section-head">
        <h2 id="passkeys">${messages.title}</h2>
        <p class="hint">${messages.onlyPasskey(notifications === "mailed")}</p>
      </div>
      ${statusRegion("passkeys-status")}
      <div id="passkey-list" class="stack">
        ${advice(passkeys, messages)}
        <ul class="rows">${passkeys.map((passkey) =>
          passkeyRow(passkey, passkeys.length === 1, language)
        )}</ul>
      </div>
      ${addForm(messages)}
      <p class="fine">${messages.allLost} <a href="/account/recovery">${messages.recoverySettings}</a>.</p>
      ${renameDialog(messages)} ${deleteDialog(messages)}
    </section>
  `;
}
