import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useStage } from "../support/account-story.ts";
import type { Stage, Visit } from "../support/account-story.ts";
import { ASKING_TERMS, CONTRACT, newProgramOf, REQUESTS } from "../support/asking.ts";
import type { Program } from "../support/asking.ts";
import { addVirtualAuthenticator } from "../support/browser.ts";

const LIMIT = { timeout: 60_000 };

const PERMIT = {
  types: {
    Permit: [
      { name: "owner", type: "address" },
      { name: "spender", type: "address" },
      { name: "value", type: "uint256" },
      { name: "nonce", type: "uint256" },
      { name: "deadline", type: "uint256" },
    ],
  },
  primaryType: "Permit",
  domain: {
    name: "Token",
    chainId: 1,
    verifyingContract: CONTRACT,
  },
  message: {
    owner: "0x0000000000000000000000000000000000000001",
    spender: "0x00000000000000000000000000000000000000bb",
    value: (2n ** 256n - 1n).toString(),
    nonce: "0",
    deadline: "99999999999999",
  },
};

interface Asking {
  readonly program: Program;
  readonly keyId: string;
}

/** Creates a token of the window's user in the window. Returns a program with it. */
async function programOf({ served }: Stage, { page }: Visit): Promise<Asking> {
  const call = (path: string, body?: unknown) =>
    page.evaluate(async ([path, body]) => {
      const init = body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return await (await fetch(path as string, init)).json();
    }, [path, body]);
  const { keys } = await call("/api/keys");
  const { token, text } = await call("/api/auth/tokens", ASKING_TERMS);
  return { program: newProgramOf(served.app, token.id, text), keyId: keys[0].id };
}

