import { utf8 } from "../lib/bytes.ts";
import type { Language } from "../lib/language.ts";
import { sha256 } from "../lib/sha256.ts";
import * as addPasskey from "./browser/add-passkey.client.js" with { type: "text" };
import * as admin from "./browser/admin.client.js" with { type: "text" };
import * as api from "./browser/api.client.js" with { type: "text" };
import * as approval from "./browser/approval.client.js" with { type: "text" };
import * as documentModule from "./browser/document.client.js" with { type: "text" };
import * as dom from "./browser/dom.client.js" with { type: "text" };
import * as failure from "./browser/failure.client.js" with { type: "text" };
import * as idempotency from "./browser/idempotency.client.js" with { type: "text" };
import * as jsonSource from "./browser/json-source.client.js" with { type: "text" };
import * as page from "./browser/page.client.js" with { type: "text" };
import * as passkey from "./browser/passkey.client.js" with { type: "text" };
import * as policyAbi from "./browser/policy-abi.client.js" with { type: "text" };
import * as policyBuilder from "./browser/policy-builder.client.js" with { type: "text" };
import * as policyChoices from "./browser/policy-choices.client.js" with { type: "text" };
import * as policyEdit from "./browser/policy-edit.client.js" with { type: "text" };
import * as refresh from "./browser/refresh.client.js" with { type: "text" };
import * as removal from "./browser/removal.client.js" with { type: "text" };
import * as ruleArguments from "./browser/rule-arguments.client.js" with { type: "text" };
import * as ruleDialog from "./browser/rule-dialog.client.js" with { type: "text" };
import * as ruleFields from "./browser/rule-fields.client.js" with { type: "text" };
import * as signals from "./browser/signals.client.js" with { type: "text" };
import * as stepUp from "./browser/step-up.client.js" with { type: "text" };
import * as times from "./browser/times.client.js" with { type: "text" };
import * as unsent from "./browser/unsent.client.js" with { type: "text" };
import * as messages from "./browser/messages.client.js" with { type: "text" };
import * as favicon from "./favicon.svg" with { type: "text" };
import { type JoinedScript, joinScript, type ScriptModule } from "./join-scripts.ts";
import * as accountStyle from "./style/account.css" with { type: "text" };
import * as apiStyle from "./style/api.css" with { type: "text" };
import * as baseStyle from "./style/base.css" with { type: "text" };
import * as blockStyle from "./style/block.css" with { type: "text" };
import * as formStyle from "./style/form.css" with { type: "text" };
import * as keyStyle from "./style/key.css" with { type: "text" };
import * as keysStyle from "./style/keys.css" with { type: "text" };
import * as layoutStyle from "./style/layout.css" with { type: "text" };
import * as viewportStyle from "./style/viewport.css" with { type: "text" };
import { de as kitDe } from "./messages.de.ts";
import { en as kitEn } from "./messages.en.ts";

export interface Asset<Body extends AssetBody = string> {
  /** `/assets/<hash>/<name>`: contains the content's hash, so that the file can be cached without expiry. */
  readonly path: string;
  readonly type: string;
  readonly body: Body;
}

export type AssetBody = string | Uint8Array<ArrayBuffer>;

/** An asset that is created at its first use: joining and hashing all scripts takes a tenth of the start time. */
interface LazyAsset {
  readonly name: string;
  readonly get: () => Asset;
}

export type Script = Readonly<Record<Language, LazyAsset>>;

/** Modules imported with `{ type: "text" }`, by their file names. */
type TextModules = Readonly<Record<string, object>>;

interface ScriptCatalogue {
  readonly scripts: Readonly<Record<string, object>>;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

/** Returns the text of a file imported with `{ type: "text" }`, for which the compiler has another type. */
export function textOf(module: object): string {
  const text = (module as { readonly default?: unknown }).default;
  if (typeof text !== "string") throw new TypeError("Cannot read asset: not imported as text");
  return text;
}

function lazyAsset(name: string, text: () => string): LazyAsset {
  let made: Asset | undefined;
  return { name, get: () => made ??= toAsset(name, text()) };
}

/** Creates an asset whose path has the first 16 hex digits of the content's SHA-256. */
export function toAsset<Body extends AssetBody>(name: string, body: Body): Asset<Body> {
  const hash = sha256(typeof body === "string" ? utf8(body) : body).toHex().slice(0, 16);
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1)]!;
  return { path: `/assets/${hash}/${name}`, type, body };
}

