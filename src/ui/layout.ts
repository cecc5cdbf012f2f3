import { type Html, html, type HtmlValue } from "../lib/html.ts";
import { readable } from "../lib/readable-text.ts";
import { type Language, messagesIn } from "../lib/language.ts";
import { ICON, PAGE_SCRIPT, type Script, STYLE_SHEET } from "./assets.ts";
import { type Brand, PRODUCT } from "./brand.ts";
import { shown } from "./parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The state of the service that every page shows, and the page's language. */
export interface FrameView {
  readonly language: Language;
  /** `simulated`: no hardware protects the keys. For development only. */
  readonly tee?: "simulated" | "hardware";
  /** The product's by default. */
  readonly brand?: Brand;
}

export interface AccountView extends FrameView {
  readonly accountId: string;
  readonly email: string;
}

/** The signed-in user, or the service state on public pages. */
type Viewer =
  | { readonly account: AccountView }
  | { readonly account?: undefined; readonly frame: FrameView };

export type Page = PageContent & Viewer;

interface PageContent {
  /** Without the service's name, which the layout adds. */
  readonly title: string;
  /** The selected place in the navigation bar. */
  readonly place?: PlaceName;
  readonly script?: Script;
  /** `form`: one narrow column for one task. */
  readonly width?: "form" | "wide";
  /** The content's language, if it differs from the page's. */
  readonly contentLanguage?: Language;
  readonly content: HtmlValue;
}

type LayoutMessages = typeof en.layout;

const PLACES = [
  ["keys", "/keys"],
  ["requests", "/requests"],
  ["activity", "/account/audit"],
  ["developer", "/developer"],
] as const;

export type PlaceName = typeof PLACES[number][0] | "account";

function placeLinks(place: PlaceName | undefined, messages: LayoutMessages): readonly Html[] {
  return PLACES.map(([name, path]) =>
    html`<li><a class="bar-link" href="${path}"${
      name === place && html`
        aria-current="page"
      `
    }>${messages[name]}</a></li>`
  );
}

/** Renders the navigation bar. Its menu also has the places on narrow screens, and opens without a script. */
function accountBar({ email }: AccountView, place: PlaceName | undefined, messages: LayoutMessages): Html {
  return html`
    <nav class="bar-places" aria-label="${messages.places}">
      <ul>${placeLinks(place, messages)}</ul>
    </nav>
    <details class="menu">
      <summary class="bar-link"><span class="menu-word">${messages.menu}</span><span
        class="menu-account" title="${email}"><span class="visually-hidden">${messages
          .signedInAs} </span><span
        class="account-email">${shown(email)}</span></span></summary>
      <div class="menu-panel">
        <p class="menu-who">${messages.signedInAs} <strong>${shown(email)}</strong></p>
        <nav class="menu-places" aria-label="${messages.places}">
          <ul>${placeLinks(place, messages)}</ul>
        </nav>
        <a class="bar-link" href="/account" ${place === "account" && html`
          aria-current="page"
        `}>${messages.account}</a>
        <form method="post" action="/sign-out"><button class="bar-link" type="submit">${messages
          .signOut}</button></form>
      </div>
    </details>
  `;
}

/**
 * Renders the document around a page: head, header, main, footer. It loads nothing from another host and has no inline
 * script or style. The body's `data-account` tells scripts which user is signed in; absent if none is.
 */
export function layout(page: Page): Html {
  const { title, account, place, script, width = "wide", contentLanguage, content } = page;
  const { language, tee, brand: { name, logo = ICON.get() } = PRODUCT } = page.account ?? page.frame;
  const messages = messagesIn(language, { en, de }).layout;
  const scripts = [
    ...(account === undefined ? [] : [PAGE_SCRIPT]),
    ...(script === undefined ? [] : [script]),
  ];
  return html`
    <!DOCTYPE html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${readable(title)} · ${name}</title>
        <meta name="application-name" content="${name}">
        <link rel="manifest" href="/manifest.webmanifest">
        <link rel="icon" type="${logo.type}" href="${logo.path}">
        <link rel="stylesheet" href="${STYLE_SHEET.get().path}">
        ${scripts.map((one) => html`<script type="module" src="${one[language].get().path}"></script>`)}
      </head>
      <body ${account !== undefined && html`
        data-account="${account.accountId}"
      `}>
        <a class="skip-link" href="#main">${messages.skip}</a>
        <header class="site-header">
          ${tee === "simulated" && html`<p class="strip">${messages.development}</p>`}
          <div class="site-header-inner">
            <a class="brand" href="/"><img src="${logo.path}" alt="" width="28" height="28">${name}</a>
            ${account !== undefined && accountBar(account, place, messages)}
          </div>
        </header>
        <main id="main" class="${width}" tabindex="-1" ${contentLanguage !== undefined && html`
          lang="${contentLanguage}"
        `}>
          ${content}
        </main>
        <footer class="site-footer">
          <p>${messages.footer(name)}</p>
        </footer>
      </body>
    </html>
  `;
}
