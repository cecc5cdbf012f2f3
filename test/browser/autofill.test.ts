import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addPasskey, signalledPasskeys, takeSecurityKey, until, useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };

/** A WebAuthn ceremony that a page started, and its outcome. */
interface Ceremony {
  readonly mediation: string;
  readonly challenge: string;
  state: string;
}

/** Records the ceremonies that a page starts. `pending`: the browser never completes one by itself. */
async function watchCeremonies(page: Page, suggestions: "real" | "pending"): Promise<readonly Ceremony[]> {
  const ceremonies: Ceremony[] = [];
  await page.exposeFunction("reportCeremony", (index: number, ceremony: Ceremony) => {
    ceremonies[index] = ceremony;
  });
  await page.addInitScript((kind) => {
    const real = navigator.credentials.get.bind(navigator.credentials);
    const report = Reflect.get(globalThis, "reportCeremony") as (index: number, value: object) => void;
    let count = 0;
    navigator.credentials.get = (options?: CredentialRequestOptions) => {
      const index = count++;
      const challenge = new Uint8Array(options!.publicKey!.challenge as ArrayBuffer).join();
      const mediation = options!.mediation ?? "optional";
      const tell = (state: string) => report(index, { mediation, challenge, state });
      tell("pending");
      const isHeld = kind === "pending" && mediation === "conditional";
      const result = isHeld
        ? new Promise<never>((_resolve, reject) => {
          const signal = options!.signal!;
          signal.addEventListener("abort", () => reject(signal.reason));
          addEventListener("cancel-suggestion", () => reject(new DOMException("", "NotAllowedError")));
        })
        : real(options);
      result.then(() => tell("done"), (error) => tell((error as Error).name));
      return result;
    };
  }, suggestions);
  return ceremonies;
}

describe("suggestions on the sign-in page, in a real browser", () => {
  const stage = useStage();

  /** Creates an account and signs it out. */
  async function newReturner(): Promise<Visit> {
    const visit = await stage.newAccount();
    await visit.context.clearCookies();
    return visit;
  }

  test("sign in with the passkey that is picked in the field, and nothing pressed", LIMIT, async () => {
    const { page, context, faults } = await newReturner();
    const ceremonies = await watchCeremonies(page, "real");
    await page.goto(`${stage.served.baseUrl}/sign-in?next=/account`);
    await page.waitForURL(`${stage.served.baseUrl}/account`);
    assert.deepEqual(ceremonies.map(({ mediation }) => mediation), ["conditional"]);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "end before the button asks, and begin again after a cancelled prompt without a reload",
    LIMIT,
    async () => {
      const { page, context, authenticator, faults } = await newReturner();
      const ceremonies = await watchCeremonies(page, "pending");
      await page.goto(`${stage.served.baseUrl}/sign-in?next=/account`);
      const field = page.getByLabel("Or pick a passkey that your browser suggests");
      await field.waitFor();
      assert.equal(await field.getAttribute("autocomplete"), "username webauthn");
      await until(() => ceremonies.length === 1, "armed");
      await authenticator.setUserVerified(false);
      const button = page.getByRole("button", { name: "Sign in with a passkey" });
      await button.click();
      await page.getByRole("alert").getByText("You are not signed in").waitFor();
      await until(() => ceremonies.length === 3, "armed again");
      assert.deepEqual(ceremonies.map(({ mediation, state }) => [mediation, state]), [
        ["conditional", "AbortError"],
        ["optional", "NotAllowedError"],
        ["conditional", "pending"],
      ]);
      assert.equal(new Set(ceremonies.map(({ challenge }) => challenge)).size, 3, "a challenge for each");
      await authenticator.setUserVerified(true);
      await button.click();
      await page.waitForURL(`${stage.served.baseUrl}/account`);
      assert.deepEqual(faults, []);
      await context.close();
    },
  );

  test("start again when the user focuses the field after the browser stopped them", LIMIT, async () => {
    const { page, context } = await newReturner();
    const ceremonies = await watchCeremonies(page, "pending");
    await page.goto(`${stage.served.baseUrl}/sign-in`);
    await until(() => ceremonies.length === 1, "armed");
    await page.evaluate(() => dispatchEvent(new Event("cancel-suggestion")));
    await until(() => ceremonies[0]!.state === "NotAllowedError", "stopped");
    assert.equal(await page.getByRole("alert").textContent(), "", "no failure");
    await page.locator("#email").click();
    await until(() => ceremonies.length === 2, "armed again");
    await page.locator("#email").click();
    await page.waitForTimeout(100);
    assert.deepEqual(ceremonies.map(({ state }) => state), ["NotAllowedError", "pending"]);
    await context.close();
  });

  test("get another challenge before theirs is too old", LIMIT, async () => {
    const { page, context } = await newReturner();
    await page.clock.install();
    const ceremonies = await watchCeremonies(page, "pending");
    await page.goto(`${stage.served.baseUrl}/sign-in`);
    await until(() => ceremonies.length === 1, "armed");
    await page.clock.fastForward("04:00");
    await page.waitForTimeout(100);
    assert.equal(ceremonies.length, 1, "good for some time yet");
    await page.clock.fastForward("01:00");
    await until(() => ceremonies.length === 2, "armed again");
    assert.equal(ceremonies[0]!.state, "AbortError");
    assert.notEqual(ceremonies[0]!.challenge, ceremonies[1]!.challenge);
    await context.close();
  });

  test("are left out where the browser has none", LIMIT, async () => {
    const { page, context } = await newReturner();
    const ceremonies = await watchCeremonies(page, "real");
    await page.addInitScript(() => {
      Reflect.set(PublicKeyCredential, "isConditionalMediationAvailable", undefined);
      Reflect.set(
        PublicKeyCredential,
        "getClientCapabilities",
        () => Promise.resolve({ conditionalGet: false }),
      );
    });
    await page.goto(`${stage.served.baseUrl}/sign-in?next=/account`);
    await page.locator("#sign-in-button:enabled").waitFor();
    await page.waitForTimeout(100);
    assert.ok(await page.locator("#autofill").isHidden());
    assert.equal(ceremonies.length, 0);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/account`);
    await context.close();
  });

  test(
    "tell the browser of a passkey that was removed, and the person why it does not work",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context, authenticator, signals } = visit;
      const key = await takeSecurityKey(visit);
      stage.served.app.now += 1000;
      await addPasskey(visit, "Blue key");
      const [, removed] = await signalledPasskeys(visit, 2);
      await page.getByRole("button", { name: "Delete Blue key" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("“Blue key” was deleted.").waitFor();
      await authenticator.remove();
      await context.clearCookies();
      await watchCeremonies(page, "pending");
      await page.goto(`${stage.served.baseUrl}/sign-in`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("alert").getByText("This passkey was removed from its account").waitFor();
      await until(() => signals.at(-1)!.name === "signalUnknownCredential", "told");
      assert.deepEqual(signals.at(-1)!.value, { rpId: "localhost", credentialId: removed });
      assert.equal((await key.credentials()).length, 1);
      await context.close();
    },
  );
});