/** The style sheets in cascade order: base rules first, rules for a width last. */
const STYLES: readonly object[] = [
  baseStyle,
  layoutStyle,
  blockStyle,
  formStyle,
  accountStyle,
  keysStyle,
  keyStyle,
  apiStyle,
  viewportStyle,
];

export const STYLE_SHEET: LazyAsset = lazyAsset("style.css", () => STYLES.map(textOf).join("\n"));
export const ICON: LazyAsset = lazyAsset("favicon.svg", () => textOf(favicon));

const KIT: TextModules = {
  "add-passkey.client.js": addPasskey,
  "admin.client.js": admin,
  "api.client.js": api,
  "approval.client.js": approval,
  "document.client.js": documentModule,
  "dom.client.js": dom,
  "failure.client.js": failure,
  "idempotency.client.js": idempotency,
  "json-source.client.js": jsonSource,
  "page.client.js": page,
  "passkey.client.js": passkey,
  "policy-abi.client.js": policyAbi,
  "policy-builder.client.js": policyBuilder,
  "policy-choices.client.js": policyChoices,
  "policy-edit.client.js": policyEdit,
  "refresh.client.js": refresh,
  "removal.client.js": removal,
  "rule-arguments.client.js": ruleArguments,
  "rule-dialog.client.js": ruleDialog,
  "rule-fields.client.js": ruleFields,
  "signals.client.js": signals,
  "step-up.client.js": stepUp,
  "times.client.js": times,
  "unsent.client.js": unsent,
  "messages.client.js": messages,
};

function toModules(modules: TextModules): readonly ScriptModule[] {
  return Object.entries(modules).map(([name, module]) => [name, textOf(module)]);
}

/** Returns the line that sets the messages of a script's modules. All scripts of a page set them in the same global. */
function messagesLine(parts: readonly string[], { scripts }: ScriptCatalogue): string {
  const messages = Object.entries(scripts).filter(([name]) => parts.includes(`${name}.client.js`));
  return `Object.assign(globalThis.messages ??= {}, ${JSON.stringify(Object.fromEntries(messages))});\n`;
}

/**
 * Defines the script of the module `name`. `modules` contains it and the modules of its feature that it imports; the
 * shared modules are added. Served as `<name>.<language>.client.js`.
 */
export function defineScript(
  name: string,
  modules: TextModules,
  messages?: Readonly<Record<Language, ScriptCatalogue>>,
): Script {
  let joined: JoinedScript | undefined;
  const inLanguage = (language: Language, kit: ScriptCatalogue): LazyAsset =>
    lazyAsset(name.replace(".", `.${language}.`), () => {
      joined ??= joinScript(name, [...toModules(KIT), ...toModules(modules)]);
      const scripts = { ...kit.scripts, ...messages?.[language].scripts };
      return messagesLine(joined.parts, { scripts }) + joined.text;
    });
  return { en: inLanguage("en", kitEn), de: inLanguage("de", kitDe) };
}

export const PAGE_SCRIPT: Script = defineScript("page.client.js", {});
export const ADMIN_SCRIPT: Script = defineScript("admin.client.js", {});

/** Returns these scripts and what is on every page. */
export function listAssets(scripts: readonly Script[]): readonly LazyAsset[] {
  const all = [PAGE_SCRIPT, ADMIN_SCRIPT, ...scripts].flatMap((script) => Object.values(script));
  return [...all, STYLE_SHEET, ICON];
}

/** Throws RangeError if two scripts have the same name. */
export function createAssetFinder(scripts: readonly Script[]): (path: string) => Asset | undefined {
  const all = listAssets(scripts);
  const byName = new Map(all.map((asset) => [asset.name, asset]));
  if (byName.size < all.length) throw new RangeError("Cannot serve scripts: two have the same name");
  return (path) => {
    const asset = byName.get(path.slice(path.lastIndexOf("/") + 1))?.get();
    return asset?.path === path ? asset : undefined;
  };
}
