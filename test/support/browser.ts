import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache");
const PACKAGE = join(ROOT, "node_modules/@sparticuz/chromium");

const FLAGS = [
  "--no-sandbox",
  // Draws by software, without trying a graphics library first, which fails and starts the drawing process again.
  "--disable-gpu",
  "--disable-software-rasterizer",
  "--use-gl=disabled",
  // Drawing and the network in the browser's own process: fewer starts and messages between processes.
  "--in-process-gpu",
  "--enable-features=NetworkServiceInProcess2",
  // One piece for most windows instead of a dozen of 256 pixels each.
  "--default-tile-width=1024",
  "--default-tile-height=1024",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
  // One process for each window: otherwise each has a spare one, which takes as long to start.
  "--renderer-process-limit=1",
] as const;

/**
 * Unpacks one archive of the package. It always unpacks to the folder for temporary files, so `TMPDIR` is changed
 * meanwhile.
 */
function inflateInto(folder: string, archive: string): Promise<string> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    return inflate(join(PACKAGE, "bin", archive));
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${join(folder, "cache")}</cachedir></fontconfig>
`;
}

/**
 * Returns the folder with Chromium, its libraries and one font. Unpacks them from the npm package at first use (a few
 * seconds). Does not use the package's own `executablePath()`, which would run any file at a well-known path under
 * `/tmp`.
 */
async function chromiumFolder(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const unpacking = mkdtempSync(join(CACHE, "chromium-"));
  try {
    const archives = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
    await Promise.all(archives.map((archive) => inflateInto(unpacking, archive)));
    writeFileSync(join(unpacking, "fonts/fonts.conf"), fontConfiguration(join(folder, "fonts")));
    renameSync(unpacking, folder);
  } catch (error) {
    rmSync(unpacking, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function startBrowser(flags: readonly string[]): Promise<Browser> {
  const folder = await chromiumFolder();
  const env = {
    ...process.env as Record<string, string>,
    LD_LIBRARY_PATH: join(folder, "al2023/lib"),
    FONTCONFIG_PATH: join(folder, "fonts"),
  };
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: [...FLAGS, ...flags],
    ignoreDefaultArgs: ["--enable-unsafe-swiftshader"],
    env,
  });
}

let plain: Promise<Browser> | undefined;

/**
 * Starts headless Chromium from npm. It uses nothing of the system but libc and libgcc, and no network. With flags,
 * starts a browser of its own. Without, all test files of a process share one: closing it closes its windows, and it
 * ends with the process.
 */
export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (flags.length > 0) return await startBrowser(flags);
  const browser = await (plain ??= startBrowser([]));
  const closeWindows = async (): Promise<void> => {
    for (const context of browser.contexts()) await context.close();
  };
  return new Proxy(browser, {
    get(target, name) {
      if (name === "close") return closeWindows;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The options of a virtual authenticator. The defaults are those of a phone's or laptop's own passkeys. */
export interface AuthenticatorOptions {
  readonly transport?: "internal" | "usb" | "nfc" | "ble" | "hybrid";
  readonly hasResidentKey?: boolean;
  readonly hasUserVerification?: boolean;
  /** If false, the user is not recognised: ceremonies fail in the page with NotAllowedError. */
  readonly isUserVerified?: boolean;
  /** Sets the flags BE and BS: a passkey that is copied to the owner's other devices. */
  readonly isBackedUp?: boolean;
}

/** A credential of the authenticator; byte strings are base64. */
export interface AuthenticatorCredential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
}

export interface VirtualAuthenticator {
  /** True if it sets the flags BE and BS. */
  readonly isBackedUp: boolean;
  credentials(): Promise<readonly AuthenticatorCredential[]>;
  setUserVerified(isUserVerified: boolean): Promise<void>;
  /** Sets if the user touches it. Of several authenticators, the touched one responds. */
  setPresent(isPresent: boolean): Promise<void>;
  /** Restores a credential with its counter, as in a cloned authenticator. */
  addCredential(credential: AuthenticatorCredential): Promise<void>;
  removeCredential(credentialId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Adds a virtual authenticator to a page, through the DevTools protocol. It is removed with the page. */
export async function addVirtualAuthenticator(
  page: Page,
  options: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const { isBackedUp = false, ...settings } = options;
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: isBackedUp,
      defaultBackupState: isBackedUp,
      ...settings,
    },
  });
  return {
    isBackedUp,
    async credentials() {
      return (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
    },
    async setUserVerified(isUserVerified) {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    async setPresent(enabled) {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    async addCredential(credential) {
      await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
    async removeCredential(credentialId) {
      await session.send("WebAuthn.removeCredential", { authenticatorId, credentialId });
    },
    async remove() {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    },
  };
}

/**
 * Collects the faults of a page from now on: exceptions, and errors on its console such as violations of its policy.
 */
export function collectPageFaults(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return faults;
}

/** Presses Tab until the selected element has the focus, as a keyboard user does. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  for (let presses = 0; presses < 60; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`The Tab key does not reach ${selector}`);
}
