import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { readQuoteInput } from "../../src/commands/verify-quote.ts";
import { parseRoot } from "../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../src/tee/quote/evidence.ts";
import { verifyQuote } from "../../src/tee/quote/verify.ts";
import { makeSimulatedCollateral } from "../../src/tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../../src/tee/simulated/simulated-pki.ts";
import { newVisit, type Visit } from "../support/account-story.ts";
import { collectPageFaults, launchBrowser, tabTo } from "../support/browser.ts";
import { makeAccount } from "../support/made-account.ts";
import { builtRuntime, type Service, startService } from "../support/service.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary.ts";
import { ANY_WORKLOAD } from "../tee/quote/fixture.ts";

const LIMIT = { timeout: 60_000 };
const PHONE = { width: 360, height: 740 };
const TYPED_DATA = JSON.stringify({
  types: {
    Person: [{ name: "name", type: "string" }, { name: "wallet", type: "address" }],
    Mail: [{ name: "to", type: "Person[]" }, { name: "contents", type: "string" }, {
      name: "amount",
      type: "uint256",
    }],
  },
  primaryType: "Mail",
  domain: { name: "Ether Mail", chainId: 1 },
  message: {
    to: [{ name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" }],
    contents: "pay\u202Eyap",
    amount: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
  },
});

// The pages on a phone, by keyboard, and when something fails.
describe("pages in a real browser", () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let service: Service;

  before(async () => {
    folder = temporaryFolder();
    [browser, service] = await Promise.all([
      launchBrowser(),
      startService({ runtime: builtRuntime("bun"), dataDir: folder.path, env: { RATE_LIMITS: "off" } }),
    ]);
  }, LIMIT);

  after(async () => {
    await browser.close();
    await service.stop();
    folder[Symbol.dispose]();
  });

  async function readCode(email: string): Promise<string> {
    const answer = await fetch(`${service.baseUrl}/dev/outbox`, { headers: { accept: "application/json" } });
    const { messages } = await answer.json() as { messages: { to: string; text: string }[] };
    return /\b\d{6}\b/.exec(messages.find(({ to }) => to === email)!.text)![0];
  }

  async function goToPasskeyStep({ page, email }: Visit): Promise<void> {
    await page.goto(`${service.baseUrl}/sign-up`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    await code.fill(await readCode(email));
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByRole("button", { name: "Create a passkey" }).waitFor();
  }

  /** Creates an account and opens its list of keys. */
  async function signUp(): Promise<Visit> {
    const visit = await newVisit(browser);
    await makeAccount({ baseUrl: service.baseUrl }, visit);
    await visit.page.goto(`${service.baseUrl}/keys`);
    return visit;
  }

  async function openKey({ page }: Visit): Promise<void> {
    await page.getByRole("link", { name: "Key 1" }).click();
    await page.getByRole("heading", { name: "Key 1" }).waitFor();
  }

  async function review(page: Page, kind: string, message: string): Promise<void> {
    await page.getByText(kind, { exact: true }).click();
    await page.locator("#message").fill(message);
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByRole("heading", { name: "What will be signed" }).waitFor();
  }

  /** Opens a browser that has passkeys but suggests none. */
  async function withoutSuggestions(page: Page): Promise<void> {
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
  }

  async function overflow(page: Page): Promise<number> {
    return await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
  }

  test(
    "fit a screen of 360 pixels, with long names, with nothing refused by their policy",
    LIMIT,
    async () => {
      const visit = await signUp();
      const { page, context } = visit;
      const faults = collectPageFaults(page);
      await openKey(visit);
      await page.getByLabel("Label").fill("W".repeat(100));
      await page.getByRole("button", { name: "Save label" }).click();
      await page.getByText("Label saved.").waitFor();
      await review(page, "Typed data", TYPED_DATA);
      await page.getByRole("button", { name: "Save a quote" }).click();
      await page.locator("#quote-result").waitFor();
      assert.equal(await overflow(page), 0, "the key");
      for (const path of ["/keys", "/dev/outbox", "/signed-out"]) {
        await page.goto(service.baseUrl + path);
        assert.equal(await overflow(page), 0, path);
      }
      assert.deepEqual(faults, []);
      await page.goto(`${service.baseUrl}/keys/key_00000000000000000000000000`);
      assert.equal(await overflow(page), 0, "an error");
      await context.clearCookies();
      // Otherwise this page would sign in with its passkey.
      await withoutSuggestions(page);
      for (const path of ["/", "/sign-up", "/sign-in"]) {
        await page.goto(service.baseUrl + path);
        assert.equal(await overflow(page), 0, path);
      }
      await context.close();
    },
  );

  test("make an account, sign a message and sign out by keyboard alone", LIMIT, async () => {
    const { page, context, email } = await newVisit(browser);
    await page.goto(`${service.baseUrl}/sign-up`);
    await tabTo(page, "#email");
    await page.keyboard.type(email);
    await page.keyboard.press("Enter");
    // The focus follows the steps.
    await page.locator("#code:focus").waitFor();
    await page.keyboard.type(await readCode(email));
    await page.keyboard.press("Enter");
    await page.locator("#passkey-form button:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/account\/recovery/);
    await tabTo(page, 'main a[href="/keys"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(`${service.baseUrl}/keys`);

    await tabTo(page, ".key-row");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/keys\/key_/);
    await page.locator("#message:enabled").waitFor();
    await tabTo(page, "input[name=kind]");
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.getByLabel("Typed data as JSON").isVisible());
    await page.keyboard.press("ArrowLeft");
    await tabTo(page, "#message");
    await page.keyboard.type("by keyboard");
    await tabTo(page, "#sign-form button");
    await page.keyboard.press("Enter");
    await page.locator("#review:focus").waitFor();
    await page.locator("#sign-button:enabled").waitFor();
    await tabTo(page, "#sign-button");
    await page.keyboard.press("Enter");
    await page.locator("#signed:focus").waitFor();
    assert.match(await page.locator("#signature").textContent() ?? "", /^0x[0-9a-f]{130}$/);

    await page.goto(`${service.baseUrl}/keys`);
    await tabTo(page, ".menu > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, ".menu-panel button");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${service.baseUrl}/signed-out`);
    await context.close();
  });

  test(
    "show typed data as a tree before the button, hidden characters by name, and sign that digest",
    LIMIT,
    async () => {
      const visit = await signUp();
      const { page, context } = visit;
      await openKey(visit);
      await review(page, "Typed data", TYPED_DATA);
      const tree = page.locator("#review-fields");
      for (const text of ["Ether Mail", "Bob", "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB", "U+202E"]) {
        assert.ok(await tree.getByText(text, { exact: true }).first().isVisible(), text);
      }
      assert.doesNotMatch(await tree.textContent() ?? "", /\u202E/);
      const digest = await page.locator("#review-digest").textContent();
      // It is bound to no contract, of which the page warns.
      await page.locator("#review-intent").getByText("Sign typed data “Mail” for no contract").waitFor();
      assert.match(
        await page.locator("#review-intent .warnings").textContent() ?? "",
        /^Take note: It is bound to no/,
      );
      await page.locator("#sign-button:enabled").click();
      await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
      assert.equal(await page.locator("#signed-digest").textContent(), digest);
      await context.close();
    },
  );

  test("show labels for what they are, wherever they stand", LIMIT, async () => {
    const visit = await signUp();
    const { page, context } = visit;
    await openKey(visit);
    await page.getByLabel("Label").fill("Key\u202Eevil");
    await page.getByRole("button", { name: "Save label" }).click();
    await page.getByText("Label saved.").waitFor();
    assert.equal(await page.locator("#key-label").textContent(), "KeyU+202Eevil");
    assert.equal(await page.title(), "KeyU+202Eevil · Holdfast");
    for (
      const [path, element] of [[page.url(), "#key-label"], [`${service.baseUrl}/keys`, ".key-row-label bdi"]]
    ) {
      await page.goto(path!);
      assert.equal(await page.locator(element!).first().textContent(), "KeyU+202Eevil");
      assert.doesNotMatch(await page.title(), /\u202E/);
    }
    await context.close();
  });

  test("keep the places of digits beside text from right to left", LIMIT, async () => {
    const visit = await signUp();
    const { page, context } = visit;
    await openKey(visit);
    await review(page, "Text", "שלח אל 0x1234 מיד");
    const isolated = page.locator("#review-tree bdi bdi");
    assert.deepEqual(await isolated.allTextContents(), ["0x1234"]);
    // The x is drawn between the digits, as it is written.
    const places = await isolated.evaluate((element) =>
      [0, 1, 2, 5].map((index) => {
        const range = document.createRange();
        range.setStart(element.firstChild!, index);
        range.setEnd(element.firstChild!, index + 1);
        return range.getBoundingClientRect().left;
      })
    );
    assert.deepEqual(places, places.toSorted((a, b) => a - b));
    await context.close();
  });

  test("point at the fault of typed data", LIMIT, async () => {
    const visit = await signUp();
    const { page, context } = visit;
    await openKey(visit);
    await page.getByText("Typed data", { exact: true }).click();
    await page.locator("#message").fill(TYPED_DATA.replace('"type":"Person[]"', '"type":"Persn[]"'));
    await page.getByRole("button", { name: "Review" }).click();
    const alert = page.locator("#sign-alert");
    await alert.getByText("/types/Mail/0/type").waitFor();
    await alert.getByText('did you mean "Person"?').waitFor();
    await alert.getByText("Details").click();
    await alert.getByText(/^Request/).waitFor();
    assert.ok(await page.locator("#review").isHidden());
    await context.close();
  });

  test(
    "hold the sign button back after it appears, so that a double click on Review signs nothing",
    LIMIT,
    async () => {
      const visit = await signUp();
      const { page, context } = visit;
      await openKey(visit);
      let signatures = 0;
      page.on("request", (request) => signatures += request.url().endsWith("/sign") ? 1 : 0);
      await review(page, "Text", "hello");
      const isDead = await page.locator("#sign-button").evaluate((button) => {
        const was = (button as HTMLButtonElement).disabled;
        (button as HTMLButtonElement).click();
        return was;
      });
      assert.ok(isDead);
      await page.locator("#sign-button:enabled").waitFor();
      assert.equal(signatures, 0);
      await context.close();
    },
  );

  test(
    "call raw bytes blind, and offer them no more when the key's setting forbids them",
    LIMIT,
    async () => {
      const visit = await signUp();
      const { page, context } = visit;
      await openKey(visit);
      const raw = page.getByText("Raw bytes", { exact: true });
      await raw.click();
      await page.getByText("Blind signing. The meaning of these bytes cannot be shown").waitFor();
      const save = async (setting: string): Promise<void> => {
        await page.getByLabel("Blind signing", { exact: true }).selectOption(setting);
        await page.getByRole("button", { name: "Save blind signing" }).click();
        await page.getByText("Blind signing saved.").waitFor();
      };
      await save("deny");
      assert.ok(await raw.isHidden());
      assert.ok(await page.getByLabel("Text", { exact: true }).isChecked());
      assert.ok(await page.getByText("Blind signing. The meaning of these bytes cannot be shown").isHidden());
      await page.reload();
      await page.locator("#message:enabled").waitFor();
      assert.ok(await raw.isHidden());
      await save("guard");
      assert.ok(await raw.isVisible());
      assert.ok(await page.getByText("Digest", { exact: true }).first().isHidden());
      // The service refuses some of the offered content, and the page shows that.
      await review(page, "Raw bytes", `0x02${"00".repeat(40)}`);
      assert.ok(await page.locator("#review-refusal").isVisible());
      assert.ok(await page.locator("#sign-button").isHidden());
      await context.close();
    },
  );

  test("say why a passkey was not made, and let it be tried again", LIMIT, async () => {
    const visit = await newVisit(browser);
    const { page, context, authenticator } = visit;
    await goToPasskeyStep(visit);
    await authenticator.setUserVerified(false);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("alert").getByText("No passkey was created").waitFor();
    await authenticator.setUserVerified(true);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("link", { name: "Later" }).click();
    await page.waitForURL(`${service.baseUrl}/keys`);
    await context.close();
  });

  test("say that a code is wrong, and send an address that has an account to sign in", LIMIT, async () => {
    const { email, context: first } = await signUp();
    await first.close();
    const { page, context } = await newVisit(browser);
    await page.goto(`${service.baseUrl}/sign-up`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    const right = await readCode(email);
    await code.fill(right === "000000" ? "000001" : "000000");
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByRole("alert").getByText("This code is wrong").waitFor();
    // As people type them.
    await code.fill(`${right.slice(0, 3)} ${right.slice(3)}`);
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByText("This address already has an account. Sign in").waitFor();
    await context.close();
  });

  test("go to sign in when the session is over, and come back to the same page", LIMIT, async () => {
    const visit = await signUp();
    const { page, context } = visit;
    // The page's own request: without a session it goes to sign in by itself.
    const explained = page.waitForResponse(/\/api\/policies\/explain/);
    await openKey(visit);
    await explained;
    const { pathname } = new URL(page.url());
    await context.clearCookies();
    await withoutSuggestions(page);
    await page.getByRole("button", { name: "Save a quote" }).click();
    await page.waitForURL(`${service.baseUrl}/sign-in?next=${encodeURIComponent(pathname)}`);
    assert.ok(await page.locator("#autofill").isHidden());
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(service.baseUrl + pathname);
    await context.close();
  });

  test("sign in with the passkey that the browser suggests", LIMIT, async () => {
    const { page, context } = await signUp();
    await context.clearCookies();
    // The virtual authenticator takes the suggestion by itself.
    await page.goto(`${service.baseUrl}/sign-in`);
    await page.waitForURL(`${service.baseUrl}/keys`);
    await context.close();
  });

  test("say why signing in failed, and let it be tried again", LIMIT, async () => {
    const { page, context, authenticator } = await signUp();
    await context.clearCookies();
    await withoutSuggestions(page);
    await authenticator.setUserVerified(false);
    await page.goto(`${service.baseUrl}/sign-in`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("alert").getByText("You are not signed in").waitFor();
    await authenticator.setUserVerified(true);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${service.baseUrl}/keys`);
    await context.close();
  });

  test("say that a browser without passkeys needs another", LIMIT, async () => {
    const { page, context } = await newVisit(browser);
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
    for (const path of ["/sign-in", "/sign-up"]) {
      await page.goto(service.baseUrl + path);
      await page.getByRole("alert").getByText("This browser cannot use passkeys").waitFor();
      assert.ok(await page.locator("button[type=submit]").first().isDisabled());
    }
    await context.close();
  });

  test("say that a simulated quote proves nothing", LIMIT, async () => {
    const visit = await signUp();
    const { page, context } = visit;
    await openKey(visit);
    await page.getByRole("button", { name: "Save a quote" }).click();
    await page.locator("#quote-verdict").getByText("proves nothing").waitFor();
    assert.ok(
      await page.locator("#attestation").getByText("Simulated.", { exact: true }).isVisible(),
      "from the start",
    );
    assert.deepEqual((await page.locator("#quote-statements li").allTextContents()).slice(0, 2), [
      "It is about this key.",
      "It is new: it repeats your browser’s random number.",
    ]);
    assert.ok(await page.locator("#quote-text").isHidden());
    await page.goto(`${service.baseUrl}/keys`);
    await page.locator("#step-quote.done").waitFor();
    // Another account in this browser has saved none.
    await makeAccount({ baseUrl: service.baseUrl }, { ...visit, email: `other-${visit.email}` });
    await page.goto(`${service.baseUrl}/keys`);
    assert.equal(await page.locator("#step-quote.done").count(), 0);
    await context.close();
  });

  test(
    "save a quote that verifies with the simulated root alone, over the shown random number",
    LIMIT,
    async () => {
      const visit = await signUp();
      const { page, context } = visit;
      const faults = collectPageFaults(page);
      await openKey(visit);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save a quote" }).click();
      const saved = new Uint8Array(readFileSync(await (await download).path()));
      const nonce = await page.locator("#quote-nonce").textContent() ?? "";
      const address = await page.locator("#key").getAttribute("data-address") ?? "";
      const command = await page.locator("#quote-command").textContent() ?? "";
      assert.ok(command.includes(`--nonce=${nonce} --address ${address} `), command);
      const key = readFileSync(join(folder.path, "simulated-sealing-key"));
      const pki = makeSimulatedPki(new Uint8Array(key));
      const evidence = {
        ...readQuoteInput(saved),
        collateral: parseCollateral(makeSimulatedCollateral(pki)),
        now: Date.now(),
        policy: STRICT_POLICY,
        expectations: {
          registers: ANY_WORKLOAD.registers,
          nonce,
          address,
          keyProvider: { name: "simulated", id: "" },
        },
      };
      const found = verifyQuote({ ...evidence, root: parseRoot(pki.rootCertificate) });
      assert.ok(found.passed, JSON.stringify(found.checks));
      assert.equal(verifyQuote(evidence).passed, false);
      assert.deepEqual(faults, []);
      await context.close();
    },
  );

  test("can be read and signed out of without JavaScript", LIMIT, async () => {
    const visit = await signUp();
    await openKey(visit);
    const address = await visit.page.locator("#key-address").textContent();
    const context = await browser.newContext({
      viewport: PHONE,
      javaScriptEnabled: false,
      storageState: await visit.context.storageState(),
    });
    await visit.context.close();
    const page = await context.newPage();
    await page.goto(`${service.baseUrl}/keys`);
    await page.getByRole("link", { name: "Key 1" }).click();
    await page.getByText(address!, { exact: true }).waitFor();
    assert.ok(await page.getByRole("button", { name: "Review" }).isDisabled());
    await page.locator(".menu > summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${service.baseUrl}/signed-out`);
    await page.goto(`${service.baseUrl}/keys`);
    await page.waitForURL(`${service.baseUrl}/sign-in?next=%2Fkeys`);
    await context.close();
  });
});
