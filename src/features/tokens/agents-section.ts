import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { copyButton } from "../../ui/parts.ts";
import { AGENTS } from "./agents.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** Renders what connects an agent with `/mcp` of this service. Can be read and copied by hand without a script. */
export function agentsSection(baseUrl: string, language: Language): Html {
  const messages = messagesIn(language, { en, de }).developer.agents;
  return html`
    <section class="card stack" aria-labelledby="agents">
      <h2 id="agents">${messages.title}</h2>
      <p>${messages.means}</p>
      ${AGENTS.map(({ id, name, paste }) =>
        html`
          <h3>${name}</h3>
          ${id === "vscode" && html`<p class="hint">${messages.vscode}</p>`}
          <div class="copyable">
            <pre id="agent-${id}" tabindex="0" role="group" aria-label="${name}">${paste(
              `${baseUrl}/mcp`,
            )}</pre>
            ${copyButton(`agent-${id}`, name, language)}
          </div>
        `
      )}
      <p class="hint">${messages.operator}</p>
    </section>
  `;
}
