import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shown } from "../parts.ts";
import type { SigningRequestView } from "../view.ts";

/** Who asks for a signature, in words. */
export function askerWords({ kind, name }: SigningRequestView["asker"]): Html {
  if (kind === "owner") return html`You ask`;
  return kind === "token"
    ? html`The program with the token ${shown(name ?? "")} asks`
    : html`The application ${shown(name ?? "")} asks`;
}
