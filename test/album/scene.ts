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
export interface PageState {
  readonly name: string;
  readonly open: (stage: Stage) => Promise<unknown>;
  /** Shown in README.md. */
  readonly readme?: true;
}

/** The states that one window shows, each after the one before: a new window takes longer than most states. */
export interface Scene {
  /** `account`: a user is signed in from the start. */
  readonly who: "visitor" | "account";
  /** Variables of a separate service with its own clock. All other scenes share one service. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly states: readonly PageState[];
}

/** Creates the `open` of a state that only goes to a page. */
export function goTo(path: string): PageState["open"] {
  return async ({ served, visit }) => await visit.page.goto(served.baseUrl + path);
}

const WINDOW = { width: 390, height: 800 };

/** Opens a scene in a new window, shows each of its states, and disposes of both. */
export async function showScene(
  scene: Scene,
  { browser, shared, language }: {
    readonly browser: Browser;
    readonly shared: ServedApp;
    readonly language: Language;
  },
  show: (page: Visit["page"], state: PageState) => Promise<void>,
): Promise<void> {
  const served = scene.environment === undefined ? shared : await serveTestApp(scene.environment);
  const visit = await newVisit(browser, { viewport: WINDOW, language });
  try {
    if (scene.who === "account") await makeAccount(served, visit);
    for (const state of scene.states) {
      await visit.page.setViewportSize(WINDOW);
      await visit.page.emulateMedia({ colorScheme: "light" });
      await state.open({ served, visit, messages: CATALOGUES[language] });
      await show(visit.page, state);
    }
  } finally {
    await visit.context.close();
    if (served !== shared) await served.stop();
  }
}
