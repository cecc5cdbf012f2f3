import { html } from "../../../lib/html.ts";
import type { layoutWords as English } from "../en/layout.ts";

export const layoutWords: typeof English = {
  development:
    html`<strong>Entwicklung:</strong> simuliertes TEE. Wer diesen Rechner betreibt, kann die Schlüssel lesen.`,
  places: "Bereiche",
  keys: "Schlüssel",
  requests: "Anfragen",
  activity: "Verlauf",
  developer: "Entwickler",
  menu: "Menü",
  signedInAs: "Angemeldet als",
  account: "Konto",
  signOut: "Abmelden",
  skip: "Zum Inhalt springen",
  footer:
    "Holdfast verwahrt Ethereum-Schlüssel auf dem eigenen Server seines Eigentümers. Diese Seite lädt nichts von anderswo.",
};
