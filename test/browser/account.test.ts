import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import {
  addPasskey,
  namesOf,
  newVisit,
  newVisitWithTwo,
  openAccount,
  signalledPasskeys,
  signUpHere,
  takeSecurityKey,
  until,
  useStage,
} from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const HOSTILE = `<img src=x onerror="document.title='taken over'">`;

// Passkeys right after signing in. For later acts, see account-step-up.test.ts.
describe("passkeys on the account page, in a real browser", () => {
  const stage = useStage();

  /** The row of a passkey. */
  function rowOf(page: Page, name: string): Locator {
    return page.locator("#passkey-list .row").filter({
      has: page.getByRole("heading", { name: new RegExp(`^${name}`) }),
    });
  }

  async function mailsTo({ email }: Visit): Promise<readonly string[]> {
    const { body } = await stage.served.app.client().get("/dev/outbox", {
      headers: { accept: "application/json" },
    });
    return body.messages.filter(({ to }: { to: string }) => to === email)
      .map(({ subject }: { subject: string }) => subject);
  }

  test("show the only one, with advice and without a way to delete it", LIMIT, async () => {
    const { page, context, faults } = await stage.newAccount();
    await page.getByText("Add a second passkey.", { exact: true }).waitFor();
    await rowOf(page, "Passkey 1").getByText("Used for this session").waitFor();
    await rowOf(page, "Passkey 1").getByText("On one device").waitFor();
    await page.getByText("Your only passkey cannot be deleted.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Delete/ }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("say whether one is synced", LIMIT, async () => {
    const { page, context } = await stage.newAccount({ authenticator: { isBackedUp: true } });
    await rowOf(page, "Passkey 1").getByText("Synced", { exact: true }).waitFor();
    await page.getByText("This one is synced").waitFor();
    await context.close();
  });

  test(
    "add one on a second authenticator, tell the browser and the owner, and sign in with it",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context, authenticator, faults } = visit;
      const key = await takeSecurityKey(visit);
      stage.served.app.now += 1000;
      await addPasskey(visit, "Blue key");
      assert.deepEqual(await namesOf(page), ["Passkey 1", "Blue key"]);
      assert.equal(await page.getByLabel("Name of a new passkey").inputValue(), "");
      assert.equal(await page.getByText("Add a second passkey.", { exact: true }).count(), 0);
      await page.getByText("A passkey was added").first().waitFor();
      assert.ok((await mailsTo(visit)).some((subject) => /passkey/i.test(subject)));

      const ids = [...await authenticator.credentials(), ...await key.credentials()].map(({ credentialId }) =>
        Uint8Array.fromBase64(credentialId).toBase64({ alphabet: "base64url", omitPadding: true })
      );
      await expectSignals(visit, ids);

      await page.locator(".menu > summary").click();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.waitForURL(`${stage.served.baseUrl}/signed-out`);
      // The first authenticator is lost. The other one accepts the suggestion by itself.
      await authenticator.remove();
      await page.goto(`${stage.served.baseUrl}/sign-in?next=/account`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click().catch(() => {});
      await page.waitForURL(`${stage.served.baseUrl}/account`);
      await rowOf(page, "Blue key").getByText("Used for this session").waitFor();
      await rowOf(page, "Blue key").getByText("Last used").waitFor();
      assert.deepEqual(faults, []);
      await context.close();
    },
  );

  /** Asserts that the page signalled exactly these passkeys to the browser, and then the user's details. */
  async function expectSignals(visit: Visit, ids: readonly string[]): Promise<void> {
    const { signals, email } = visit;
    assert.deepEqual(await signalledPasskeys(visit, ids.length), ids);
    await until(() => signals.at(-1)!.name === "signalCurrentUserDetails", "told of the person");
    const [accepted, details] = signals.slice(-2);
    assert.equal(accepted!.value.rpId, "localhost");
    assert.deepEqual(details!.value, {
      rpId: "localhost",
      userId: accepted!.value.userId,
      name: email,
      displayName: email,
    });
  }

  test("say that there is one here already, and add none", LIMIT, async () => {
    const { page, context, faults } = await stage.newAccount();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.locator("#add-status").getByText("This device already has a passkey for this account.")
      .waitFor();
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);
    assert.equal(await page.getByRole("alert").filter({ hasText: /\w/ }).count(), 0, "no failure");
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "say that none was made when the person cancels, and keep the name that was typed",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context } = visit;
      const key = await takeSecurityKey(visit);
      await key.setUserVerified(false);
      const name = page.getByLabel("Name of a new passkey");
      await name.fill("Blue key");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByRole("alert").getByText("No passkey was created").waitFor();
      assert.equal(await name.inputValue(), "Blue key");
      await key.setUserVerified(true);
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByText("“Blue key” was added.").waitFor();
      assert.equal(await page.getByRole("alert").filter({ hasText: /\w/ }).count(), 0);
      await context.close();
    },
  );

  test("rename one by keyboard; what it is called stays text", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context, signals, faults } = visit;
    await page.getByRole("button", { name: "Rename Passkey 1" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Rename Passkey 1" }).waitFor();
    await page.locator("#rename-name:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await page.keyboard.type(HOSTILE);
    await page.keyboard.press("Enter");
    await page.getByText("The passkey is now called").waitFor();
    assert.deepEqual(await namesOf(page), [HOSTILE]);
    assert.equal(await page.title(), "Account · Holdfast");
    const isBack = await page.evaluate(() => document.activeElement?.id.startsWith("rename-passkey"));
    assert.ok(isBack, "the focus is back on the button");
    await until(() => signals.length === 2, "told after the renaming, and not before");
    const names = ["signalAllAcceptedCredentials", "signalCurrentUserDetails"];
    assert.deepEqual(signals.map(({ name }) => name), names);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("refuse a name that is none, in the dialog", LIMIT, async () => {
    const { page, context } = await stage.newAccount();
    await page.getByRole("button", { name: "Rename Passkey 1" }).click();
    await page.getByLabel("Name", { exact: true }).fill("   ");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("1 to 100 characters").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);
    await context.close();
  });

  test("delete one after asking, tell the browser and the owner, and keep the last", LIMIT, async () => {
    const visit = await newVisitWithTwo(stage.browser, stage.served);
    const { page, context } = visit;
    const [first] = await signalledPasskeys(visit, 2);
    const button = page.getByRole("button", { name: "Delete Blue key" });
    await button.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await namesOf(page), ["Passkey 1", "Blue key"]);
    await page.waitForFunction(() => document.activeElement?.id.startsWith("delete-passkey"));
    await button.click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("“Blue key” was deleted.").waitFor();
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);
    assert.equal(await page.getByRole("button", { name: /^Delete/ }).count(), 0);
    await page.waitForFunction(() => document.activeElement?.id === "passkeys-status");
    assert.ok((await mailsTo(visit)).length >= 3, "code, added, removed");
    await expectSignals(visit, [first!]);
    await context.close();
  });

  test("say so when another window has left it the last one", LIMIT, async () => {
    const visit = await newVisitWithTwo(stage.browser, stage.served);
    const { page, context } = visit;
    const other = await context.newPage();
    await openAccount(stage.served, other);
    await other.getByRole("button", { name: "Delete Blue key" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await other.getByText("“Blue key” was deleted.").waitFor();
    await page.getByRole("button", { name: "Delete Passkey 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("alert").getByText("add another first").waitFor();
    await page.reload();
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);
    await context.close();
  });

  test("warn before deleting the one of this session, and then be signed out", LIMIT, async () => {
    const visit = await newVisitWithTwo(stage.browser, stage.served);
    const { page, context, signals } = visit;
    const [first] = await signalledPasskeys(visit, 2);
    await page.getByRole("button", { name: "Delete Passkey 1" }).click();
    await page.getByText("so you are signed out here too").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/signed-out`);
    await until(() => signals.at(-1)!.name === "signalUnknownCredential", "told");
    assert.deepEqual(signals.at(-1), {
      name: "signalUnknownCredential",
      value: { rpId: "localhost", credentialId: first },
    });
    assert.equal(
      (await page.goto(`${stage.served.baseUrl}/account`))!.url().includes("/sign-in?next="),
      true,
    );
    await context.close();
  });

  test("work in a browser that gives and takes no signals", LIMIT, async () => {
    const visit = await newVisit(stage.browser);
    await visit.context.addInitScript(() => {
      for (
        const name of ["signalAllAcceptedCredentials", "signalCurrentUserDetails", "signalUnknownCredential"]
      ) {
        Reflect.set(
          PublicKeyCredential,
          name,
          name.endsWith("s") ? undefined : () => Promise.reject(new Error("No")),
        );
      }
    });
    await signUpHere(stage.served, visit);
    await takeSecurityKey(visit);
    await addPasskey(visit, "Blue key");
    assert.deepEqual(visit.faults, []);
    await visit.context.close();
  });

  test("say that a browser without passkeys can add none, and do the rest", LIMIT, async () => {
    const { page, context } = await stage.newAccount();
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
    await page.reload();
    await page.getByText("This browser cannot create passkeys.").waitFor();
    assert.ok(await page.locator("#add-form").isHidden());
    await page.getByRole("button", { name: "Rename Passkey 1" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Laptop");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The passkey is now called “Laptop”.").waitFor();
    await context.close();
  });

  test("go to sign in when the session has ended meanwhile", LIMIT, async () => {
    const { page, context } = await stage.newAccount();
    await context.clearCookies();
    await page.getByRole("button", { name: "Rename Passkey 1" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/\/sign-in\?next=%2Faccount$/);
    await context.close();
  });
});
