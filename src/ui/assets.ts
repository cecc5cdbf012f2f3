import { utf8 } from "../lib/bytes.ts";
import { LANGUAGES } from "../lib/language.ts";
import type { Language } from "../lib/language.ts";
import { sha256 } from "../lib/sha256.ts";
import { joinScripts } from "./joined-scripts.ts";
import type { ScriptModule } from "./joined-scripts.ts";
import * as account from "./browser/account.client.js" with { type: "text" };
import * as accountPasskeys from "./browser/account-passkeys.client.js" with { type: "text" };
import * as accountSessions from "./browser/account-sessions.client.js" with { type: "text" };
import * as activity from "./browser/activity.client.js" with { type: "text" };
import * as admin from "./browser/admin.client.js" with { type: "text" };
import * as api from "./browser/api.client.js" with { type: "text" };
import * as approval from "./browser/approval.client.js" with { type: "text" };
import * as attestation from "./browser/attestation.client.js" with { type: "text" };
import * as dappTransaction from "./browser/dapp-transaction.client.js" with { type: "text" };
import * as developer from "./browser/developer.client.js" with { type: "text" };
import * as exportScript from "./browser/export.client.js" with { type: "text" };
import * as dom from "./browser/dom.client.js" with { type: "text" };
import * as draft from "./browser/draft.client.js" with { type: "text" };
import * as explanation from "./browser/explanation.client.js" with { type: "text" };
import * as failure from "./browser/failure.client.js" with { type: "text" };
import * as firstPasskey from "./browser/first-passkey.client.js" with { type: "text" };
import * as identitySignUp from "./browser/identity-sign-up.client.js" with { type: "text" };
import * as intent from "./browser/intent.client.js" with { type: "text" };
import * as jsonSource from "./browser/json-source.client.js" with { type: "text" };
import * as keyPolicy from "./browser/key-policy.client.js" with { type: "text" };
import * as keyPage from "./browser/key.client.js" with { type: "text" };
import * as keysPage from "./browser/keys.client.js" with { type: "text" };
import * as offer from "./browser/offer.client.js" with { type: "text" };
import * as ownPage from "./browser/own-page.client.js" with { type: "text" };
import * as page from "./browser/page.client.js" with { type: "text" };
import * as passkey from "./browser/passkey.client.js" with { type: "text" };
import * as readable from "./browser/readable.client.js" with { type: "text" };
import * as readableNodes from "./browser/readable-nodes.client.js" with { type: "text" };
import * as recover from "./browser/recover.client.js" with { type: "text" };
import * as recoveryApi from "./browser/recovery-api.client.js" with { type: "text" };
import * as recognise from "./browser/recognise.client.js" with { type: "text" };
import * as refresh from "./browser/refresh.client.js" with { type: "text" };
import * as removal from "./browser/removal.client.js" with { type: "text" };
import * as request from "./browser/request.client.js" with { type: "text" };
import * as savedQuote from "./browser/saved-quote.client.js" with { type: "text" };
import * as sentCode from "./browser/sent-code.client.js" with { type: "text" };
import * as settings from "./browser/settings.client.js" with { type: "text" };
import * as sign from "./browser/sign.client.js" with { type: "text" };
import * as signIn from "./browser/sign-in.client.js" with { type: "text" };
import * as signRequest from "./browser/sign-request.client.js" with { type: "text" };
import * as signUp from "./browser/sign-up.client.js" with { type: "text" };
import * as signals from "./browser/signals.client.js" with { type: "text" };
import * as signed from "./browser/signed.client.js" with { type: "text" };
import * as stepUp from "./browser/step-up.client.js" with { type: "text" };
import * as times from "./browser/times.client.js" with { type: "text" };
import * as unsent from "./browser/unsent.client.js" with { type: "text" };
import * as wayBack from "./browser/way-back.client.js" with { type: "text" };
import * as words from "./browser/words.client.js" with { type: "text" };
import * as favicon from "./favicon.svg" with { type: "text" };
import * as accountStyle from "./style/account.css" with { type: "text" };
import * as adminStyle from "./style/admin.css" with { type: "text" };
import * as apiStyle from "./style/api.css" with { type: "text" };
import * as auditStyle from "./style/audit.css" with { type: "text" };
import * as baseStyle from "./style/base.css" with { type: "text" };
import * as blockStyle from "./style/block.css" with { type: "text" };
import * as formStyle from "./style/form.css" with { type: "text" };
import * as keyStyle from "./style/key.css" with { type: "text" };
import * as keysStyle from "./style/keys.css" with { type: "text" };
import * as layoutStyle from "./style/layout.css" with { type: "text" };
import * as signUpStyle from "./style/sign-up.css" with { type: "text" };
import * as viewportStyle from "./style/viewport.css" with { type: "text" };
import { wordsIn } from "./words/words.ts";

