import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { keccak256, parseTransaction, recoverTransactionAddress, serializeTransaction } from "viem";
import { recoverAuthorizationAddress } from "viem/utils";
import { useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const OTHER = "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB";
const TRANSACTION = {
  type: "eip1559",
  chainId: 1,
  nonce: 7,
  to: OTHER,
  value: "1000000000000000",
  gas: 21000,
  maxFeePerGas: "20000000000",
  maxPriorityFeePerGas: 1000000000,
} as const;

/** Opens the only key's page and returns its address. */
async function openKey(page: Page, baseUrl: string): Promise<string> {
  await page.goto(`${baseUrl}/keys`);
  await page.getByRole("link", { name: "Key 1" }).click();
  await page.locator("#message:enabled").waitFor();
  return (await page.locator("#key").getAttribute("data-address"))!;
}

async function kindOf(page: Page): Promise<string | null> {
  return await page.locator("input[name=kind]:checked").getAttribute("value");
}

async function review(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("heading", { name: "What will be signed" }).waitFor();
}

/** Signs what is under review, with the second confirmation if the page requires it. */
async function signReviewed(page: Page): Promise<void> {
  const box = page.locator("#review-anyway-box");
  if (await box.isVisible()) await box.check();
  await page.locator("#sign-button:enabled").click();
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
}

async function overflow(page: Page): Promise<number> {
  return await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth
  );
}

