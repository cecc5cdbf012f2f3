import type { Browser } from "playwright-core";
import type { Language } from "../../src/lib/language.ts";
import { newVisit } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { makeAccount } from "../support/made-account.ts";
import { CATALOGUES } from "../support/page-words.ts";
import type { PageMessages } from "../support/page-words.ts";
import { serveTestApp } from "../support/served-app.ts";
import type { ServedApp } from "../support/served-app.ts";

/** What a scene is set with. */
export interface Stage {
  readonly served: ServedApp;
  readonly visit: Visit;
  /** What the pages say. */
  readonly words: PageMessages;
}

/** A page in one of its states. */
export interface Scene {
  readonly name: string;
  /** Whether somebody is signed in from the start. */
  readonly who: "nobody" | "account";
  /** Further variables of a service of its own, with a clock of its own; all other scenes share one. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly open: (stage: Stage) => Promise<unknown>;
  /** Whether README.md shows it. */
  readonly readme?: true;
}

/** A scene that only goes to a page. */
export function goTo(path: string): Scene["open"] {
  return async ({ served, visit }) => await visit.page.goto(served.baseUrl + path);
}

/** Opens a scene in a new window, shows its page, and puts all of it away. */
export async function showScene(
  scene: Scene,
  { browser, shared, language }: {
    readonly browser: Browser;
    readonly shared: ServedApp;
    readonly language: Language;
  },
  show: (page: Visit["page"]) => Promise<void>,
): Promise<void> {
  const served = scene.environment === undefined ? shared : await serveTestApp(scene.environment);
  const visit = await newVisit(browser, { viewport: { width: 390, height: 800 }, language });
  try {
    if (scene.who === "account") await makeAccount(served, visit);
    await scene.open({ served, visit, words: CATALOGUES[language] });
    await show(visit.page);
  } finally {
    await visit.context.close();
    if (served !== shared) await served.stop();
  }
}
