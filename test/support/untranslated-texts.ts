import type { Page } from "playwright-core";
import { Html } from "../../src/lib/html.ts";
import { CATALOGUES } from "./page-messages.ts";

/** The labels and texts of the album's users, which are no part of a page. */
const OTHERS =
  /^Treasury$|A label that is rather long, as some people like them to be|hello from a browser|\S+@\S+/g;

/** Words that no German sentence has. */
const ENGLISH = /\b(?:the|your|you|with|this|and|from|of|is|are|not|every|nothing)\b/i;

/** Returns the texts of a catalogue; of markup, those between its tags. Leaves out functions. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Html) return `${value}`.split(/<[^>]*>/).map((text) => text.trim());
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Returns the texts that only the English catalogue has. */
function englishOnly(): ReadonlySet<string> {
  const german = new Set(textsOf(CATALOGUES.de));
  return new Set(textsOf(CATALOGUES.en).filter((text) => !german.has(text)));
}

const ONLY = englishOnly();

/**
 * Returns the texts of a page, hidden ones and those for screen readers included. Leaves out code and what is marked
 * as English.
 */
async function textsOnPage(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const isOut = (node: Node): boolean =>
      node.parentElement?.closest("[lang=en], code, pre, script, style, textarea, .tree-name") != null;
    const texts: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!isOut(walker.currentNode)) texts.push(walker.currentNode.textContent ?? "");
    }
    for (const name of ["aria-label", "title", "placeholder", "alt", "data-hint"]) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        texts.push(element.getAttribute(name) ?? "");
      }
    }
    return texts.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => text !== "");
  });
}

/** Returns the English on a German page: a text that only the English catalogue has, or one with an English word. */
export async function englishLeftOn(page: Page): Promise<readonly string[]> {
  const said = (await textsOnPage(page)).map((text) => text.replace(OTHERS, ""));
  return [...new Set(said.filter((text) => ONLY.has(text) || ENGLISH.test(text)))];
}
