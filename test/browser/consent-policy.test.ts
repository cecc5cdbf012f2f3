import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Policy } from "../../src/policy/policy.ts";
import { useStage } from "../support/account-story.ts";
import { registerKeyClient } from "../support/key-application.ts";
import { authorizePath, exchange, pkcePair, providerAt } from "../support/oauth.ts";
import { answerInPlaceOf } from "../support/relying-party.ts";

const LIMIT = { timeout: 60_000 };
const APPLICATION = "https://bot.example";

describe("a policy on the consent page, in a real browser", () => {
  const stage = useStage();

  test("is made by choosing, tried and granted, and written without a script", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const provider = providerAt(baseUrl);
    const client = await registerKeyClient(provider, { type: "web", dpopBoundAccessTokens: false });
    const asked = { scope: "keys:read keys:sign", resource: `${baseUrl}/api` };
    const { page, context, faults } = await stage.newPerson();
    await answerInPlaceOf(page, APPLICATION);

    /** Approves the request of the page, and returns the granted policy. */
    async function grant(
      at: typeof page,
      pkce: ReturnType<typeof pkcePair>,
    ): Promise<Policy> {
      await at.getByRole("button", { name: "Allow", exact: true }).click();
      await at.waitForURL(`${APPLICATION}/**`);
      const code = new URL(at.url()).searchParams.get("code")!;
      const { body, text } = await exchange(provider, client, {
        code,
        redirectUri: client.redirectUris[0]!,
        ...pkce,
      });
      assert.ok(body.authorization_details !== undefined, text);
      return body.authorization_details[0].policy;
    }

    const pkce = pkcePair();
    await page.goto(baseUrl + authorizePath(client, pkce, asked));
    await page.getByLabel("Key 1").check();
    await page.getByLabel("What I write myself").check();
    const rules = page.locator("#policy-rules");
    await rules.getByText("Asks you before it signs anything.").waitFor();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("It may").selectOption("Sign in to a site");
    await page.getByLabel("Sites").fill("app.example.org");
    await page.getByRole("button", { name: "Save the rule" }).click();
    await rules.getByText("May sign in to app.example.org.").waitFor();
    await page.getByText("Try the policy").click();
    await page.getByLabel("A request").fill("hello");
    await page.getByRole("button", { name: "Decide" }).click();
    await page.locator("#policy-decision").getByText("Asks you about everything else.").waitFor();
    assert.deepEqual(faults, []);
    const { messages, otherwise } = await grant(page, pkce);
    assert.deepEqual([messages.signIn[0]!.domains, otherwise], [["app.example.org"], "ask"]);

    const bare = await stage.browser.newContext({ javaScriptEnabled: false });
    await bare.addCookies(await context.cookies());
    const plain = await bare.newPage();
    await answerInPlaceOf(plain, APPLICATION);
    const again = pkcePair();
    await plain.goto(baseUrl + authorizePath(client, again, asked));
    await plain.getByLabel("Key 1").check();
    await plain.getByLabel("What I write myself").check();
    await plain.locator("summary", { hasText: "Rules" }).click();
    await plain.getByLabel("Policy, as JSON").fill('{"version":1,"raw":"ask"}');
    assert.equal((await grant(plain, again)).raw, "ask");
    await bare.close();
    await context.close();
  });
});