/** A file that pages load. */
export interface Asset {
  /** `/assets/<hash>/<name>`: never holds anything else, so it may be cached for ever. */
  readonly path: string;
  /** The media type. */
  readonly type: string;
  readonly body: string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The text of a file that was imported with `{ type: "text" }`, whatever the type checker takes the file for. */
function textOf(module: object): string {
  const text = (module as { readonly default?: unknown }).default;
  if (typeof text !== "string") throw new TypeError("Cannot read asset: not imported as text");
  return text;
}

/** The style sheet's files in the order of the cascade: what holds everywhere first, what a width changes last. */
const STYLES: readonly object[] = [
  baseStyle,
  layoutStyle,
  blockStyle,
  formStyle,
  signUpStyle,
  auditStyle,
  accountStyle,
  adminStyle,
  keysStyle,
  keyStyle,
  apiStyle,
  viewportStyle,
];

/** The first 16 hex digits of SHA-256 over all names and texts: one for all assets. */
export function hashAssets(files: readonly ScriptModule[]): string {
  return sha256(utf8(JSON.stringify(files))).toHex().slice(0, 16);
}

/** The modules of browser/. Pages load what no other of them imports, joined with all that it imports itself. */
const MODULES: readonly ScriptModule[] = [
  ["account-passkeys.client.js", textOf(accountPasskeys)],
  ["account-sessions.client.js", textOf(accountSessions)],
  ["account.client.js", textOf(account)],
  ["activity.client.js", textOf(activity)],
  ["admin.client.js", textOf(admin)],
  ["api.client.js", textOf(api)],
  ["approval.client.js", textOf(approval)],
  ["attestation.client.js", textOf(attestation)],
  ["dapp-transaction.client.js", textOf(dappTransaction)],
  ["developer.client.js", textOf(developer)],
  ["dom.client.js", textOf(dom)],
  ["draft.client.js", textOf(draft)],
  ["explanation.client.js", textOf(explanation)],
  ["export.client.js", textOf(exportScript)],
  ["first-passkey.client.js", textOf(firstPasskey)],
  ["failure.client.js", textOf(failure)],
  ["identity-sign-up.client.js", textOf(identitySignUp)],
  ["intent.client.js", textOf(intent)],
  ["json-source.client.js", textOf(jsonSource)],
  ["key-policy.client.js", textOf(keyPolicy)],
  ["key.client.js", textOf(keyPage)],
  ["keys.client.js", textOf(keysPage)],
  ["offer.client.js", textOf(offer)],
  ["own-page.client.js", textOf(ownPage)],
  ["page.client.js", textOf(page)],
  ["passkey.client.js", textOf(passkey)],
  ["readable-nodes.client.js", textOf(readableNodes)],
  ["readable.client.js", textOf(readable)],
  ["recognise.client.js", textOf(recognise)],
  ["recover.client.js", textOf(recover)],
  ["recovery-api.client.js", textOf(recoveryApi)],
  ["refresh.client.js", textOf(refresh)],
  ["removal.client.js", textOf(removal)],
  ["request.client.js", textOf(request)],
  ["saved-quote.client.js", textOf(savedQuote)],
  ["sent-code.client.js", textOf(sentCode)],
  ["settings.client.js", textOf(settings)],
  ["sign-in.client.js", textOf(signIn)],
  ["sign-request.client.js", textOf(signRequest)],
  ["sign-up.client.js", textOf(signUp)],
  ["sign.client.js", textOf(sign)],
  ["signals.client.js", textOf(signals)],
  ["signed.client.js", textOf(signed)],
  ["step-up.client.js", textOf(stepUp)],
  ["times.client.js", textOf(times)],
  ["unsent.client.js", textOf(unsent)],
  ["way-back.client.js", textOf(wayBack)],
  ["words.client.js", textOf(words)],
];

/** Gives the modules of a script what they say in a language. The page's scripts have one place for it. */
function wordsOf(modules: readonly string[], language: Language): string {
  const said = Object.entries(wordsIn(language).scripts)
    .filter(([name]) => modules.includes(`${name}.client.js`));
  return `Object.assign(globalThis.words ??= {}, ${JSON.stringify(Object.fromEntries(said))});\n`;
}

/** The name of a script in a language: `sign-in.de.client.js`. */
function scriptName(name: string, language: Language): string {
  return name.replace(".", `.${language}.`);
}

function joinAll(): readonly ScriptModule[] {
  const scripts = LANGUAGES.flatMap((language) =>
    joinScripts(MODULES, (modules) => wordsOf(modules, language))
      .map(([name, text]) => [scriptName(name, language), text] as const)
  );
  return [
    ...scripts,
    ["favicon.svg", textOf(favicon)],
    ["style.css", STYLES.map(textOf).join("\n")],
  ];
}

interface Assets {
  readonly byName: ReadonlyMap<string, Asset>;
  readonly byPath: ReadonlyMap<string, Asset>;
}

function make(): Assets {
  const files = joinAll();
  const folder = `/assets/${hashAssets(files)}`;
  const all = files.map(([name, body]) => {
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)]!;
    return [name, { path: `${folder}/${name}`, type, body }] as const;
  });
  return { byName: new Map(all), byPath: new Map(all.map(([, asset]) => [asset.path, asset])) };
}

let made: Assets | undefined;

/** Made for the first page and not at the start: joining and hashing more than a megabyte is a tenth of all its work. */
function assets(): Assets {
  return made ??= make();
}

/** Everything pages load besides themselves: the sources' files, scripts and style sheets joined. */
export function listAssets(): readonly Asset[] {
  return [...assets().byPath.values()];
}

/** What is served at a path; undefined for nothing. */
export function findAsset(path: string): Asset | undefined {
  return assets().byPath.get(path);
}

/** Where an asset is served. Throws RangeError when there is none of that name: a page's mistake. */
export function assetPath(name: string): string {
  const asset = assets().byName.get(name);
  if (asset === undefined) throw new RangeError("Cannot find asset: no such name");
  return asset.path;
}

/** Where a script is served whose words are of that language: the same but for them. */
export function scriptPath(name: string, language: Language): string {
  return assetPath(scriptName(name, language));
}
