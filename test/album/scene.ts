import type { Browser } from "playwright-core";
import type { Language } from "../../src/lib/language.ts";
import { newVisit } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { makeAccount } from "../support/made-account.ts";
import { CATALOGUES } from "../support/page-messages.ts";
import type { PageMessages } from "../support/page-messages.ts";
import { serveTestApp } from "../support/served-app.ts";
import type { ServedApp } from "../support/served-app.ts";

/** The environment of a scene. */
export interface Stage {
  readonly served: ServedApp;
  readonly visit: Visit;
  /** The messages of the pages. */
  readonly messages: PageMessages;
}

/** A page in one of its states. */
export interface Scene {
  readonly name: string;
  /** `account`: a user is signed in from the start. */
  readonly who: "visitor" | "account";
  /** Variables of a separate service with its own clock. All other scenes share one service. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly open: (stage: Stage) => Promise<unknown>;
  /** Shown in README.md. */
  readonly readme?: true;
}

/** Creates the `open` of a scene that only goes to a page. */
export function goTo(path: string): Scene["open"] {
  return async ({ served, visit }) => await visit.page.goto(served.baseUrl + path);
}

/** Opens a scene in a new window, shows its page, and disposes of both. */
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
    await scene.open({ served, visit, messages: CATALOGUES[language] });
    await show(visit.page);
  } finally {
    await visit.context.close();
    if (served !== shared) await served.stop();
  }
}
