import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import type { AuthenticationMethod } from "../../oauth/client/client.ts";
import { CLAIM_SCOPES, type ClaimScope } from "../../oauth/scope.ts";
import { adminField, faultsIn, formIdInput } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export interface ApplicationForm {
  readonly name: string;
  readonly uri: string;
  readonly type: "web" | "spa" | "native";
  readonly redirectUris: readonly string[];
  readonly logoutUris: readonly string[];
  readonly backchannel: string;
  readonly session: boolean;
  readonly algorithm: "ES256" | "RS256" | "EdDSA";
  readonly claims: readonly ClaimScope[];
  readonly read: boolean;
  readonly sign: boolean;
  readonly bound: boolean;
  readonly pushed: boolean;
  readonly device: boolean;
  /** `usual` for a new application: the first method of its type. */
  readonly method: AuthenticationMethod | "usual";
  /** The set of its public keys, as JSON. */
  readonly jwks: string;
  readonly jwksUri: string;
  /** Ids of the groups whose members may use it. Null for every account. */
  readonly groups: readonly string[] | null;
  /** The digest of the application when the form was opened. Empty for a new one. */
  readonly seen: string;
  /** The message for each invalid field, by its name. */
  readonly faults: Readonly<Record<string, string>>;
}

function uriFields(
  { prefix, uris, faults, label }: {
    readonly prefix: string;
    readonly uris: readonly string[];
    readonly faults: ApplicationForm["faults"];
    readonly label: (n: number) => string;
  },
): readonly Html[] {
  return uris.map((value, index) => {
    const name = `${prefix}${index}`;
    return adminField({ name, label: label(index + 1), value, fault: faults[name], type: "text" });
  });
}

function box(name: string, label: string, isChosen: boolean): Html {
  return html`
    <label
      class="choice"><input type="checkbox" name="${name}" value="on" ${isChosen &&
        html`checked`}> <span>${label}</span></label>
  `;
}

function choices(
  name: string,
  label: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen: string,
): Html {
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      <select id="${name}" name="${name}" autocomplete="off">${options.map(([value, label]) =>
        html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`
      )}</select>
    </div>
  `;
}

/** A group that can be chosen. */
export interface GroupChoice {
  readonly id: string;
  readonly name: string;
}

function accessPart(
  { groups: chosen }: ApplicationForm,
  groups: readonly GroupChoice[],
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).form;
  const access = chosen === null ? "everyone" : "groups";
  return html`
    <fieldset class="choices">
      <legend>${messages.access}</legend>
      ${choices("access", messages.whoMay, Object.entries(messages.accesses), access)}
      ${groups.length === 0 && html`<p class="hint">${messages.noGroups}</p>`}
      ${groups.map(({ id, name }) => box(`group:${id}`, name, chosen?.includes(id) === true))}
    </fieldset>
  `;
}

/** Renders how an application authenticates. Only one on a server can have keys of its own. */
function authenticationPart(
  form: ApplicationForm,
  faults: ApplicationForm["faults"],
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).form;
  const { methods } = messages;
  const usual = form.seen === "" ? "usual" : "client_secret_basic";
  return html`
    <fieldset class="stack">
      <legend>${messages.authentication}</legend>
      ${choices("method", messages.method, [[usual, methods[usual]], [
        "private_key_jwt",
        methods.private_key_jwt,
      ]], form.method)}
      ${faults["method"] !== undefined && html`<p class="notice danger">${faults["method"]}</p>`}
      ${adminField({
        name: "jwksUri",
        label: messages.jwksUri,
        value: form.jwksUri,
        fault: faults["jwksUri"],
      })}
      <div class="field">
        <label for="jwks">${messages.jwks}</label>
        <textarea id="jwks" name="jwks" class="mono short" rows="4" autocomplete="off" spellcheck="false"
          aria-describedby="jwks-hint">${form.jwks}</textarea>
        ${faults["jwks"] !== undefined && html`<p class="notice danger">${faults["jwks"]}</p>`}
        <p id="jwks-hint" class="hint">${messages.jwksHint}</p>
      </div>
    </fieldset>
  `;
}

/** Renders the form that registers or changes an application. The type cannot be changed later. */
export function applicationForm(
  { form, groups, action, language, once }: {
    readonly form: ApplicationForm;
    readonly groups: readonly GroupChoice[];
    readonly action: string;
    readonly language: Language;
    /** The token that detects a form sent twice. Set for a new application. */
    readonly once?: string;
  },
): Html {
  const messages = messagesIn(language, { en, de }).form;
  const faults = faultsIn(language, form.faults);
  const what = once === undefined ? "change" : "new";
  return html`
    <form class="card stack" method="post" action="${action}">
      ${once !== undefined && formIdInput(once)}
      ${what === "change" && html`<input type="hidden" name="seen" value="${form.seen}">`}
      ${Object.keys(faults).length > 0 && html`<p class="notice danger" role="alert">${messages.wrong}</p>`}
      ${adminField({
        name: "name",
        label: messages.name,
        value: form.name,
        fault: faults["name"],
        hint: messages.nameHint,
      })}
      ${adminField({ name: "uri", label: messages.uri, value: form.uri, fault: faults["uri"] })}
      ${what === "new" && choices("type", messages.type, Object.entries(messages.types), form.type)}
      <fieldset class="stack">
        <legend>${messages.redirects}</legend>
        <p class="hint">${messages.redirectsHint}</p>
        ${faults["redirectUris"] !== undefined &&
          html`<p class="notice danger">${faults["redirectUris"]}</p>`}
        ${uriFields({ prefix: "redirect", uris: form.redirectUris, faults, label: messages.redirect })}
      </fieldset>
      <fieldset class="stack">
        <legend>${messages.logouts}</legend>
        ${uriFields({ prefix: "logout", uris: form.logoutUris, faults, label: messages.logout })}
      </fieldset>
      <fieldset class="stack">
        <legend>${messages.backchannels}</legend>
        ${adminField({
          name: "backchannel",
          label: messages.backchannel,
          value: form.backchannel,
          fault: faults["backchannel"],
          hint: messages.backchannelHint,
        })}
        ${box("session", messages.session, form.session)}
      </fieldset>
      ${choices(
        "algorithm",
        messages.algorithm,
        ["ES256", "RS256", "EdDSA"].map((name) => [name, name]),
        form.algorithm,
      )}
      ${(what === "new" || form.type === "web") && authenticationPart(form, faults, language)}
      ${accessPart(form, groups, language)}
      <fieldset class="choices">
        <legend>${messages.claims}</legend>
        <p class="hint">${messages.claimsHint}</p>
        ${CLAIM_SCOPES.map((scope) =>
          box(scope, `${messages.claimScopes[scope]} (${scope})`, form.claims.includes(scope))
        )}
      </fieldset>
      <fieldset class="choices">
        <legend>${messages.keys}</legend>
        ${box("read", messages.read, form.read)} ${box("sign", messages.sign, form.sign)} ${box(
          "bound",
          messages.bound,
          form.bound,
        )}
        ${faults["bound"] !== undefined && html`<p class="notice danger">${faults["bound"]}</p>`}
      </fieldset>
      <fieldset class="choices">
        <legend>${messages.flow}</legend>
        ${box("pushed", messages.pushed, form.pushed)} ${box("device", messages.device, form.device)}
      </fieldset>
      <p class="actions"><button class="button primary" type="submit">${what === "new"
        ? messages.register
        : messages.save}</button></p>
    </form>
  `;
}
