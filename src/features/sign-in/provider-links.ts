import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { shown } from "../../ui/parts.ts";
import type { FrameView } from "../../ui/layout.ts";
import type { ProviderView } from "./schema.ts";
import { de } from "../../ui/messages.de.ts";
import { en } from "../../ui/messages.en.ts";

export interface ProvidersData extends FrameView {
  readonly providers?: readonly ProviderView[];
  readonly returnTo?: string;
  readonly isOnlyMethod?: boolean;
}

/** Renders links to the providers. Returns undefined if there are none. */
export function providerLinks(
  { providers = [], returnTo = "", isOnlyMethod = false, language }: ProvidersData,
): Html | undefined {
  if (providers.length === 0) return undefined;
  const messages = messagesIn(language, { en, de }).parts;
  return html`
    <div class="providers stack">
      ${!isOnlyMethod && html`<p class="or">${messages.or}</p>`}
      ${providers.map(({ id, name }) => {
        const path = `/api/auth/identity/${id}${returnTo === "" ? "" : `?${returnTo}`}`;
        return html`<a class="button block" href="${path}"><span>${messages.continueWith} ${
          shown(name)
        }</span></a>`;
      })}
    </div>
  `;
}