describe("a signature that the owner is asked for, in a real browser", () => {
  const stage = useStage();

  test("is read, approved with a passkey, and shown", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context, authenticator } = visit;
    const { program, keyId } = await programOf(stage, visit);
    const { id } = (await program.post(`/api/keys/${keyId}/sign`, { message: "Pay Bob" })).body.request;
    await page.goto(`${stage.served.baseUrl}/requests`);
    await page.getByRole("link", { name: "A message" }).click();
    await page.getByText("Pay Bob").waitFor();
    await page.getByText("The program with the token Payroll asks").waitFor();

    await authenticator.setUserVerified(false);
    const button = page.getByRole("button", { name: "Approve with a passkey" });
    await button.click();
    await page.getByRole("alert").getByText("Not confirmed").waitFor();
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");

    await authenticator.setUserVerified(true);
    await button.click();
    await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
    const { signed } = (await program.get(`${REQUESTS}/${id}`)).body.request;
    await page.getByText(signed.signature).waitFor();
    assert.deepEqual(visit.faults, []);
    await context.close();
  });

  test("is declined with a message to the requester", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context } = visit;
    const { program, keyId } = await programOf(stage, visit);
    const { id } = (await program.post(`/api/keys/${keyId}/sign`, { message: "Pay Bob" })).body.request;
    await page.goto(`${stage.served.baseUrl}/requests/${id}`);
    await page.getByLabel("A message to the requester").fill("Ask me on Monday");
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("heading", { name: "Declined" }).waitFor();
    const { request } = (await program.get(`${REQUESTS}/${id}`)).body;
    assert.deepEqual([request.status, request.word], ["declined", "Ask me on Monday"]);
    assert.deepEqual(visit.faults, []);
    await context.close();
  });

  test("requires a second confirmation if it is dangerous", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context } = visit;
    const { program, keyId } = await programOf(stage, visit);
    const { id } = (await program.post(`/api/keys/${keyId}/sign-typed-data`, PERMIT)).body.request;
    await page.goto(`${stage.served.baseUrl}/requests/${id}`);
    await page.getByText("Danger:").first().waitFor();
    await page.getByRole("button", { name: "Approve with a passkey" }).click();
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
    await page.getByLabel("I have read the dangers marked above").check();
    await page.getByRole("button", { name: "Approve with a passkey" }).click();
    await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
    assert.equal((await program.get(`${REQUESTS}/${id}`)).body.request.status, "signed");
    await context.close();
  });

  test(
    "shows its outcome to an owner who decides again: in another tab, or after a response was lost",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context } = visit;
      const { program, keyId } = await programOf(stage, visit);
      const ask = async (): Promise<string> =>
        (await program.post(`/api/keys/${keyId}/sign`, { message: "Pay Bob" })).body.request.id;
      const approve = page.getByRole("button", { name: "Approve with a passkey" });

      await page.goto(`${stage.served.baseUrl}/requests/${await ask()}`);
      const tab = await context.newPage();
      await tab.goto(page.url());
      await tab.getByRole("button", { name: "Decline" }).click();
      await tab.getByRole("heading", { name: "Declined" }).waitFor();
      await approve.click();
      await page.getByRole("heading", { name: "Declined" }).waitFor();

      await page.goto(`${stage.served.baseUrl}/requests/${await ask()}`);
      await page.route("**/approval", async (route) => {
        await route.fetch();
        await route.abort();
      });
      await approve.click();
      await page.getByRole("alert").getByText("cannot be reached").waitFor();
      await page.getByRole("button", { name: "Decline" }).click();
      await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
      await context.close();
    },
  );

  test("is nothing to another account, and cannot be approved with its passkey", LIMIT, async () => {
    const [ada, bob] = [await stage.newAccount(), await stage.newAccount()];
    const asking = await programOf(stage, ada);
    const { id } =
      (await asking.program.post(`/api/keys/${asking.keyId}/sign`, { message: "Pay Bob" })).body.request;
    const answer = await bob.page.goto(`${stage.served.baseUrl}/requests/${id}`);
    assert.equal(answer!.status(), 404);
    // Ada's window with only Bob's authenticator.
    const [credential] = await bob.authenticator.credentials();
    await ada.authenticator.remove();
    const foreign = await addVirtualAuthenticator(ada.page, {});
    await foreign.addCredential(credential!);
    await ada.page.goto(`${stage.served.baseUrl}/requests/${id}`);
    await ada.page.route("**/approval/options", async (route) => {
      const options = await (await route.fetch()).json();
      await route.fulfill({ json: { ...options, allowCredentials: [] } });
    });
    await ada.page.getByRole("button", { name: "Approve with a passkey" }).click();
    await ada.page.getByRole("alert").getByText("This passkey was not accepted").waitFor();
    assert.equal((await asking.program.get(`${REQUESTS}/${id}`)).body.request.status, "pending");
    await ada.context.close();
    await bob.context.close();
  });

  test("can be read without JavaScript", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { program, keyId } = await programOf(stage, visit);
    const { id } = (await program.post(`/api/keys/${keyId}/sign-typed-data`, PERMIT)).body.request;
    const bare = await stage.browser.newContext({
      javaScriptEnabled: false,
      storageState: await visit.context.storageState(),
    });
    const page = await bare.newPage();
    await page.goto(`${stage.served.baseUrl}/requests`);
    await page.getByRole("link", { name: "Typed data" }).click();
    assert.equal(new URL(page.url()).pathname, `/requests/${id}`);
    for (const words of ["spender", "Danger:"]) {
      assert.ok(await page.getByText(words).count() > 0, words);
    }
    assert.ok(await page.getByRole("button", { name: "Approve with a passkey" }).isDisabled());
    await bare.close();
    await visit.context.close();
  });

  test(
    "is asked for on the key's page where the key's policy says so, and goes straight on",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context, authenticator } = visit;
      const keyId = await page.evaluate(async () => {
        const { keys } = await (await fetch("/api/keys")).json();
        const body = JSON.stringify({ policy: { version: 1, messages: { text: "ask" } } });
        const headers = { "content-type": "application/json" };
        await fetch(`/api/keys/${keys[0].id}/policy`, { method: "PUT", headers, body });
        return keys[0].id;
      });
      await page.goto(`${stage.served.baseUrl}/keys/${keyId}`);
      await page.getByLabel("Message", { exact: true }).fill("Pay Bob");
      await page.getByRole("button", { name: "Review" }).click();
      const sign = page.getByRole("button", { name: "Sign", exact: true });
      await authenticator.setUserVerified(false);
      await sign.click();
      await page.getByRole("alert").getByText("Not confirmed").waitFor();
      const waiting = () =>
        page.evaluate(async () => (await (await fetch("/api/signing-requests")).json()).requests);
      assert.deepEqual(await waiting(), [], "nothing is left behind that waits");
      await authenticator.setUserVerified(true);
      await sign.click();
      await page.locator("#signed").getByText("Pay Bob").waitFor();
      assert.deepEqual(await waiting(), []);
      await context.close();
    },
  );
});
