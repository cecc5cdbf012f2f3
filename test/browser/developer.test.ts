import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const TOKEN = /^hfst_[0-9a-v]{26}_[A-Za-z0-9]{43}[0-9a-f]{6}$/;

describe("the page for developers, in a real browser", () => {
  const stage = useStage();

  async function open({ page }: Visit): Promise<void> {
    await page.goto(`${stage.served.baseUrl}/developer`);
    await page.locator("#token-name:enabled").waitFor();
  }

  /** Creates a token with the form and returns its text. */
  async function make(page: Page, name: string): Promise<string> {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText(`“${name}” was created.`).waitFor();
    return (await page.locator("#token-text").textContent())!;
  }

  /** Returns the status of the API's response to a program with this token. */
  async function statusOf(text: string, path: string, body?: object): Promise<number> {
    const init: RequestInit = { headers: { authorization: `Bearer ${text}` } };
    if (body !== undefined) {
      init.method = "POST";
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "content-type": "application/json" };
    }
    return (await fetch(`${stage.served.baseUrl}${path}`, init)).status;
  }

  test("makes one token where the first answer got lost, and another one after it", LIMIT, async () => {
    const visit = await stage.newPerson();
    const { page, context } = visit;
    await open(visit);
    let lost = 0;
    await page.route("**/api/auth/tokens", async (route) => {
      if (route.request().method() !== "POST" || lost++ > 0) return await route.continue();
      await route.fetch();
      await route.abort();
    });
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Payroll");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    assert.equal(await statusOf(await make(page, "Payroll"), "/api/keys"), 200);
    const made = () => page.locator("#token-list .row").count();
    assert.equal(await made(), 1);
    await make(page, "Payroll");
    await page.locator("#token-list .row").nth(1).waitFor();
    assert.equal(await made(), 2);
    await context.close();
  });

  test(
    "makes a token that signs with the key that was chosen, shows it once, and revokes it",
    LIMIT,
    async () => {
      const visit = await stage.newPerson({ viewport: { width: 1100, height: 900 } });
      const { page, context, faults } = visit;
      await open(visit);
      await page.getByText("No program uses your keys.").waitFor();
      const text = await make(page, "Payroll");
      assert.match(text, TOKEN);
      const keyId = await page.locator("input[name=keys]").first().getAttribute("value");
      assert.equal(await statusOf(text, `/api/keys/${keyId}/sign`, { message: "hello" }), 200);
      assert.equal(await statusOf(text, "/api/keys/generate", {}), 403);
      await page.reload();
      await page.getByText("May view keys, explain requests and get quotes, sign, with Key 1").waitFor();
      assert.ok(!(await page.content()).includes(text));
      await page.locator("#token-name:enabled").waitFor();
      await page.getByRole("button", { name: "Revoke Payroll" }).click();
      assert.equal(await page.locator("#revoke-what").textContent(), "Payroll");
      await page.locator("#revoke-dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("“Payroll” was revoked.").waitFor();
      assert.equal(await statusOf(text, "/api/keys"), 401);
      assert.deepEqual(faults, []);
      await context.close();
    },
  );

  test("asks for a passkey and goes on by itself when the sign-in is old", LIMIT, async () => {
    const visit = await stage.newPerson();
    await open(visit);
    stage.served.app.now += 11 * 60_000;
    assert.match(await make(visit.page, "Later"), TOKEN);
    // The refusal after which the page asks for a passkey.
    assert.deepEqual(visit.faults, [
      "Failed to load resource: the server responded with a status of 403 (Forbidden)",
    ]);
    await visit.context.close();
  });

  test("makes a token that signs what a template allows, and says in words what that is", LIMIT, async () => {
    const visit = await stage.newPerson({ viewport: { width: 1100, height: 900 } });
    const { page, context, faults } = visit;
    await open(visit);
    await page.getByLabel("Begin with").selectOption({ label: "Sign in to one site, and nothing else" });
    const written = await page.getByLabel("Policy, as JSON").inputValue();
    await page.getByLabel("Policy, as JSON").fill(written.replace("app.example.org", "login.example.net"));
    const text = await make(page, "Login");
    const keyId = await page.locator("input[name=keys]").first().getAttribute("value");
    assert.equal(await statusOf(text, `/api/keys/${keyId}/sign`, { message: "hello" }), 403);
    assert.equal(await page.getByLabel("Policy, as JSON").inputValue(), "");
    await page.locator("summary", { hasText: "What it may sign" }).click();
    await page.getByText("May sign in to login.example.net.").waitFor();
    await page.getByText("At most 5 signatures in a minute.").waitFor();
    assert.deepEqual(faults, []);
    await page.getByLabel("Name", { exact: true }).fill("Broken");
    await page.getByLabel("Policy, as JSON").fill('{"version":2}');
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText("/policy/version").waitFor();
    await context.close();
  });

  test("makes a token's policy by choosing, tries it, and signs by it", LIMIT, async () => {
    const visit = await stage.newPerson({ viewport: { width: 1100, height: 900 } });
    const { page, context, faults } = visit;
    await open(visit);
    const dialog = page.getByRole("dialog", { name: "Rule" });
    const rules = page.locator("#policy-rules [data-rule]");

    await page.getByText("Without a policy it may sign anything").waitFor();
    await page.getByRole("button", { name: "Add a rule" }).press("Enter");
    await dialog.getByLabel("What", { exact: true }).selectOption(
      "1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    );
    await dialog.getByLabel("To", { exact: true }).fill("0x1111111111111111111111111111111111111111");
    await dialog.getByLabel("At most, each time").fill("1.2345678");
    await dialog.getByLabel("At most, in all").fill("20");
    await page.keyboard.press("Enter");
    assert.ok(await dialog.isVisible());
    await dialog.getByLabel("At most, each time").fill("12.5");
    await dialog.getByText("Each time 12500000 of the smallest unit. In all 20000000 of the").waitFor();
    await page.keyboard.press("Enter");
    await rules.getByText("up to 12.5 USDC (12500000)").waitFor();
    await page.getByText("is 20 USDC (20000000) in any 24 hours").waitFor();

    await page.getByRole("button", { name: "Add a rule" }).click();
    await dialog.getByLabel("It may").selectOption("Sign in to a site");
    await dialog.getByLabel("Sites").fill("https://app.example.org/login");
    await dialog.getByRole("button", { name: "Save the rule" }).click();
    await rules.getByText("May sign in to app.example.org.").waitFor();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await dialog.getByLabel("It may").selectOption("Call a contract");
    await dialog.getByLabel("ABI, descriptor or function").fill(
      JSON.stringify([{ type: "function", name: "claim", inputs: [{ name: "round", type: "uint256" }] }]),
    );
    await dialog.getByRole("combobox", { name: "Chain, by its number" }).fill("1");
    await dialog.getByLabel("Contracts").fill("0x2222222222222222222222222222222222222222");
    await dialog.getByLabel("round (uint256)").selectOption("at most");
    await dialog.getByLabel("Allowed values of round, one a line").fill("7");
    await dialog.getByLabel("Then").selectOption("Ask me each time");
    await dialog.getByRole("button", { name: "Save the rule" }).click();
    const call = rules.filter({ hasText: "claim(uint256 round), if /round is at most 7" });
    await call.getByText("May, if the owner approves each time,").waitFor();

    // Typed JSON shows as rules, and a choice changes only its own rule.
    const json = page.getByLabel("Policy, as JSON");
    await json.fill((await json.inputValue()).replace(/\}$/, ', "raw": "allow"}'));
    const raw = rules.filter({ hasText: "raw bytes" });
    await raw.getByText("Danger:").waitFor();
    assert.ok(await raw.getByRole("button", { name: "Change" }).isHidden());
    await raw.getByLabel("Outcome").selectOption("ask me");
    await raw.getByText("if the owner approves").waitFor();
    await raw.getByRole("button", { name: "Remove" }).click();
    await raw.waitFor({ state: "detached" });
    await rules.filter({ hasText: "USDC" }).getByRole("button", { name: "Change" }).click();
    assert.equal(await dialog.getByLabel("At most, each time").inputValue(), "12.5");
    await dialog.getByLabel("At most, each time").fill("10");
    await page.keyboard.press("Enter");
    await rules.getByText("up to 10 USDC (10000000)").waitFor();
    assert.equal(await rules.count(), 3);

    // The decimals of a token that is not in the list are not known.
    await page.getByRole("button", { name: "Add a rule" }).click();
    await dialog.getByLabel("What", { exact: true }).selectOption("Another token");
    await dialog.getByRole("combobox", { name: "Chain, by its number" }).fill("999");
    await dialog.getByLabel("Address of the token").fill("0x3333333333333333333333333333333333333333");
    await dialog.getByLabel("At most, each time").fill("1.5");
    await page.keyboard.press("Enter");
    assert.ok(await dialog.isVisible());
    await dialog.getByLabel("At most, each time").fill("15");
    await page.keyboard.press("Enter");
    await rules.getByText("call transfer(address to,uint256 value), if /value is at most 15").waitFor();

    await page.getByText("Try the policy").click();
    const decision = page.locator("#policy-decision");
    const pay = (value: string) => ({
      type: "eip1559",
      chainId: 1,
      nonce: 0,
      gas: 60_000,
      maxFeePerGas: "1000000000",
      maxPriorityFeePerGas: "1000000000",
      to: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      data: `0xa9059cbb${"1".repeat(40).padStart(64, "0")}${BigInt(value).toString(16).padStart(64, "0")}`,
    });
    await page.getByLabel("A request").fill(JSON.stringify(pay("10000000")));
    await page.getByRole("button", { name: "Decide" }).click();
    await decision.getByText("Allowed.").waitFor();
    await decision.getByText("By this rule:").waitFor();
    await page.getByLabel("A request").fill(JSON.stringify(pay("10000001")));
    await page.getByRole("button", { name: "Decide" }).click();
    await decision.getByText("Refused. This gives more than 10000000.").waitFor();
    await decision.getByText("The nearest rule:").waitFor();
    await decision.getByText("/effects/0/gives/0/atMost").waitFor();

    const text = await make(page, "Payroll");
    const keyId = await page.locator("input[name=keys]").first().getAttribute("value");
    const sign = (value: string) => statusOf(text, `/api/keys/${keyId}/sign-transaction`, pay(value));
    assert.deepEqual([await sign("10000000"), await sign("10000001")], [200, 403]);
    assert.deepEqual(faults, []);
    // The form is empty again.
    await page.getByRole("button", { name: "Decide" }).click();
    await decision.getByText("Without a policy it may sign anything").waitFor();
    await json.fill('{"version":1}');
    await page.getByLabel("A request").fill("{}");
    await page.getByRole("button", { name: "Decide" }).click();
    await page.locator("#policy-try-alert").getByText("/request/message").waitFor();
    await context.close();
  });

  test(
    "shows the rules of a policy that was kept over a sign-in, and of none that changed",
    LIMIT,
    async () => {
      const visit = await stage.newPerson();
      const { page, context } = visit;
      await open(visit);
      const policyOf = (site: string): string =>
        JSON.stringify({ version: 1, messages: { signIn: [{ domains: [site] }] } });
      await page.evaluate((policy) => {
        const { account } = document.body.dataset;
        const kept = { account, forms: { "token-form": { policy: [policy] } } };
        sessionStorage.setItem("unsent:/developer", JSON.stringify(kept));
      }, policyOf("first.example"));
      await open(visit);
      const rules = page.locator("#policy-rules");
      await rules.getByText("May sign in to first.example.").waitFor();

      const held: (() => void)[] = [];
      let isHolding = true;
      await page.route(
        "**/api/policies/explain*",
        (route) =>
          isHolding
            ? new Promise<void>((resolve) => held.push(() => resolve(route.continue())))
            : route.continue(),
      );
      const json = page.getByLabel("Policy, as JSON");
      const asked = page.waitForRequest("**/api/policies/explain*");
      await json.fill(policyOf("second.example"));
      await asked;
      const answered = page.waitForResponse("**/api/policies/explain*");
      await json.fill(policyOf("third.example"));
      held.shift()!();
      await (await answered).finished();
      // The rules are those of another text: no button may act on them.
      assert.ok(await rules.evaluate((element: HTMLElement) => element.inert));
      // Removing the route would handle the held request a second time.
      isHolding = false;
      held.forEach((release) => release());
      await rules.getByText("May sign in to third.example.").waitFor();
      await context.close();
    },
  );

  test("says what is wrong with what was typed, and keeps it", LIMIT, async () => {
    const visit = await stage.newPerson();
    const { page, context } = visit;
    await open(visit);
    await page.getByLabel("Name", { exact: true }).fill("Wrong");
    await page.getByLabel("Only from these networks").fill("192.0.2.1/24");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText("Expected a network such as 192.0.2.0/24").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Wrong");
    await context.close();
  });

  test("fits screens of 320 pixels, and is read without a script", LIMIT, async () => {
    const visit = await stage.newPerson();
    const { page } = visit;
    await open(visit);
    await make(page, `Long ${"x".repeat(90)}`);
    await page.setViewportSize({ width: 320, height: 700 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    const plain = await stage.browser.newContext({ javaScriptEnabled: false });
    await plain.addCookies(await visit.context.cookies());
    const reading = await plain.newPage();
    await reading.goto(`${stage.served.baseUrl}/developer`);
    await reading.getByText("May view keys").first().waitFor();
    assert.ok(await reading.getByRole("button", { name: "Create the token" }).isDisabled());
    await plain.close();
    await visit.context.close();
  });
});
