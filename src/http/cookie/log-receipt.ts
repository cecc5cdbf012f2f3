import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { giveCookie, readOurCookie } from "./cookies.ts";

/** Where programs find the receipt that goes with a signature, and where they may show it later. */
const WITNESS_HEADER = "holdfast-witness";

type WitnessServices = Pick<Services, "witness" | "baseUrl">;

/**
 * Looks at the receipts that a browser or a program brought: one for an entry that the log lost stops all recording.
 * Answers the browser's, whatever it is worth.
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

/** Gives a browser in which somebody is signed in another receipt with whatever it is answered, if it is time. */
export function renewReceipt(
  context: RequestContext,
  services: WitnessServices,
  held: string | undefined,
): void {
  give(context, services, services.witness.renew(held, context.now));
}

/** Gives a browser in which somebody has just signed in a receipt with whatever it is answered. */
export function giveReceipt(context: RequestContext, services: WitnessServices): void {
  give(context, services, services.witness.issue(context.now));
}

function give(
  { answerHeaders }: RequestContext,
  { baseUrl }: WitnessServices,
  receipt: string | undefined,
): void {
  if (receipt !== undefined) answerHeaders.set("witness", giveCookie("witness", receipt, baseUrl));
}

/** Adds a receipt to an answer, for programs. Adds none while recording is stopped. */
export function addReceipt(
  { headers }: Response,
  { now }: RequestContext,
  { witness }: Pick<Services, "witness">,
): void {
  const receipt = witness.issue(now);
  if (receipt !== undefined) headers.set(WITNESS_HEADER, receipt);
}