describe("transactions on a key's page in a real browser", () => {
  const stage = useStage();

  test("are pasted as JSON, shown, and signed as the bytes that were shown", LIMIT, async () => {
    const { page, context, faults } = await stage.newPerson();
    const address = await openKey(page, stage.served.baseUrl);
    await page.locator("#message").fill(JSON.stringify(TRANSACTION));
    await page.getByText("This looks like a transaction. Use it?").waitFor();
    await page.getByRole("button", { name: "Use it" }).click();
    assert.equal(await kindOf(page), "transaction");
    assert.equal(await page.locator("#offer").textContent(), "");
    assert.ok(await page.locator("#message").evaluate((field) => field === document.activeElement));
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/sign-transaction")) asked.push(request.postData()!);
    });
    await review(page);
    await page.locator("#review-intent .intent").getByText("0.001").waitFor();
    // The sentence shows it. The fields are hidden until the user opens them.
    const value = page.locator("#review-fields").getByText("1000000000000000", { exact: true });
    assert.ok(await value.isHidden());
    await page.getByText("All fields", { exact: true }).click();
    assert.ok(await value.isVisible());
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await overflow(page), 0, `${width} px`);
    }
    await page.setViewportSize({ width: 320, height: 800 });
    await signReviewed(page);
    assert.equal(await overflow(page), 0, "signed");

    const serialized = await page.locator("#serialized-transaction").textContent() as `0x02${string}`;
    assert.equal(await recoverTransactionAddress({ serializedTransaction: serialized }), address);
    const { r: _, s: __, v: ___, yParity: ____, ...signed } = parseTransaction(serialized);
    assert.equal(asked[0], JSON.stringify({ unsigned: serializeTransaction(signed) }));
    assert.equal(signed.value, 1000000000000000n);
    assert.equal(await page.locator("#transaction-hash").textContent(), keccak256(serialized));
    await page.getByRole("button", { name: "Copy the signed transaction" }).click();
    await page.getByText(/^(Copied|Selected)$/).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("are pasted as unsigned bytes", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const address = await openKey(page, stage.served.baseUrl);
    const unsigned = serializeTransaction({
      ...TRANSACTION,
      type: "eip1559",
      value: 5n,
      gas: 21000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    });
    await page.locator("#message").fill(unsigned);
    await page.getByRole("button", { name: "Use it" }).click();
    await review(page);
    await signReviewed(page);
    const serialized = await page.locator("#serialized-transaction").textContent() as `0x02${string}`;
    assert.equal(await recoverTransactionAddress({ serializedTransaction: serialized }), address);
    await context.close();
  });

  test("of an application lose their sender, which is compared with the key", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const address = await openKey(page, stage.served.baseUrl);
    const { nonce: _, type: __, ...asked } = TRANSACTION;
    const request = (from: string) =>
      JSON.stringify({ method: "eth_sendTransaction", params: [{ from, ...asked }] });
    await page.locator("#message").fill(request(address));
    await page.locator("#offer").getByText("It will be signed but not sent. Missing: nonce.")
      .waitFor();
    assert.equal(await page.locator("#offer .danger").count(), 0);

    await page.locator("#message").fill(request(OTHER));
    await page.locator("#offer .danger").getByText(OTHER).waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    assert.equal(await overflow(page), 0);
    await page.getByRole("button", { name: "Use it" }).click();
    const text = await page.locator("#message").inputValue();
    assert.ok(!("from" in JSON.parse(text)));
    // The warning stays when the missing fields are filled in.
    await page.locator("#message").fill(text.replace("{", '{\n  "nonce": 7,'));
    await review(page);
    assert.ok(await page.locator("#review-intent .danger").getByText(OTHER).isVisible());
    assert.equal(await page.locator("#offer .hint").count(), 0);
    await page.getByRole("button", { name: "Change it" }).click();
    await page.locator("#message").fill("");
    assert.equal(await page.locator("#offer").textContent(), "");
    await context.close();
  });

  test("that authorize a contract's code need the second act, and give the signed tuple", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const address = await openKey(page, stage.served.baseUrl);
    await page.locator("#message").fill(JSON.stringify({ chainId: 1, address: OTHER, nonce: 3 }));
    await page.getByText("This looks like an authorization (EIP-7702). Use it?").waitFor();
    await page.getByRole("button", { name: "Use it" }).click();
    await review(page);
    assert.equal(await page.locator("#sign-button").textContent(), "Sign anyway");
    await signReviewed(page);
    const tuple = JSON.parse(await page.locator("#signed-authorization").textContent() ?? "");
    const { chainId, address: delegate, nonce, ...signature } = tuple;
    const authorization = { chainId, address: delegate, nonce };
    assert.equal(await recoverAuthorizationAddress({ authorization, signature }), address);
    await context.close();
  });

  test("are not signed when the service reads the text as something else", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page, stage.served.baseUrl);
    await page.getByText("Authorization", { exact: true }).click();
    await page.locator("#message").fill(JSON.stringify(TRANSACTION));
    await page.getByRole("button", { name: "Review" }).click();
    await page.locator("#sign-alert").getByText("The service reads this as something else").waitFor();
    assert.ok(await page.locator("#review").isHidden());
    await context.close();
  });

  test("beside requests for typed data and messages, each taken over as what it is", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const address = await openKey(page, stage.served.baseUrl);
    const document = JSON.stringify({
      types: { Note: [{ name: "text", type: "string" }] },
      primaryType: "Note",
      domain: { name: "Notes", chainId: 1, verifyingContract: OTHER },
      message: { text: "hello" },
    });
    const request = { method: "eth_signTypedData_v4", params: [address, document] };
    await page.locator("#message").fill(JSON.stringify(request));
    await page.getByText("This looks like typed data. Use it?").waitFor();
    await page.getByRole("button", { name: "Use it" }).click();
    assert.deepEqual([await kindOf(page), await page.locator("#message").inputValue()], [
      "typed_data",
      document,
    ]);
    await review(page);
    await page.getByRole("button", { name: "Change it" }).click();

    const message = { method: "personal_sign", params: ["0x68656c6c6f", address] };
    await page.locator("#message").fill(JSON.stringify(JSON.stringify(message)));
    await page.getByText("This looks like a message. Use it?").waitFor();
    await page.getByRole("button", { name: "Use it" }).click();
    assert.deepEqual([await kindOf(page), await page.locator("#message").inputValue()], [
      "personal_sign",
      "hello",
    ]);
    const bytes = { method: "personal_sign", params: [`0x${"f1".repeat(32)}`, address] };
    await page.locator("#message").fill(JSON.stringify(bytes));
    await page.getByRole("button", { name: "Use it" }).click();
    assert.equal(await kindOf(page), "personal_bytes");
    await review(page);
    await signReviewed(page);
    assert.match(await page.locator("#signature").textContent() ?? "", /^0x[0-9a-f]{130}$/);
    await context.close();
  });
});
