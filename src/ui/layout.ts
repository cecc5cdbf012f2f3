import { html } from "../lib/html.ts";
import { readable } from "../lib/readable-text.ts";
import type { Html, HtmlValue } from "../lib/html.ts";
import { assetPath } from "./assets.ts";
import type { AccountView } from "./view.ts";
import { shown } from "./parts.ts";

/** What a page hands to the layout. */
export interface Page {
  /** Without the product's name, which the layout adds. */
  readonly title: string;
  /** Who is signed in; undefined on pages that are for everybody. */
  readonly account?: AccountView;
  /** The page's own script, an asset. */
  readonly script?: string;
  /** `form`: one narrow column for one task. */
  readonly width?: "form" | "wide";
  readonly content: HtmlValue;
}

function accountBar({ email }: AccountView): Html {
  return html`
    <div class="account">
      <a class="account-link" href="/keys">Keys</a>
      <a class="account-link where-wide" href="/developer">Developer</a>
      <a class="account-link account-email" href="/account"
        title="${email}"><span class="visually-hidden">Signed in as </span>${shown(email)}</a>
      <form method="post" action="/sign-out"><button class="button quiet" type="submit">Sign out</button></form>
    </div>
  `;
}

/**
 * The whole document around a page: head, header, main, footer. Loads nothing from another host and has no inline
 * script or style. Scripts read from the body whether somebody is signed in.
 */
export function layout({ title, account, script, width = "wide", content }: Page): Html {
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
        ${script !== undefined && html`<script type="module" src="${assetPath(script)}"></script>`}
      </head>
      <body data-visitor="${account === undefined ? "nobody" : "account"}">
        <a class="skip-link" href="#main">Skip to content</a>
        <header class="site-header">
          <div class="site-header-inner">
            <a class="brand" href="/"><img src="${assetPath(
              "favicon.svg",
            )}" alt="" width="28" height="28">Holdfast</a>
            ${account !== undefined && accountBar(account)}
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
