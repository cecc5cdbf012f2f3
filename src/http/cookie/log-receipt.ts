import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { giveCookie, readOurCookie } from "./cookies.ts";

/** The header in which programs receive a receipt with a signature, and may present it later. */
const WITNESS_HEADER = "Holdfast-Witness";

type WitnessServices = Pick<Services, "witness" | "baseUrl">;

/**
 * Verifies the receipts in the cookie and the header. A receipt of an entry that is missing from the log stops all
 * recording. Returns the cookie's receipt, even if it is invalid.
 */
export async function inspectReceipts(
  context: RequestContext,
  { witness, baseUrl }: WitnessServices,
): Promise<string | undefined> {
  const held = readOurCookie(context, "witness", baseUrl);
  if (held !== undefined) await witness.inspect(held);
  const shown = context.request.headers.get(WITNESS_HEADER);
  if (shown !== null) await witness.inspect(shown);
  return held;
}

/** Sets a new receipt cookie for a signed-in browser, if the current one is due. */
export function renewReceipt(
  context: RequestContext,
  services: WitnessServices,
  held: string | undefined,
): void {
  give(context, services, services.witness.renew(held, context.now));
}

/** Sets a receipt cookie for a browser that has just signed in. */
export function giveReceipt(context: RequestContext, services: WitnessServices): void {
  give(context, services, services.witness.issue(context.now));
}

function give(
  { responseHeaders }: RequestContext,
  { baseUrl }: WitnessServices,
  receipt: string | undefined,
): void {
  if (receipt !== undefined) responseHeaders.set("witness", giveCookie("witness", receipt, baseUrl));
}

/** Adds a receipt header for programs. Adds none while recording is stopped. */
export function addReceipt(
  { headers }: Response,
  { now }: RequestContext,
  { witness }: Pick<Services, "witness">,
): void {
  const receipt = witness.issue(now);
  if (receipt !== undefined) headers.set(WITNESS_HEADER, receipt);
}
