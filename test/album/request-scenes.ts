import { ASKING_TERMS, newProgramOf } from "../support/asking.ts";
import type { PageState, Stage } from "./scene.ts";

/** Requests the signature of an ether transfer as a program, and opens the request's page. */
export async function openRequest(
  { served, visit: { page } }: Pick<Stage, "served" | "visit">,
): Promise<void> {
  await page.goto(`${served.baseUrl}/keys`);
  const [keyId, tokenId, text] = await page.evaluate(async (terms) => {
    const headers = { "content-type": "application/json" };
    const made = await fetch("/api/auth/tokens", { method: "POST", headers, body: terms });
    const { token, text } = await made.json();
    const { keys } = await (await fetch("/api/keys")).json();
    return [keys[0].id, token.id, text] as const;
  }, JSON.stringify(ASKING_TERMS));
  const { body } = await newProgramOf(served.app, tokenId, text).post(`/api/keys/${keyId}/sign-transaction`, {
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    to: "0xE592427A0AEce92De3Edee1F18E0157C05861564",
    value: "250000000000000000",
    gas: 21_000,
    maxFeePerGas: "20000000000",
    maxPriorityFeePerGas: "1000000000",
  });
  await page.goto(`${served.baseUrl}/requests/${body.request.id}`);
}

/** Signatures that the owner is asked to approve. */
export const REQUEST_STATES: readonly PageState[] = [{ name: "request", open: openRequest }];
