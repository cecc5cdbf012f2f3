import type { Browser, BrowserContext, Page } from "playwright-core";

// Windows of the browser tests. A new one starts a process and compiles every script again, which takes longer than
// most tests, so a closed one is emptied and used again.

/** A recorded call of a page to the browser's passkey functions. */
export interface RecordedCall {
  readonly name: string;
  // deno-lint-ignore no-explicit-any -- of every shape
  readonly value: any;
}

/** A window with one empty page. */
export interface Window {
  readonly context: BrowserContext;
  page: Page;
  /** The signals of its pages so far (WebAuthn Level 3 section 5.1.10), oldest first. */
  signals: RecordedCall[];
}

type WindowOptions = NonNullable<Parameters<Browser["newContext"]>[0]>;

/** Methods of a context whose effects cannot be undone: a window is not used again after one. */
const LASTING = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "grantPermissions",
  "route",
  "setExtraHTTPHeaders",
  "setGeolocation",
  "setOffline",
] as const;

/** Closed windows by their options. */
const closed = new Map<string, Window[]>();

/** Records the signals of every page of the window instead of sending them, because this browser has no passkeys. */
async function recordSignals(window: Window): Promise<void> {
  await window.context.exposeFunction("reportSignal", (name: string, value: unknown) => {
    window.signals.push({ name, value });
  });
  await window.context.addInitScript(() => {
    if (!("PublicKeyCredential" in globalThis)) return;
    const report = (globalThis as unknown as Record<string, (name: string, value: unknown) => Promise<void>>)[
      "reportSignal"
    ]!;
    for (
      const name of [
        "signalAllAcceptedCredentials",
        "signalCurrentUserDetails",
        "signalUnknownCredential",
      ]
    ) Reflect.set(PublicKeyCredential, name, (value: unknown) => report(name, value));
  });
}

/**
 * Empties a window: cookies, storage and service workers of all origins. Its page is replaced, which ends everything
 * that belongs to a page: history, routes, listeners, authenticators and emulation.
 */
async function empty(window: Window): Promise<void> {
  const { context } = window;
  // The new page first: the window's process ends with its last page.
  const page = await context.newPage();
  for (const other of context.pages()) if (other !== page) await other.close();
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" });
  await session.detach();
  await context.clearCookies();
  window.page = page;
  window.signals = [];
}

/** Makes a window's `close` keep it for the next user, unless a test has changed it for good. */
function keepWhenClosed(window: Window, key: string): void {
  const { context } = window;
  let hasLasting = false;
  for (const name of LASTING) {
    const call = context[name].bind(context) as (...values: unknown[]) => unknown;
    Reflect.set(context, name, (...values: unknown[]) => {
      hasLasting = true;
      return call(...values);
    });
  }
  const close = context.close.bind(context);
  const list = closed.get(key) ?? [];
  closed.set(key, list);
  context.close = async () => {
    if (hasLasting) return await close();
    if (list.includes(window)) return;
    await empty(window);
    list.push(window);
  };
}

/** Opens a window without cookies and storage, with one page. Closing its context closes the window. */
export async function openWindow(browser: Browser, options: WindowOptions): Promise<Window> {
  const key = JSON.stringify(options);
  const list = closed.get(key) ?? [];
  const open = browser.contexts();
  const index = list.findIndex(({ context }) => open.includes(context));
  if (index >= 0) return list.splice(index, 1)[0]!;
  const context = await browser.newContext(options);
  context.setDefaultTimeout(15_000);
  const window: Window = { context, page: await context.newPage(), signals: [] };
  await recordSignals(window);
  keepWhenClosed(window, key);
  return window;
}
