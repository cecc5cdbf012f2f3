import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { openAccount, useStage } from "../support/account-story.ts";
import { readCode, signUp } from "../support/client.ts";
import { mailsTo } from "../support/own-account.ts";

describe("the settings of an account", () => {
  const stage = useStage();
  const MINUTE = 60_000;

  test("rename, change the address by a code and a step-up, and take it back by the mail's link", async () => {
    const visit = await stage.newAccount();
    const { page, email } = visit;
    const { app, baseUrl } = stage.served;
    const outside = app.client();
    await openAccount({ baseUrl }, page);
    await page.getByRole("link", { name: "If you lose your passkey" }).click();
    await page.getByRole("heading", { level: 1, name: "Account recovery" }).waitFor();
    await openAccount({ baseUrl }, page);
    await page.getByRole("link", { name: "Account settings" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    app.now += 11 * MINUTE;
    const other = `new-${email}`;
    await page.getByLabel("New e-mail address").fill(other);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    await code.fill(await readCode(outside, other));
    await page.getByRole("button", { name: "Change the address" }).click();
    await page.getByText(`Your e-mail address is now ${other}.`).waitFor();
    await page.getByText(`Now: ${other}.`).waitFor();
    const [mail] = await mailsTo(outside, email);
    const link = /\bhttp\S+\/take-back\S+/.exec(mail!.text)![0];
    await page.goto(link);
    await page.getByRole("button", { name: "Undo the change" }).click();
    await page.getByRole("heading", { name: "The change was undone" }).waitFor();
    const session = await page.evaluate(async () => (await fetch("/api/auth/session")).json());
    assert.equal(session.session, null, "every session has ended");
    await page.getByRole("link", { name: "Sign in" }).click();
    // The page asks for the passkey by itself.
    await page.waitForURL(`${baseUrl}/account`);
    assert.equal(await page.getByText(email, { exact: true }).count() > 0, true);
    // The browser reports the response that requires the step-up as a failed request.
    assert.deepEqual(visit.faults.filter((fault) => !/403/.test(fault)), []);
  });

  test("do not apply to another account that was signed in in another tab", async () => {
    const { page } = await stage.newAccount();
    const { app, baseUrl } = stage.served;
    await page.goto(`${baseUrl}/account/settings`);
    const other = app.client();
    await signUp(other, "other@example.com");
    await page.context().addCookies(
      [...other.cookies].map(([name, value]) => ({ name, value, url: baseUrl })),
    );
    await page.getByRole("textbox", { name: "Name" }).fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    // The page is loaded again for the account that is signed in now.
    await page.getByText("Now: other@example.com.").waitFor();
    await page.getByText("Your session had ended, so nothing was done.", { exact: true }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "");
    assert.equal((await other.get("/api/auth/session")).body.account.name, null);
    await page.getByRole("textbox", { name: "Name" }).fill("Bob");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal((await other.get("/api/auth/session")).body.account.name, "Bob");
  });

  test("keep what is written when the session has ended, for the account of the page", async () => {
    const { page, context, email } = await stage.newAccount();
    const { baseUrl } = stage.served;
    await page.goto(`${baseUrl}/account/settings`);
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Ada Lovelace");
    await context.clearCookies({ name: "service.session_token" });
    // The page asks for the passkey by itself.
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("What you entered is still here.").waitFor();
    await page.getByText(`Now: ${email}.`).waitFor();
    assert.equal(await name.inputValue(), "Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
  });

  test("download one's data, then delete the account, and keep it by signing in", async () => {
    const visit = await stage.newAccount();
    const { page, email } = visit;
    const { app, baseUrl } = stage.served;
    await page.goto(`${baseUrl}/account/settings`);
    const download = page.waitForEvent("download");
    await page.locator("#export:enabled").click();
    const file = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    assert.equal(file.account.email, email);
    await page.getByText("Your browser has saved the file").waitFor();
    assert.equal(await page.getByText("can never be moved again").count(), 1);
    const field = page.getByLabel(`Type ${email} to confirm`);
    await field.fill("other@example.com");
    await page.getByRole("button", { name: "Delete the account" }).click();
    await page.locator("#deletion-alert .notice").waitFor();
    const fault = await page.locator("#deletion-alert").innerText();
    assert.match(fault, /^This is not the name of your account\.\s+Details$/);
    await field.fill(email);
    app.now += 11 * MINUTE;
    await page.getByRole("button", { name: "Delete the account" }).click();
    await page.getByRole("heading", { name: "Your account will be deleted" }).waitFor();
    await page.getByRole("link", { name: "Sign in and keep it" }).click();
    await page.waitForURL(`${baseUrl}/keys`);
    const subjects = (await mailsTo(app.client(), email)).map(({ subject }) => subject);
    assert.ok(subjects.includes("Your account will not be deleted"), subjects.join());
    // The browser reports the two refused forms as failed requests.
    assert.deepEqual(visit.faults.filter((fault) => !/40[03]/.test(fault)), []);
  });
});
