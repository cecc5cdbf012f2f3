import { html } from "../lib/html.ts";
import { readable } from "../lib/readable-text.ts";
import type { Html, HtmlValue } from "../lib/html.ts";
import { assetPath } from "./assets.ts";
import type { AccountView, FrameView } from "./view.ts";
import { shown } from "./parts.ts";

/** What a page hands to the layout. */
export interface Page {
  /** Without the product's name, which the layout adds. */
  readonly title: string;
  /** Of pages that are for everybody; the account says it of the others. */
  readonly tee?: FrameView["tee"];
  /** Who is signed in; undefined on pages that are for everybody. */
  readonly account?: AccountView;
  /** Where in the bar the page belongs. */
  readonly place?: PlaceName;
  /** The page's own script, an asset. */
  readonly script?: string;
  /** `form`: one narrow column for one task. */
  readonly width?: "form" | "wide";
  readonly content: HtmlValue;
}

/** So that nobody takes it for a safe place. */
function developmentStrip(): Html {
  return html`<p class="strip"><strong>Development:</strong> simulated TEE. Whoever runs this machine can read the keys.</p>`;
}

/** The places of the service, in the order of the bar. */
const PLACES = [
  ["keys", "/keys", "Keys"],
  ["requests", "/requests", "Requests"],
  ["activity", "/account/audit", "Activity"],
  ["developer", "/developer", "Developer"],
] as const;

/** Which place of the bar a page belongs to. */
export type PlaceName = typeof PLACES[number][0] | "account";

function placeLinks(place: PlaceName | undefined): readonly Html[] {
  return PLACES.map(([name, path, words]) =>
    html`<li><a class="bar-link" href="${path}"${
      name === place && html`
        aria-current="page"
      `
    }>${words}</a></li>`
  );
}

/**
 * The bar of whoever is signed in: the places, and a menu with the account. On narrow screens the menu holds the places
 * too. It opens without a script.
 */
function accountBar({ email }: AccountView, place: PlaceName | undefined): Html {
  return html`
    <nav class="bar-places" aria-label="Places">
      <ul>${placeLinks(place)}</ul>
    </nav>
    <details class="menu">
      <summary class="bar-link"><span class="menu-word">Menu</span><span
        class="menu-account" title="${email}"><span class="visually-hidden">Signed in as </span><span
        class="account-email">${shown(email)}</span></span></summary>
      <div class="menu-panel">
        <p class="menu-who">Signed in as <strong>${shown(email)}</strong></p>
        <nav class="menu-places" aria-label="Places">
          <ul>${placeLinks(place)}</ul>
        </nav>
        <a class="bar-link" href="/account" ${place === "account" && html`
          aria-current="page"
        `}>Account</a>
        <form method="post" action="/sign-out"><button class="bar-link" type="submit">Sign out</button></form>
      </div>
    </details>
  `;
}

/**
 * The whole document around a page: head, header, main, footer. Loads nothing from another host and has no inline
 * script or style. Scripts read from the body whether somebody is signed in.
 */
export function layout(
  { title, account, tee = account?.tee, place, script, width = "wide", content }: Page,
): Html {
  return html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${readable(title)} · Holdfast</title>
        <link rel="icon" type="image/svg+xml" href="${assetPath("favicon.svg")}">
        <link rel="stylesheet" href="${assetPath("style.css")}">
        ${account !== undefined && html`<script type="module" src="${assetPath("page.client.js")}"></script>`}
        ${script !== undefined && html`<script type="module" src="${assetPath(script)}"></script>`}
      </head>
      <body data-visitor="${account === undefined ? "nobody" : "account"}">
        <a class="skip-link" href="#main">Skip to content</a>
        <header class="site-header">
          ${tee === "simulated" && developmentStrip()}
          <div class="site-header-inner">
            <a class="brand" href="/"><img src="${assetPath(
              "favicon.svg",
            )}" alt="" width="28" height="28">Holdfast</a>
            ${account !== undefined && accountBar(account, place)}
          </div>
        </header>
        <main id="main" class="${width}" tabindex="-1">
          ${content}
        </main>
        <footer class="site-footer">
          <p>Holdfast keeps Ethereum keys on its owner’s own server. This page loads nothing from anywhere else.</p>
        </footer>
      </body>
    </html>
  `;
}
